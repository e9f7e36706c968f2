#!/bin/sh
# linerate: a of the fabric every-kind. Takes effect now, until the next reboot, but for the plan's names in /etc/hosts, which stay until undo.sh takes them out.
@@ 162 lines of all-families.lin/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/every-kind/a}
begin='# linerate begin every-kind' end='# linerate end every-kind'
@@ 93 lines of all-families.lin/apply.sh, from line 1 of: rest=0
has tc || end 2 "tc is not installed; nothing was changed"
[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"

# What this machine calls the plan's ports. To say it yourself: if_cx3p1=NAME sh apply.sh
if_cx3p1=${if_cx3p1:-}
if_cx5p1=${if_cx5p1:-enp1s0f0np0}
if_cx5p2=${if_cx5p2:-enp1s0f1np1}
if_cx6p1=${if_cx6p1:-}
port if_cx3p1 cx3p1 15b3:1007 2 1 1 mlx4_core
port if_cx5p1 enp1s0f0np0 15b3:1017 4 1 2 mlx5_core
port if_cx5p2 enp1s0f1np1 15b3:1017 4 2 2 mlx5_core
port if_cx6p1 cx6p1 15b3:1017 4 3 2 mlx5_core
[ -z "$lacking" ] || end 2 "nothing was changed"

# bond a.team
there team || { keep made team - -; try ip link add name team type bond mode 802.3ad miimon 100 xmit_hash_policy layer3+4; }
if [ "$(hash_of team)" != layer3+4 ]; then
	keep hash team - "$(hash_of team)"
	try ip link set dev team type bond xmit_hash_policy layer3+4
fi
if [ "$(master_of "$if_cx5p1")" != team ]; then
	keep mtu "$if_cx5p1" - "$(mtu_of "$if_cx5p1")"; keep link "$if_cx5p1" - "$(up_of "$if_cx5p1")"; keep master "$if_cx5p1" - "$(master_of "$if_cx5p1")"
	try ip link set dev "$if_cx5p1" down
	try ip link set dev "$if_cx5p1" master team
fi
try ip link set dev "$if_cx5p1" up
if [ "$(master_of "$if_cx5p2")" != team ]; then
	keep mtu "$if_cx5p2" - "$(mtu_of "$if_cx5p2")"; keep link "$if_cx5p2" - "$(up_of "$if_cx5p2")"; keep master "$if_cx5p2" - "$(master_of "$if_cx5p2")"
	try ip link set dev "$if_cx5p2" down
	try ip link set dev "$if_cx5p2" master team
fi
try ip link set dev "$if_cx5p2" up
try ip link set dev team up

# MTU of link a.cx3.1--b.cx3.1
keep mtu "$if_cx3p1" - "$(mtu_of "$if_cx3p1")"
try ip link set dev "$if_cx3p1" mtu 9000

# carries link a.cx3.1--b.cx3.1
keep link "$if_cx3p1" - "$(up_of "$if_cx3p1")"
try ip link set dev "$if_cx3p1" up

# settings of NIC a.cx3
keep_features "$if_cx3p1"
may "tso off on $if_cx3p1" ethtool -K "$if_cx3p1" tso off
keep_features "$if_cx3p1"
may "gro off on $if_cx3p1" ethtool -K "$if_cx3p1" gro off

# the fabric's classes, on link a.cx3.1--b.cx3.1
if ! has mlnx_qos; then
	rest=3; say "not set: traffic classes of $if_cx3p1: mlnx_qos (mlnx-tools) is not there"
else
	keep_pause "$if_cx3p1"
	[ "$(pause_of "$if_cx3p1")" = "off off" ] || may "no global pause on $if_cx3p1" ethtool -A "$if_cx3p1" rx off tx off
	keep_mlnx "$if_cx3p1"
	may "PFC of $if_cx3p1" mlnx_qos -i "$if_cx3p1" --pfc=0,0,0,1,0,0,0,0
	may "ETS of $if_cx3p1" mlnx_qos -i "$if_cx3p1" --prio_tc=0,0,0,3,0,0,6,0 --tsa=ets,strict,strict,ets,strict,strict,strict,strict --tcbw=40,0,0,60,0,0,0,0
fi
set_ecn "$if_cx3p1" 3
rdma=$(rdma_of "$if_cx3p1")
if [ -z "$rdma" ]; then
	rest=3; say "not set: marking of RoCE on $if_cx3p1: it has no RDMA device (module mlx4_ib)"
else
	number=$(rdma_port_of "$if_cx3p1")
	keep_cma "$rdma" "$number"
	may "RoCE v2 on $if_cx3p1" cma_roce_mode -d "$rdma" -p "$number" -m 2
	may "marking of RoCE on $if_cx3p1" cma_roce_tos -d "$rdma" -p "$number" -t 106
	set_class "$rdma" "$number" 106
fi

# address on link a.cx3.1--b.cx3.1
keep address "$if_cx3p1" 10.60.2.1/24 "$(address_of "$if_cx3p1" 10.60.2.1/24)"
try ip address replace 10.60.2.1/24 broadcast + dev "$if_cx3p1"

# MTU of link a.cx5.1--sw.1
keep mtu "$if_cx5p1" - "$(mtu_of "$if_cx5p1")"
try ip link set dev "$if_cx5p1" mtu 9000

# carries link a.cx5.1--sw.1
keep link "$if_cx5p1" - "$(up_of "$if_cx5p1")"
try ip link set dev "$if_cx5p1" up

# vfs of NIC a.cx5
old=$(vfs_of "$if_cx5p1")
case $old in
4) ;;
"") rest=3; say "not set: virtual functions of $if_cx5p1: its driver has none here (no sriov_numvfs)" ;;
0) keep vfs "$if_cx5p1" - 0; may "4 virtual functions of $if_cx5p1" set_vfs "$if_cx5p1" 4 ;;
*) rest=3; say "not set: virtual functions of $if_cx5p1: there are $old already, and changing that ends all of them" ;;
esac

