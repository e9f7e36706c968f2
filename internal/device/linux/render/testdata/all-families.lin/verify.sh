#!/bin/sh
# linerate: lin of the fabric all-families. Reads back and changes nothing. Exit code 0: as planned, 1: not as planned, 2: nothing could be read, 3: something is missing or could not be read.
@@ 164 lines of all-families.lin/apply.sh, from line 1 of: set -u
@@ 20 lines of mesh-10g.homelab/verify.sh, from line 1 of: worst=0 all=0 bad=0
# What this machine calls the plan's ports. To say it yourself: if_cx5p1=NAME sh verify.sh
if_cx5p1=${if_cx5p1:-}
port if_cx5p1 cx5p1 15b3:1017 2 1 1 mlx5_core
[ -z "$lacking" ] || end 2 "nothing was read"

is "MTU of $if_cx5p1" 9000 "$(mtu_of "$if_cx5p1")"
is "link $if_cx5p1" up "$(up_of "$if_cx5p1")"
is "global pause (receive, send) of $if_cx5p1" "off off" "$(pause_of "$if_cx5p1")"
is "lldpad next to the classes of $if_cx5p1" absent "$(running lldpad)"
is "DCBX of $if_cx5p1" "host ieee" "$(dcbx_of "$if_cx5p1")"
is "PFC of $if_cx5p1" "0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off" "$(dcb_of pfc "$if_cx5p1" prio-pfc)"
is "ETS willing of $if_cx5p1" "off" "$(dcb_of ets "$if_cx5p1" willing)"
is "class of each priority of $if_cx5p1" "0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0" "$(dcb_of ets "$if_cx5p1" prio-tc)"
is "ETS or strict of $if_cx5p1" "0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict" "$(dcb_of ets "$if_cx5p1" tc-tsa)"
is "shares of $if_cx5p1" "0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0" "$(dcb_of ets "$if_cx5p1" tc-bw)"
is "DSCP map of $if_cx5p1" "26:3 48:6" "$(dcb_of app "$if_cx5p1" dscp-prio)"
is "trust of $if_cx5p1" dscp "$(trust_of "$if_cx5p1")"
is "ECN (np) of priority 3 on $if_cx5p1" 1 "$(cat "$sys/class/net/""$if_cx5p1"/ecn/roce_np/enable/3 2>/dev/null)"
is "ECN (rp) of priority 3 on $if_cx5p1" 1 "$(cat "$sys/class/net/""$if_cx5p1"/ecn/roce_rp/enable/3 2>/dev/null)"
rdma=$(rdma_of "$if_cx5p1") number=$(rdma_port_of "$if_cx5p1")
is "RoCE of $if_cx5p1" "RoCE v2" "$(cma_mode_of "$rdma" "$number")"
is "type of service of RoCE on $if_cx5p1" 106 "$(cma_tos_of "$rdma" "$number")"
is "address 10.50.1.2/24 on $if_cx5p1" present "$(address_of "$if_cx5p1" 10.50.1.2/24)"
least 'sysctl net.ipv4.tcp_rmem' '4096 131072 67108864' "$(sysctl_of net.ipv4.tcp_rmem)"
least 'sysctl net.ipv4.tcp_wmem' '4096 65536 67108864' "$(sysctl_of net.ipv4.tcp_wmem)"
hosts=${LINERATE_HOSTS:-/etc/hosts}
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.3 pve pve-cx5-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.3 pve pve-cx5-1' present "$r"
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.4 bsd bsd-cx5-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.4 bsd bsd-cx5-1' present "$r"
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.5 nas nas-cx4-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.5 nas nas-cx4-1' present "$r"
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.1 win win-cx5-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.1 win win-cx5-1' present "$r"
@@ 32 lines of mesh-10g.homelab/verify.sh, from line 1 of: # lacks, unknown TEXT: what no setting makes, and is not there, or cannot be read
carrier "$if_cx5p1" 100000 'cable C2 to onyx.19'
@@ 7 lines of mesh-10g.homelab/verify.sh, from line 15 of: 
