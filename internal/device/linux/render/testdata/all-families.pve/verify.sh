#!/bin/sh
# linerate: pve of the fabric all-families. Reads back and changes nothing. Exit code 0: as planned, 1: not as planned, 2: nothing could be read, 3: something is missing or could not be read.
@@ 164 lines of all-families.pve/apply.sh, from line 1 of: set -u
@@ 42 lines of all-families.lin/verify.sh, from line 1 of: worst=0 all=0 bad=0
is "address 10.50.1.3/24 on $if_cx5p1" present "$(address_of "$if_cx5p1" 10.50.1.3/24)"
least 'sysctl net.ipv4.tcp_rmem' '4096 131072 67108864' "$(sysctl_of net.ipv4.tcp_rmem)"
least 'sysctl net.ipv4.tcp_wmem' '4096 65536 67108864' "$(sysctl_of net.ipv4.tcp_wmem)"
hosts=${LINERATE_HOSTS:-/etc/hosts}
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.2 lin lin-cx5-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.2 lin lin-cx5-1' present "$r"
@@ 35 lines of all-families.lin/verify.sh, from line 1 of: if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.4 bsd bsd-cx5-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.4 bsd bsd-cx5-1' present "$r"
carrier "$if_cx5p1" 100000 'cable C3 to cumulus.1'
@@ 7 lines of mesh-10g.homelab/verify.sh, from line 15 of: 
