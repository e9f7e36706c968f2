#!/bin/sh
# linerate: lin of the fabric all-families. Takes effect now, until the next reboot, but for the plan's names in /etc/hosts, which stay until undo.sh takes them out.
@@ 142 lines of roce-100g.node/apply.sh, from line 1 of: set -u
@@ 20 lines of pairs-ib.n1/undo.sh, from line 1 of: mlnx_pfc_of() { mlnx_qos -i "$1" 2>/dev/null | awk '$1 == "enabled" { $1 = ""; sub(/^ /, ""); print; exit }'; }
state=${LINERATE_STATE:-/run/linerate/all-families/lin}
begin='# linerate begin all-families' end='# linerate end all-families'
@@ 80 lines of roce-100g.node/apply.sh, from line 1 of: rest=0
keep_mlnx() {
	keep mlnx_pfc "$1" - "$(mlnx_pfc_of "$1" | tr ' ' ,)"
	keep mlnx_ets "$1" - "$(mlnx_ets_of "$1")"
}
keep_cma() {
	[ -z "$(cma_mode_of "$1" "$2")" ] || keep cma_mode "$1" "$2" "$(cma_mode_of "$1" "$2")"
	[ -z "$(cma_tos_of "$1" "$2")" ] || keep cma_tos "$1" "$2" "$(cma_tos_of "$1" "$2")"
}
@@ 7 lines of roce-100g.node/apply.sh, from line 19 of: 
# What this machine calls the plan's ports. To say it yourself: if_cx5p1=NAME sh apply.sh
if_cx5p1=${if_cx5p1:-}
port if_cx5p1 cx5p1 15b3:1017 2 1 1 mlx5_core
[ -z "$lacking" ] || end 2 "nothing was changed"

# MTU of link lin.cx5.1--onyx.19
keep mtu "$if_cx5p1" - "$(mtu_of "$if_cx5p1")"
try ip link set dev "$if_cx5p1" mtu 9000

# carries link lin.cx5.1--onyx.19
keep link "$if_cx5p1" - "$(up_of "$if_cx5p1")"
try ip link set dev "$if_cx5p1" up

# the fabric's classes, on link lin.cx5.1--onyx.19
if ! dcb_works "$if_cx5p1"; then
	rest=3; say "not set: traffic classes of $if_cx5p1: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_cx5p1"
	[ "$(pause_of "$if_cx5p1")" = "off off" ] || may "no global pause on $if_cx5p1" ethtool -A "$if_cx5p1" rx off tx off
	keep_dcb "$if_cx5p1"
	may "DCBX of $if_cx5p1" dcb dcbx set dev "$if_cx5p1" host ieee
	[ "$(dcb_of app "$if_cx5p1" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_cx5p1" dcb app flush dev "$if_cx5p1" dscp-prio
	may "DSCP map of $if_cx5p1" dcb app replace dev "$if_cx5p1" dscp-prio 26:3 48:6
	may "PFC of $if_cx5p1" dcb pfc set dev "$if_cx5p1" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_cx5p1" dcb ets set dev "$if_cx5p1" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0
fi
set_ecn "$if_cx5p1" 3
rdma=$(rdma_of "$if_cx5p1")
if [ -z "$rdma" ]; then
	rest=3; say "not set: marking of RoCE on $if_cx5p1: it has no RDMA device (module mlx5_ib)"
else
	number=$(rdma_port_of "$if_cx5p1")
	keep_cma "$rdma" "$number"
	may "RoCE v2 on $if_cx5p1" cma_roce_mode -d "$rdma" -p "$number" -m 2
	may "marking of RoCE on $if_cx5p1" cma_roce_tos -d "$rdma" -p "$number" -t 106
	set_class "$rdma" "$number" 106
fi

# address on link lin.cx5.1--onyx.19
keep address "$if_cx5p1" 10.50.1.2/24 "$(address_of "$if_cx5p1" 10.50.1.2/24)"
try ip address replace 10.50.1.2/24 broadcast + dev "$if_cx5p1"

# for the whole machine, its other networks too: one stream at 100 Gb/s and 2 ms round trip
raise net.ipv4.tcp_rmem '4096 131072 67108864'
raise net.ipv4.tcp_wmem '4096 65536 67108864'

# The names of the plan's addresses, between two marks in the hosts file. They outlive a reboot, until sh undo.sh takes them out.
hosts=${LINERATE_HOSTS:-/etc/hosts}
names() { cat <<'end of names'
# linerate begin all-families
10.50.1.3 pve pve-cx5-1
10.50.1.4 bsd bsd-cx5-1
10.50.1.5 nas nas-cx4-1
10.50.1.1 win win-cx5-1
# linerate end all-families
@@ 19 lines of mesh-10g.homelab/apply.sh, from line 1 of: end of names