# the fabric's classes, on link a.cx5.1--sw.1
@@ 24 lines of all-families.lin/apply.sh, from line 1 of: if ! dcb_works "$if_cx5p1"; then
# MTU of link a.cx5.2--sw.2
keep mtu "$if_cx5p2" - "$(mtu_of "$if_cx5p2")"
try ip link set dev "$if_cx5p2" mtu 9000

# carries link a.cx5.2--sw.2
keep link "$if_cx5p2" - "$(up_of "$if_cx5p2")"
try ip link set dev "$if_cx5p2" up

# vfs of NIC a.cx5
old=$(vfs_of "$if_cx5p2")
case $old in
4) ;;
"") rest=3; say "not set: virtual functions of $if_cx5p2: its driver has none here (no sriov_numvfs)" ;;
0) keep vfs "$if_cx5p2" - 0; may "4 virtual functions of $if_cx5p2" set_vfs "$if_cx5p2" 4 ;;
*) rest=3; say "not set: virtual functions of $if_cx5p2: there are $old already, and changing that ends all of them" ;;
esac

# the fabric's classes, on link a.cx5.2--sw.2
if ! dcb_works "$if_cx5p2"; then
	rest=3; say "not set: traffic classes of $if_cx5p2: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_cx5p2"
	[ "$(pause_of "$if_cx5p2")" = "off off" ] || may "no global pause on $if_cx5p2" ethtool -A "$if_cx5p2" rx off tx off
	keep_dcb "$if_cx5p2"
	may "DCBX of $if_cx5p2" dcb dcbx set dev "$if_cx5p2" host ieee
	[ "$(dcb_of app "$if_cx5p2" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_cx5p2" dcb app flush dev "$if_cx5p2" dscp-prio
	may "DSCP map of $if_cx5p2" dcb app replace dev "$if_cx5p2" dscp-prio 26:3 48:6
	may "PFC of $if_cx5p2" dcb pfc set dev "$if_cx5p2" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_cx5p2" dcb ets set dev "$if_cx5p2" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0
fi
set_ecn "$if_cx5p2" 3
rdma=$(rdma_of "$if_cx5p2")
if [ -z "$rdma" ]; then
	rest=3; say "not set: marking of RoCE on $if_cx5p2: it has no RDMA device (module mlx5_ib)"
else
	number=$(rdma_port_of "$if_cx5p2")
	keep_cma "$rdma" "$number"
	may "RoCE v2 on $if_cx5p2" cma_roce_mode -d "$rdma" -p "$number" -m 2
	may "marking of RoCE on $if_cx5p2" cma_roce_tos -d "$rdma" -p "$number" -t 106
	set_class "$rdma" "$number" 106
fi

# MTU of link a.cx6.1--b.cx6.1
keep mtu "$if_cx6p1" - "$(mtu_of "$if_cx6p1")"
try ip link set dev "$if_cx6p1" mtu 9000

# carries link a.cx6.1--b.cx6.1
keep link "$if_cx6p1" - "$(up_of "$if_cx6p1")"
try ip link set dev "$if_cx6p1" up

# the fabric's classes, on link a.cx6.1--b.cx6.1
if ! dcb_works "$if_cx6p1"; then
	rest=3; say "not set: traffic classes of $if_cx6p1: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_cx6p1"
	[ "$(pause_of "$if_cx6p1")" = "off off" ] || may "no global pause on $if_cx6p1" ethtool -A "$if_cx6p1" rx off tx off
	keep_dcb "$if_cx6p1"
	may "DCBX of $if_cx6p1" dcb dcbx set dev "$if_cx6p1" host ieee
	[ "$(dcb_of app "$if_cx6p1" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_cx6p1" dcb app flush dev "$if_cx6p1" dscp-prio
	may "DSCP map of $if_cx6p1" dcb app replace dev "$if_cx6p1" dscp-prio 26:3 48:6
	may "PFC of $if_cx6p1" dcb pfc set dev "$if_cx6p1" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_cx6p1" dcb ets set dev "$if_cx6p1" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0
fi
set_ecn "$if_cx6p1" 3
rdma=$(rdma_of "$if_cx6p1")
if [ -z "$rdma" ]; then
	rest=3; say "not set: marking of RoCE on $if_cx6p1: it has no RDMA device (module mlx5_ib)"
else
	number=$(rdma_port_of "$if_cx6p1")
	keep_cma "$rdma" "$number"
	may "RoCE v2 on $if_cx6p1" cma_roce_mode -d "$rdma" -p "$number" -m 2
	may "marking of RoCE on $if_cx6p1" cma_roce_tos -d "$rdma" -p "$number" -t 106
	set_class "$rdma" "$number" 106
fi

# address on link a.cx6.1--b.cx6.1
keep address "$if_cx6p1" fd00:60::1/64 "$(address_of "$if_cx6p1" fd00:60::1/64)"
try ip address replace fd00:60::1/64 dev "$if_cx6p1"

# MTU of link a.cx5.2--sw.2
keep mtu team - "$(mtu_of team)"
try ip link set dev team mtu 9000

# carries link a.cx5.2--sw.2
keep link team - "$(up_of team)"
try ip link set dev team up

# address on link a.cx5.2--sw.2
keep address team 10.60.1.1/24 "$(address_of team 10.60.1.1/24)"
try ip address replace 10.60.1.1/24 broadcast + dev team
@@ 9 lines of mesh-10g.homelab/apply.sh, from line 25 of: 
# for the whole machine, its other networks too: one stream at 200 Gb/s and 2 ms round trip
raise net.ipv4.tcp_rmem '4096 131072 134217728'
raise net.ipv4.tcp_wmem '4096 65536 134217728'

# a route
keep route "$if_cx3p1" 10.77.0.0/16 "$(route_of 10.77.0.0/16 "$if_cx3p1")"
try ip route replace 10.77.0.0/16 via 10.60.2.77 dev "$if_cx3p1"

# a route without a gateway
keep route "$if_cx3p1" 10.78.0.0/16 "$(route_of 10.78.0.0/16 "$if_cx3p1")"
try ip route replace 10.78.0.0/16 dev "$if_cx3p1" scope link

# a discipline
keep qdisc "$if_cx3p1" - "$(qdisc_of "$if_cx3p1")"
may "qdisc pfifo on $if_cx3p1" tc qdisc replace dev "$if_cx3p1" root pfifo limit 100

# a VLAN
there cx3p1.711 || { keep made cx3p1.711 - -; try ip link add link "$if_cx3p1" name cx3p1.711 type vlan id 711; }

# its address
keep address cx3p1.711 10.71.1.1/24 "$(address_of cx3p1.711 10.71.1.1/24)"
try ip address replace 10.71.1.1/24 broadcast + dev cx3p1.711

# its link
keep link cx3p1.711 - "$(up_of cx3p1.711)"
try ip link set dev cx3p1.711 up

# The names of the plan's addresses, between two marks in the hosts file. They outlive a reboot, until sh undo.sh takes them out.
hosts=${LINERATE_HOSTS:-/etc/hosts}
names() { cat <<'end of names'
# linerate begin every-kind
10.60.2.2 b-cx3-1
fd00:60::2 b-cx6-1
10.60.1.2 b b-team
# linerate end every-kind
@@ 19 lines of mesh-10g.homelab/apply.sh, from line 1 of: end of names
