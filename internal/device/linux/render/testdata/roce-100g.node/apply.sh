#!/bin/sh
# linerate: node of the fabric roce-100g. Takes effect now, until the next reboot.
@@ 127 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
@@ 15 lines of mesh-10g.homelab/undo.sh, from line 10 of: 
state=${LINERATE_STATE:-/run/linerate/roce-100g/node}
begin='# linerate begin roce-100g' end='# linerate end roce-100g'
@@ 52 lines of mesh-10g.homelab/apply.sh, from line 1 of: rest=0
keep_pause() {
	old=$(pause_of "$1")
	[ -z "$old" ] || keep pause "$1" - "$old"
}
keep_dcb() {
	keep dcbx "$1" - "$(dcbx_of "$1")"
	trust=$(apptrust_of "$1")
	[ -z "$trust" ] || keep apptrust "$1" - "$trust"
	keep dscp "$1" - "$(dcb_of app "$1" dscp-prio)"
	keep pfc "$1" - "$(dcb_of pfc "$1" prio-pfc)"
	keep ets "$1" - "willing $(dcb_of ets "$1" willing) prio-tc $(dcb_of ets "$1" prio-tc) tc-tsa $(dcb_of ets "$1" tc-tsa) tc-bw $(dcb_of ets "$1" tc-bw)"
}
# set_file WHAT FILE VALUE: a file of the driver's, if there is one
set_file() {
	if [ ! -e "$2" ]; then
		rest=3
		say "not set: $1: the driver has no $2"
		return
	fi
	[ "$(cat "$2")" = "$3" ] && return
	keep file "$2" - "$(cat "$2")"
	may "$1" write "$2" "$3"
}
write() { echo "$2" >"$1"; }
set_ecn() {
	for point in np rp; do set_file "ECN ($point) of priority $2 on $1" "$sys/class/net/$1/ecn/roce_$point/enable/$2" 1; done
}
set_class() { set_file "marking of RoCE on $1 without RDMA CM" "$sys/class/infiniband/$1/tc/$2/traffic_class" "$3"; }

has ip || end 2 "ip is not installed; nothing was changed"
has awk || end 2 "awk is not installed; nothing was changed"
has ethtool || end 2 "ethtool is not installed; nothing was changed"
has sysctl || end 2 "sysctl is not installed; nothing was changed"
[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"

# What this machine calls the plan's ports. To say it yourself: if_sp350=NAME sh apply.sh
if_sp350=${if_sp350:-}
port if_sp350 sp350 '' 0 0 0
[ -z "$lacking" ] || end 2 "nothing was changed"

# MTU of link node.sp350.1--crs504.3
keep mtu "$if_sp350" - "$(mtu_of "$if_sp350")"
try ip link set dev "$if_sp350" mtu 9000

# carries link node.sp350.1--crs504.3
keep link "$if_sp350" - "$(up_of "$if_sp350")"
try ip link set dev "$if_sp350" up

# the fabric's classes, on link node.sp350.1--crs504.3
if ! dcb_works "$if_sp350"; then
	rest=3; say "not set: traffic classes of $if_sp350: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_sp350"
	[ "$(pause_of "$if_sp350")" = "off off" ] || may "no global pause on $if_sp350" ethtool -A "$if_sp350" rx off tx off
	keep_dcb "$if_sp350"
	may "DCBX of $if_sp350" dcb dcbx set dev "$if_sp350" host ieee
	may "trust dscp on $if_sp350" dcb apptrust set dev "$if_sp350" order dscp pcp
	[ "$(dcb_of app "$if_sp350" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_sp350" dcb app flush dev "$if_sp350" dscp-prio
	may "DSCP map of $if_sp350" dcb app replace dev "$if_sp350" dscp-prio 26:3 48:6
	may "PFC of $if_sp350" dcb pfc set dev "$if_sp350" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_sp350" dcb ets set dev "$if_sp350" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0
fi

# address on link node.sp350.1--crs504.3
keep address "$if_sp350" 10.0.1.2/24 "$(address_of "$if_sp350" 10.0.1.2/24)"
try ip address replace 10.0.1.2/24 broadcast + dev "$if_sp350"

# for the whole machine, its other networks too: one stream at 100 Gb/s and 2 ms round trip
raise net.ipv4.tcp_rmem '4096 131072 67108864'
raise net.ipv4.tcp_wmem '4096 65536 67108864'

if [ "$rest" = 0 ]; then say "all set; sh verify.sh reads it back, sh undo.sh undoes it"
else say "set, but for what is above; sh verify.sh reads it back, sh undo.sh undoes it"; fi
exit "$rest"
