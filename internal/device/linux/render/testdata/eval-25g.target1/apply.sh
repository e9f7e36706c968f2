#!/bin/sh
# linerate: target1 of the fabric eval-25g. Takes effect now, until the next reboot.
@@ 142 lines of roce-100g.node/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/eval-25g/target1}
begin='# linerate begin eval-25g' end='# linerate end eval-25g'
@@ 87 lines of roce-100g.node/apply.sh, from line 1 of: rest=0
# What this machine calls the plan's ports. To say it yourself: if_t1p1=NAME sh apply.sh
if_t1p1=${if_t1p1:-}
if_t1p2=${if_t1p2:-}
if_t2p1=${if_t2p1:-}
if_t2p2=${if_t2p2:-}
if_t3p1=${if_t3p1:-}
if_t3p2=${if_t3p2:-}
if_t4p1=${if_t4p1:-}
if_t4p2=${if_t4p2:-}
if_t5p1=${if_t5p1:-}
if_t5p2=${if_t5p2:-}
if_t6p1=${if_t6p1:-}
if_t6p2=${if_t6p2:-}
port if_t1p1 t1p1 '' 0 0 0
port if_t1p2 t1p2 '' 0 0 0
port if_t2p1 t2p1 '' 0 0 0
port if_t2p2 t2p2 '' 0 0 0
port if_t3p1 t3p1 '' 0 0 0
port if_t3p2 t3p2 '' 0 0 0
port if_t4p1 t4p1 '' 0 0 0
port if_t4p2 t4p2 '' 0 0 0
port if_t5p1 t5p1 '' 0 0 0
port if_t5p2 t5p2 '' 0 0 0
port if_t6p1 t6p1 '' 0 0 0
port if_t6p2 t6p2 '' 0 0 0
[ -z "$lacking" ] || end 2 "nothing was changed"

# MTU of link target1.t1.1--sw.12
keep mtu "$if_t1p1" - "$(mtu_of "$if_t1p1")"
try ip link set dev "$if_t1p1" mtu 1500

# carries link target1.t1.1--sw.12
keep link "$if_t1p1" - "$(up_of "$if_t1p1")"
try ip link set dev "$if_t1p1" up

