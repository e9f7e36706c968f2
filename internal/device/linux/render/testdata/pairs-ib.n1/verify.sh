#!/bin/sh
# linerate: n1 of the fabric pairs-ib. Reads back and changes nothing. Exit code 0: as planned, 1: not as planned, 2: nothing could be read, 3: something is missing or could not be read.
@@ 129 lines of pairs-ib.n1/apply.sh, from line 1 of: set -u
@@ 20 lines of mesh-10g.homelab/verify.sh, from line 1 of: worst=0 all=0 bad=0
# What this machine calls the plan's ports. To say it yourself: if_connectxp1=NAME sh verify.sh
if_connectxp1=${if_connectxp1:-}
if_infinihostp1=${if_infinihostp1:-}
port if_connectxp1 connectxp1 '15b3:634a 15b3:6732' 2 1 1 mlx4_core
port if_infinihostp1 infinihostp1 15b3:6282 2 1 1 ib_mthca
[ -z "$lacking" ] || end 2 "nothing was read"

is "MTU of $if_connectxp1" 1500 "$(mtu_of "$if_connectxp1")"
is "link $if_connectxp1" up "$(up_of "$if_connectxp1")"
is "address 10.30.1.1/24 on $if_connectxp1" present "$(address_of "$if_connectxp1" 10.30.1.1/24)"
is "MTU of $if_infinihostp1" 1500 "$(mtu_of "$if_infinihostp1")"
is "link $if_infinihostp1" up "$(up_of "$if_infinihostp1")"
is "address 10.30.2.1/24 on $if_infinihostp1" present "$(address_of "$if_infinihostp1" 10.30.2.1/24)"
is 'sysctl net.ipv4.conf.all.arp_ignore' 1 "$(sysctl_of net.ipv4.conf.all.arp_ignore)"
is 'sysctl net.ipv4.conf.all.arp_announce' 2 "$(sysctl_of net.ipv4.conf.all.arp_announce)"
least 'sysctl net.ipv4.tcp_rmem' '4096 131072 8388608' "$(sysctl_of net.ipv4.tcp_rmem)"
least 'sysctl net.ipv4.tcp_wmem' '4096 65536 8388608' "$(sysctl_of net.ipv4.tcp_wmem)"
@@ 32 lines of mesh-10g.homelab/verify.sh, from line 1 of: # lacks, unknown TEXT: what no setting makes, and is not there, or cannot be read
carrier "$if_connectxp1" 16000 'cable C1 to ibnew.1'
carrier "$if_infinihostp1" 16000 'cable C5 to ibold.1'
@@ 7 lines of mesh-10g.homelab/verify.sh, from line 15 of: 
