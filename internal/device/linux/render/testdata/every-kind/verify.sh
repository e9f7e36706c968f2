#!/bin/sh
# linerate: a of the fabric every-kind. Reads back and changes nothing. Exit code 0: as planned, 1: not as planned, 2: nothing could be read, 3: something is missing or could not be read.
@@ 164 lines of every-kind/apply.sh, from line 1 of: set -u
@@ 20 lines of mesh-10g.homelab/verify.sh, from line 1 of: worst=0 all=0 bad=0
# What this machine calls the plan's ports. To say it yourself: if_cx3p1=NAME sh verify.sh
@@ 8 lines of every-kind/apply.sh, from line 1 of: if_cx3p1=${if_cx3p1:-}
[ -z "$lacking" ] || end 2 "nothing was read"

is "mode of bond team" 802.3ad "$(bond_mode_of team)"
is "hash of bond team" layer3+4 "$(hash_of team)"
m=$(master_of "$if_cx5p1"); is "bond of $if_cx5p1" team "${m:-none}"
m=$(master_of "$if_cx5p2"); is "bond of $if_cx5p2" team "${m:-none}"
is "MTU of $if_cx3p1" 9000 "$(mtu_of "$if_cx3p1")"
is "link $if_cx3p1" up "$(up_of "$if_cx3p1")"
is "tcp-segmentation-offload of $if_cx3p1" off "$(feature_of "$if_cx3p1" tcp-segmentation-offload)"
is "generic-receive-offload of $if_cx3p1" off "$(feature_of "$if_cx3p1" generic-receive-offload)"
is "global pause (receive, send) of $if_cx3p1" "off off" "$(pause_of "$if_cx3p1")"
is "lldpad next to the classes of $if_cx3p1" absent "$(running lldpad)"
is "PFC of $if_cx3p1" "0 0 0 1 0 0 0 0" "$(mlnx_pfc_of "$if_cx3p1")"
is "class of each priority, ETS or strict, shares of $if_cx3p1" "0,0,0,3,0,0,6,0 ets,strict,strict,ets,strict,strict,strict,strict 40,0,0,60,0,0,0,0" "$(mlnx_ets_of "$if_cx3p1")"
is "ECN (np) of priority 3 on $if_cx3p1" 1 "$(cat "$sys/class/net/""$if_cx3p1"/ecn/roce_np/enable/3 2>/dev/null)"
is "ECN (rp) of priority 3 on $if_cx3p1" 1 "$(cat "$sys/class/net/""$if_cx3p1"/ecn/roce_rp/enable/3 2>/dev/null)"
rdma=$(rdma_of "$if_cx3p1") number=$(rdma_port_of "$if_cx3p1")
is "RoCE of $if_cx3p1" "RoCE v2" "$(cma_mode_of "$rdma" "$number")"
is "type of service of RoCE on $if_cx3p1" 106 "$(cma_tos_of "$rdma" "$number")"
is "address 10.60.2.1/24 on $if_cx3p1" present "$(address_of "$if_cx3p1" 10.60.2.1/24)"
is "MTU of $if_cx5p1" 9000 "$(mtu_of "$if_cx5p1")"
is "link $if_cx5p1" up "$(up_of "$if_cx5p1")"
is "virtual functions of $if_cx5p1" 4 "$(vfs_of "$if_cx5p1")"
@@ 15 lines of all-families.lin/verify.sh, from line 1 of: is "global pause (receive, send) of $if_cx5p1" "off off" "$(pause_of "$if_cx5p1")"
is "MTU of $if_cx5p2" 9000 "$(mtu_of "$if_cx5p2")"
is "link $if_cx5p2" up "$(up_of "$if_cx5p2")"
is "virtual functions of $if_cx5p2" 4 "$(vfs_of "$if_cx5p2")"
is "global pause (receive, send) of $if_cx5p2" "off off" "$(pause_of "$if_cx5p2")"
is "lldpad next to the classes of $if_cx5p2" absent "$(running lldpad)"
is "DCBX of $if_cx5p2" "host ieee" "$(dcbx_of "$if_cx5p2")"
is "PFC of $if_cx5p2" "0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off" "$(dcb_of pfc "$if_cx5p2" prio-pfc)"
is "ETS willing of $if_cx5p2" "off" "$(dcb_of ets "$if_cx5p2" willing)"
is "class of each priority of $if_cx5p2" "0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0" "$(dcb_of ets "$if_cx5p2" prio-tc)"
is "ETS or strict of $if_cx5p2" "0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict" "$(dcb_of ets "$if_cx5p2" tc-tsa)"
is "shares of $if_cx5p2" "0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0" "$(dcb_of ets "$if_cx5p2" tc-bw)"
is "DSCP map of $if_cx5p2" "26:3 48:6" "$(dcb_of app "$if_cx5p2" dscp-prio)"
is "trust of $if_cx5p2" dscp "$(trust_of "$if_cx5p2")"
is "ECN (np) of priority 3 on $if_cx5p2" 1 "$(cat "$sys/class/net/""$if_cx5p2"/ecn/roce_np/enable/3 2>/dev/null)"
is "ECN (rp) of priority 3 on $if_cx5p2" 1 "$(cat "$sys/class/net/""$if_cx5p2"/ecn/roce_rp/enable/3 2>/dev/null)"
rdma=$(rdma_of "$if_cx5p2") number=$(rdma_port_of "$if_cx5p2")
is "RoCE of $if_cx5p2" "RoCE v2" "$(cma_mode_of "$rdma" "$number")"
is "type of service of RoCE on $if_cx5p2" 106 "$(cma_tos_of "$rdma" "$number")"
is "MTU of $if_cx6p1" 9000 "$(mtu_of "$if_cx6p1")"
is "link $if_cx6p1" up "$(up_of "$if_cx6p1")"
is "global pause (receive, send) of $if_cx6p1" "off off" "$(pause_of "$if_cx6p1")"
is "lldpad next to the classes of $if_cx6p1" absent "$(running lldpad)"
is "DCBX of $if_cx6p1" "host ieee" "$(dcbx_of "$if_cx6p1")"
is "PFC of $if_cx6p1" "0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off" "$(dcb_of pfc "$if_cx6p1" prio-pfc)"
is "ETS willing of $if_cx6p1" "off" "$(dcb_of ets "$if_cx6p1" willing)"
is "class of each priority of $if_cx6p1" "0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0" "$(dcb_of ets "$if_cx6p1" prio-tc)"
is "ETS or strict of $if_cx6p1" "0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict" "$(dcb_of ets "$if_cx6p1" tc-tsa)"
is "shares of $if_cx6p1" "0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0" "$(dcb_of ets "$if_cx6p1" tc-bw)"
is "DSCP map of $if_cx6p1" "26:3 48:6" "$(dcb_of app "$if_cx6p1" dscp-prio)"
is "trust of $if_cx6p1" dscp "$(trust_of "$if_cx6p1")"
is "ECN (np) of priority 3 on $if_cx6p1" 1 "$(cat "$sys/class/net/""$if_cx6p1"/ecn/roce_np/enable/3 2>/dev/null)"
is "ECN (rp) of priority 3 on $if_cx6p1" 1 "$(cat "$sys/class/net/""$if_cx6p1"/ecn/roce_rp/enable/3 2>/dev/null)"
rdma=$(rdma_of "$if_cx6p1") number=$(rdma_port_of "$if_cx6p1")
is "RoCE of $if_cx6p1" "RoCE v2" "$(cma_mode_of "$rdma" "$number")"
is "type of service of RoCE on $if_cx6p1" 106 "$(cma_tos_of "$rdma" "$number")"
is "address fd00:60::1/64 on $if_cx6p1" present "$(address_of "$if_cx6p1" fd00:60::1/64)"
is "MTU of team" 9000 "$(mtu_of team)"
is "link team" up "$(up_of team)"
is "address 10.60.1.1/24 on team" present "$(address_of team 10.60.1.1/24)"
is 'sysctl net.ipv4.conf.all.arp_ignore' 1 "$(sysctl_of net.ipv4.conf.all.arp_ignore)"
is 'sysctl net.ipv4.conf.all.arp_announce' 2 "$(sysctl_of net.ipv4.conf.all.arp_announce)"
least 'sysctl net.ipv4.tcp_rmem' '4096 131072 134217728' "$(sysctl_of net.ipv4.tcp_rmem)"
least 'sysctl net.ipv4.tcp_wmem' '4096 65536 134217728' "$(sysctl_of net.ipv4.tcp_wmem)"
case "$(route_of 10.77.0.0/16 "$if_cx3p1")" in *" via 10.60.2.77 "*) r=present ;; *) r=absent ;; esac; is "route to 10.77.0.0/16 via 10.60.2.77 on $if_cx3p1" present "$r"
case "$(route_of 10.78.0.0/16 "$if_cx3p1")" in "" | *" via "*) r=absent ;; *) r=present ;; esac; is "route to 10.78.0.0/16 on $if_cx3p1" present "$r"
q=$(qdisc_of "$if_cx3p1"); is "qdisc of $if_cx3p1" pfifo "${q%% *}"
is "VLAN of cx3p1.711" 711 "$(vlan_of cx3p1.711)"
is "address 10.71.1.1/24 on cx3p1.711" present "$(address_of cx3p1.711 10.71.1.1/24)"
is "link cx3p1.711" up "$(up_of cx3p1.711)"
hosts=${LINERATE_HOSTS:-/etc/hosts}
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.60.2.2 b-cx3-1' "$hosts" || r=present; else r=; fi; is 'name 10.60.2.2 b-cx3-1' present "$r"
if [ -r "$hosts" ]; then r=absent; ! grep -qxF 'fd00:60::2 b-cx6-1' "$hosts" || r=present; else r=; fi; is 'name fd00:60::2 b-cx6-1' present "$r"
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.60.1.2 b b-team' "$hosts" || r=present; else r=; fi; is 'name 10.60.1.2 b b-team' present "$r"
@@ 32 lines of mesh-10g.homelab/verify.sh, from line 1 of: # lacks, unknown TEXT: what no setting makes, and is not there, or cannot be read
carrier "$if_cx3p1" 56000 'cable C1 to b.cx3.1'
carrier "$if_cx5p1" 100000 'cable C3 to sw.1'
carrier "$if_cx5p2" 100000 'cable C4 to sw.2'
carrier "$if_cx6p1" 25000 'cable C2 to b.cx6.1'
@@ 7 lines of mesh-10g.homelab/verify.sh, from line 15 of: 