# the fabric's classes, on link target1.t1.1--sw.12
if ! dcb_works "$if_t1p1"; then
	rest=3; say "not set: traffic classes of $if_t1p1: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t1p1"
	[ "$(pause_of "$if_t1p1")" = "off off" ] || may "no global pause on $if_t1p1" ethtool -A "$if_t1p1" rx off tx off
	keep_dcb "$if_t1p1"
	may "DCBX of $if_t1p1" dcb dcbx set dev "$if_t1p1" host ieee
	may "trust dscp on $if_t1p1" dcb apptrust set dev "$if_t1p1" order dscp pcp
	[ "$(dcb_of app "$if_t1p1" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t1p1" dcb app flush dev "$if_t1p1" dscp-prio
	may "DSCP map of $if_t1p1" dcb app replace dev "$if_t1p1" dscp-prio 26:3 48:6
	may "PFC of $if_t1p1" dcb pfc set dev "$if_t1p1" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t1p1" dcb ets set dev "$if_t1p1" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t1.1--sw.12
keep address "$if_t1p1" 10.40.2.2/24 "$(address_of "$if_t1p1" 10.40.2.2/24)"
try ip address replace 10.40.2.2/24 broadcast + dev "$if_t1p1"

# MTU of link target1.t1.2--sw.13
keep mtu "$if_t1p2" - "$(mtu_of "$if_t1p2")"
try ip link set dev "$if_t1p2" mtu 1500

# carries link target1.t1.2--sw.13
keep link "$if_t1p2" - "$(up_of "$if_t1p2")"
try ip link set dev "$if_t1p2" up

# the fabric's classes, on link target1.t1.2--sw.13
if ! dcb_works "$if_t1p2"; then
	rest=3; say "not set: traffic classes of $if_t1p2: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t1p2"
	[ "$(pause_of "$if_t1p2")" = "off off" ] || may "no global pause on $if_t1p2" ethtool -A "$if_t1p2" rx off tx off
	keep_dcb "$if_t1p2"
	may "DCBX of $if_t1p2" dcb dcbx set dev "$if_t1p2" host ieee
	may "trust dscp on $if_t1p2" dcb apptrust set dev "$if_t1p2" order dscp pcp
	[ "$(dcb_of app "$if_t1p2" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t1p2" dcb app flush dev "$if_t1p2" dscp-prio
	may "DSCP map of $if_t1p2" dcb app replace dev "$if_t1p2" dscp-prio 26:3 48:6
	may "PFC of $if_t1p2" dcb pfc set dev "$if_t1p2" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t1p2" dcb ets set dev "$if_t1p2" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t1.2--sw.13
keep address "$if_t1p2" 10.40.2.3/24 "$(address_of "$if_t1p2" 10.40.2.3/24)"
try ip address replace 10.40.2.3/24 broadcast + dev "$if_t1p2"

# MTU of link target1.t2.1--sw.14
keep mtu "$if_t2p1" - "$(mtu_of "$if_t2p1")"
try ip link set dev "$if_t2p1" mtu 1500

# carries link target1.t2.1--sw.14
keep link "$if_t2p1" - "$(up_of "$if_t2p1")"
try ip link set dev "$if_t2p1" up

# the fabric's classes, on link target1.t2.1--sw.14
if ! dcb_works "$if_t2p1"; then
	rest=3; say "not set: traffic classes of $if_t2p1: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t2p1"
	[ "$(pause_of "$if_t2p1")" = "off off" ] || may "no global pause on $if_t2p1" ethtool -A "$if_t2p1" rx off tx off
	keep_dcb "$if_t2p1"
	may "DCBX of $if_t2p1" dcb dcbx set dev "$if_t2p1" host ieee
	may "trust dscp on $if_t2p1" dcb apptrust set dev "$if_t2p1" order dscp pcp
	[ "$(dcb_of app "$if_t2p1" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t2p1" dcb app flush dev "$if_t2p1" dscp-prio
	may "DSCP map of $if_t2p1" dcb app replace dev "$if_t2p1" dscp-prio 26:3 48:6
	may "PFC of $if_t2p1" dcb pfc set dev "$if_t2p1" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t2p1" dcb ets set dev "$if_t2p1" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t2.1--sw.14
keep address "$if_t2p1" 10.40.2.4/24 "$(address_of "$if_t2p1" 10.40.2.4/24)"
try ip address replace 10.40.2.4/24 broadcast + dev "$if_t2p1"

# MTU of link target1.t2.2--sw.15
keep mtu "$if_t2p2" - "$(mtu_of "$if_t2p2")"
try ip link set dev "$if_t2p2" mtu 1500

# carries link target1.t2.2--sw.15
keep link "$if_t2p2" - "$(up_of "$if_t2p2")"
try ip link set dev "$if_t2p2" up

# the fabric's classes, on link target1.t2.2--sw.15
if ! dcb_works "$if_t2p2"; then
	rest=3; say "not set: traffic classes of $if_t2p2: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t2p2"
	[ "$(pause_of "$if_t2p2")" = "off off" ] || may "no global pause on $if_t2p2" ethtool -A "$if_t2p2" rx off tx off
	keep_dcb "$if_t2p2"
	may "DCBX of $if_t2p2" dcb dcbx set dev "$if_t2p2" host ieee
	may "trust dscp on $if_t2p2" dcb apptrust set dev "$if_t2p2" order dscp pcp
	[ "$(dcb_of app "$if_t2p2" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t2p2" dcb app flush dev "$if_t2p2" dscp-prio
	may "DSCP map of $if_t2p2" dcb app replace dev "$if_t2p2" dscp-prio 26:3 48:6
	may "PFC of $if_t2p2" dcb pfc set dev "$if_t2p2" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t2p2" dcb ets set dev "$if_t2p2" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t2.2--sw.15
keep address "$if_t2p2" 10.40.2.5/24 "$(address_of "$if_t2p2" 10.40.2.5/24)"
try ip address replace 10.40.2.5/24 broadcast + dev "$if_t2p2"

# MTU of link target1.t3.1--sw.16
keep mtu "$if_t3p1" - "$(mtu_of "$if_t3p1")"
try ip link set dev "$if_t3p1" mtu 1500

# carries link target1.t3.1--sw.16
keep link "$if_t3p1" - "$(up_of "$if_t3p1")"
try ip link set dev "$if_t3p1" up

# the fabric's classes, on link target1.t3.1--sw.16
if ! dcb_works "$if_t3p1"; then
	rest=3; say "not set: traffic classes of $if_t3p1: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t3p1"
	[ "$(pause_of "$if_t3p1")" = "off off" ] || may "no global pause on $if_t3p1" ethtool -A "$if_t3p1" rx off tx off
	keep_dcb "$if_t3p1"
	may "DCBX of $if_t3p1" dcb dcbx set dev "$if_t3p1" host ieee
	may "trust dscp on $if_t3p1" dcb apptrust set dev "$if_t3p1" order dscp pcp
	[ "$(dcb_of app "$if_t3p1" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t3p1" dcb app flush dev "$if_t3p1" dscp-prio
	may "DSCP map of $if_t3p1" dcb app replace dev "$if_t3p1" dscp-prio 26:3 48:6
	may "PFC of $if_t3p1" dcb pfc set dev "$if_t3p1" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t3p1" dcb ets set dev "$if_t3p1" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t3.1--sw.16
keep address "$if_t3p1" 10.40.2.6/24 "$(address_of "$if_t3p1" 10.40.2.6/24)"
try ip address replace 10.40.2.6/24 broadcast + dev "$if_t3p1"

# MTU of link target1.t3.2--sw.17
keep mtu "$if_t3p2" - "$(mtu_of "$if_t3p2")"
try ip link set dev "$if_t3p2" mtu 1500

# carries link target1.t3.2--sw.17
keep link "$if_t3p2" - "$(up_of "$if_t3p2")"
try ip link set dev "$if_t3p2" up

# the fabric's classes, on link target1.t3.2--sw.17
if ! dcb_works "$if_t3p2"; then
	rest=3; say "not set: traffic classes of $if_t3p2: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t3p2"
	[ "$(pause_of "$if_t3p2")" = "off off" ] || may "no global pause on $if_t3p2" ethtool -A "$if_t3p2" rx off tx off
	keep_dcb "$if_t3p2"
	may "DCBX of $if_t3p2" dcb dcbx set dev "$if_t3p2" host ieee
	may "trust dscp on $if_t3p2" dcb apptrust set dev "$if_t3p2" order dscp pcp
	[ "$(dcb_of app "$if_t3p2" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t3p2" dcb app flush dev "$if_t3p2" dscp-prio
	may "DSCP map of $if_t3p2" dcb app replace dev "$if_t3p2" dscp-prio 26:3 48:6
	may "PFC of $if_t3p2" dcb pfc set dev "$if_t3p2" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t3p2" dcb ets set dev "$if_t3p2" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t3.2--sw.17
keep address "$if_t3p2" 10.40.2.7/24 "$(address_of "$if_t3p2" 10.40.2.7/24)"
try ip address replace 10.40.2.7/24 broadcast + dev "$if_t3p2"

# MTU of link target1.t4.1--sw.18
keep mtu "$if_t4p1" - "$(mtu_of "$if_t4p1")"
try ip link set dev "$if_t4p1" mtu 1500

# carries link target1.t4.1--sw.18
keep link "$if_t4p1" - "$(up_of "$if_t4p1")"
try ip link set dev "$if_t4p1" up

# the fabric's classes, on link target1.t4.1--sw.18
if ! dcb_works "$if_t4p1"; then
	rest=3; say "not set: traffic classes of $if_t4p1: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t4p1"
	[ "$(pause_of "$if_t4p1")" = "off off" ] || may "no global pause on $if_t4p1" ethtool -A "$if_t4p1" rx off tx off
	keep_dcb "$if_t4p1"
	may "DCBX of $if_t4p1" dcb dcbx set dev "$if_t4p1" host ieee
	may "trust dscp on $if_t4p1" dcb apptrust set dev "$if_t4p1" order dscp pcp
	[ "$(dcb_of app "$if_t4p1" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t4p1" dcb app flush dev "$if_t4p1" dscp-prio
	may "DSCP map of $if_t4p1" dcb app replace dev "$if_t4p1" dscp-prio 26:3 48:6
	may "PFC of $if_t4p1" dcb pfc set dev "$if_t4p1" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t4p1" dcb ets set dev "$if_t4p1" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t4.1--sw.18
keep address "$if_t4p1" 10.40.2.8/24 "$(address_of "$if_t4p1" 10.40.2.8/24)"
try ip address replace 10.40.2.8/24 broadcast + dev "$if_t4p1"

# MTU of link target1.t4.2--sw.19
keep mtu "$if_t4p2" - "$(mtu_of "$if_t4p2")"
try ip link set dev "$if_t4p2" mtu 1500

# carries link target1.t4.2--sw.19
keep link "$if_t4p2" - "$(up_of "$if_t4p2")"
try ip link set dev "$if_t4p2" up

# the fabric's classes, on link target1.t4.2--sw.19
if ! dcb_works "$if_t4p2"; then
	rest=3; say "not set: traffic classes of $if_t4p2: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t4p2"
	[ "$(pause_of "$if_t4p2")" = "off off" ] || may "no global pause on $if_t4p2" ethtool -A "$if_t4p2" rx off tx off
	keep_dcb "$if_t4p2"
	may "DCBX of $if_t4p2" dcb dcbx set dev "$if_t4p2" host ieee
	may "trust dscp on $if_t4p2" dcb apptrust set dev "$if_t4p2" order dscp pcp
	[ "$(dcb_of app "$if_t4p2" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t4p2" dcb app flush dev "$if_t4p2" dscp-prio
	may "DSCP map of $if_t4p2" dcb app replace dev "$if_t4p2" dscp-prio 26:3 48:6
	may "PFC of $if_t4p2" dcb pfc set dev "$if_t4p2" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t4p2" dcb ets set dev "$if_t4p2" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t4.2--sw.19
keep address "$if_t4p2" 10.40.2.9/24 "$(address_of "$if_t4p2" 10.40.2.9/24)"
try ip address replace 10.40.2.9/24 broadcast + dev "$if_t4p2"

# MTU of link target1.t5.1--sw.20
keep mtu "$if_t5p1" - "$(mtu_of "$if_t5p1")"
try ip link set dev "$if_t5p1" mtu 1500

# carries link target1.t5.1--sw.20
keep link "$if_t5p1" - "$(up_of "$if_t5p1")"
try ip link set dev "$if_t5p1" up

# the fabric's classes, on link target1.t5.1--sw.20
if ! dcb_works "$if_t5p1"; then
	rest=3; say "not set: traffic classes of $if_t5p1: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t5p1"
	[ "$(pause_of "$if_t5p1")" = "off off" ] || may "no global pause on $if_t5p1" ethtool -A "$if_t5p1" rx off tx off
	keep_dcb "$if_t5p1"
	may "DCBX of $if_t5p1" dcb dcbx set dev "$if_t5p1" host ieee
	may "trust dscp on $if_t5p1" dcb apptrust set dev "$if_t5p1" order dscp pcp
	[ "$(dcb_of app "$if_t5p1" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t5p1" dcb app flush dev "$if_t5p1" dscp-prio
	may "DSCP map of $if_t5p1" dcb app replace dev "$if_t5p1" dscp-prio 26:3 48:6
	may "PFC of $if_t5p1" dcb pfc set dev "$if_t5p1" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t5p1" dcb ets set dev "$if_t5p1" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t5.1--sw.20
keep address "$if_t5p1" 10.40.2.10/24 "$(address_of "$if_t5p1" 10.40.2.10/24)"
try ip address replace 10.40.2.10/24 broadcast + dev "$if_t5p1"

# MTU of link target1.t5.2--sw.21
keep mtu "$if_t5p2" - "$(mtu_of "$if_t5p2")"
try ip link set dev "$if_t5p2" mtu 1500

# carries link target1.t5.2--sw.21
keep link "$if_t5p2" - "$(up_of "$if_t5p2")"
try ip link set dev "$if_t5p2" up

# the fabric's classes, on link target1.t5.2--sw.21
if ! dcb_works "$if_t5p2"; then
	rest=3; say "not set: traffic classes of $if_t5p2: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t5p2"
	[ "$(pause_of "$if_t5p2")" = "off off" ] || may "no global pause on $if_t5p2" ethtool -A "$if_t5p2" rx off tx off
	keep_dcb "$if_t5p2"
	may "DCBX of $if_t5p2" dcb dcbx set dev "$if_t5p2" host ieee
	may "trust dscp on $if_t5p2" dcb apptrust set dev "$if_t5p2" order dscp pcp
	[ "$(dcb_of app "$if_t5p2" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t5p2" dcb app flush dev "$if_t5p2" dscp-prio
	may "DSCP map of $if_t5p2" dcb app replace dev "$if_t5p2" dscp-prio 26:3 48:6
	may "PFC of $if_t5p2" dcb pfc set dev "$if_t5p2" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t5p2" dcb ets set dev "$if_t5p2" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t5.2--sw.21
keep address "$if_t5p2" 10.40.2.11/24 "$(address_of "$if_t5p2" 10.40.2.11/24)"
try ip address replace 10.40.2.11/24 broadcast + dev "$if_t5p2"

# MTU of link target1.t6.1--sw.22
keep mtu "$if_t6p1" - "$(mtu_of "$if_t6p1")"
try ip link set dev "$if_t6p1" mtu 1500

# carries link target1.t6.1--sw.22
keep link "$if_t6p1" - "$(up_of "$if_t6p1")"
try ip link set dev "$if_t6p1" up

# the fabric's classes, on link target1.t6.1--sw.22
if ! dcb_works "$if_t6p1"; then
	rest=3; say "not set: traffic classes of $if_t6p1: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t6p1"
	[ "$(pause_of "$if_t6p1")" = "off off" ] || may "no global pause on $if_t6p1" ethtool -A "$if_t6p1" rx off tx off
	keep_dcb "$if_t6p1"
	may "DCBX of $if_t6p1" dcb dcbx set dev "$if_t6p1" host ieee
	may "trust dscp on $if_t6p1" dcb apptrust set dev "$if_t6p1" order dscp pcp
	[ "$(dcb_of app "$if_t6p1" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t6p1" dcb app flush dev "$if_t6p1" dscp-prio
	may "DSCP map of $if_t6p1" dcb app replace dev "$if_t6p1" dscp-prio 26:3 48:6
	may "PFC of $if_t6p1" dcb pfc set dev "$if_t6p1" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t6p1" dcb ets set dev "$if_t6p1" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t6.1--sw.22
keep address "$if_t6p1" 10.40.2.12/24 "$(address_of "$if_t6p1" 10.40.2.12/24)"
try ip address replace 10.40.2.12/24 broadcast + dev "$if_t6p1"

# MTU of link target1.t6.2--sw.23
keep mtu "$if_t6p2" - "$(mtu_of "$if_t6p2")"
try ip link set dev "$if_t6p2" mtu 1500

# carries link target1.t6.2--sw.23
keep link "$if_t6p2" - "$(up_of "$if_t6p2")"
try ip link set dev "$if_t6p2" up

# the fabric's classes, on link target1.t6.2--sw.23
if ! dcb_works "$if_t6p2"; then
	rest=3; say "not set: traffic classes of $if_t6p2: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_t6p2"
	[ "$(pause_of "$if_t6p2")" = "off off" ] || may "no global pause on $if_t6p2" ethtool -A "$if_t6p2" rx off tx off
	keep_dcb "$if_t6p2"
	may "DCBX of $if_t6p2" dcb dcbx set dev "$if_t6p2" host ieee
	may "trust dscp on $if_t6p2" dcb apptrust set dev "$if_t6p2" order dscp pcp
	[ "$(dcb_of app "$if_t6p2" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_t6p2" dcb app flush dev "$if_t6p2" dscp-prio
	may "DSCP map of $if_t6p2" dcb app replace dev "$if_t6p2" dscp-prio 26:3 48:6
	may "PFC of $if_t6p2" dcb pfc set dev "$if_t6p2" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_t6p2" dcb ets set dev "$if_t6p2" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
fi

# address on link target1.t6.2--sw.23
keep address "$if_t6p2" 10.40.2.13/24 "$(address_of "$if_t6p2" 10.40.2.13/24)"
try ip address replace 10.40.2.13/24 broadcast + dev "$if_t6p2"
@@ 13 lines of mesh-10g.homelab/apply.sh, from line 25 of: 
if [ "$rest" = 0 ]; then say "all set; sh verify.sh reads it back, sh undo.sh undoes it"
else say "set, but for what is above; sh verify.sh reads it back, sh undo.sh undoes it"; fi
exit "$rest"
