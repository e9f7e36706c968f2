#!/bin/sh
# linerate: node of the fabric roce-100g. Reads back and changes nothing. Exit code 0: as planned, 1: not as planned, 2: nothing could be read, 3: something is missing or could not be read.
@@ 144 lines of roce-100g.node/apply.sh, from line 1 of: set -u
@@ 20 lines of mesh-10g.homelab/verify.sh, from line 1 of: worst=0 all=0 bad=0
# What this machine calls the plan's ports. To say it yourself: if_sp350=NAME sh verify.sh
if_sp350=${if_sp350:-}
port if_sp350 sp350 '' 0 0 0
[ -z "$lacking" ] || end 2 "nothing was read"

is "MTU of $if_sp350" 9000 "$(mtu_of "$if_sp350")"
is "link $if_sp350" up "$(up_of "$if_sp350")"
is "global pause (receive, send) of $if_sp350" "off off" "$(pause_of "$if_sp350")"
is "lldpad next to the classes of $if_sp350" absent "$(running lldpad)"
is "DCBX of $if_sp350" "host ieee" "$(dcbx_of "$if_sp350")"
is "PFC of $if_sp350" "0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off" "$(dcb_of pfc "$if_sp350" prio-pfc)"
is "ETS willing of $if_sp350" "off" "$(dcb_of ets "$if_sp350" willing)"
is "class of each priority of $if_sp350" "0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0" "$(dcb_of ets "$if_sp350" prio-tc)"
is "ETS or strict of $if_sp350" "0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict" "$(dcb_of ets "$if_sp350" tc-tsa)"
is "shares of $if_sp350" "0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0" "$(dcb_of ets "$if_sp350" tc-bw)"
is "DSCP map of $if_sp350" "26:3 48:6" "$(dcb_of app "$if_sp350" dscp-prio)"
is "trust of $if_sp350" dscp "$(trust_of "$if_sp350")"
is "address 10.0.1.2/24 on $if_sp350" present "$(address_of "$if_sp350" 10.0.1.2/24)"
least 'sysctl net.ipv4.tcp_rmem' '4096 131072 67108864' "$(sysctl_of net.ipv4.tcp_rmem)"
least 'sysctl net.ipv4.tcp_wmem' '4096 65536 67108864' "$(sysctl_of net.ipv4.tcp_wmem)"
@@ 32 lines of mesh-10g.homelab/verify.sh, from line 1 of: # lacks, unknown TEXT: what no setting makes, and is not there, or cannot be read
carrier "$if_sp350" 100000 'cable C3 to crs504.3'
@@ 7 lines of mesh-10g.homelab/verify.sh, from line 15 of: 
