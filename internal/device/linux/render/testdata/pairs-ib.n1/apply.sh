#!/bin/sh
# linerate: n1 of the fabric pairs-ib. Takes effect now, until the next reboot.
@@ 127 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/pairs-ib/n1}
begin='# linerate begin pairs-ib' end='# linerate end pairs-ib'
@@ 57 lines of mesh-10g.homelab/apply.sh, from line 1 of: rest=0
# What this machine calls the plan's ports. To say it yourself: if_connectxp1=NAME sh apply.sh
if_connectxp1=${if_connectxp1:-}
if_infinihostp1=${if_infinihostp1:-}
port if_connectxp1 connectxp1 '15b3:634a 15b3:6732' 2 1 1 mlx4_core
port if_infinihostp1 infinihostp1 15b3:6282 2 1 1 ib_mthca
[ -z "$lacking" ] || end 2 "nothing was changed"

# MTU of link n1.connectx.1--ibnew.1
keep mtu "$if_connectxp1" - "$(mtu_of "$if_connectxp1")"
try ip link set dev "$if_connectxp1" mtu 1500

# carries link n1.connectx.1--ibnew.1
keep link "$if_connectxp1" - "$(up_of "$if_connectxp1")"
try ip link set dev "$if_connectxp1" up

# address on link n1.connectx.1--ibnew.1
keep address "$if_connectxp1" 10.30.1.1/24 "$(address_of "$if_connectxp1" 10.30.1.1/24)"
try ip address replace 10.30.1.1/24 broadcast + dev "$if_connectxp1"

# MTU of link n1.infinihost.1--ibold.1
keep mtu "$if_infinihostp1" - "$(mtu_of "$if_infinihostp1")"
try ip link set dev "$if_infinihostp1" mtu 1500

# carries link n1.infinihost.1--ibold.1
keep link "$if_infinihostp1" - "$(up_of "$if_infinihostp1")"
try ip link set dev "$if_infinihostp1" up

# address on link n1.infinihost.1--ibold.1
keep address "$if_infinihostp1" 10.30.2.1/24 "$(address_of "$if_infinihostp1" 10.30.2.1/24)"
try ip address replace 10.30.2.1/24 broadcast + dev "$if_infinihostp1"
@@ 9 lines of mesh-10g.homelab/apply.sh, from line 25 of: 
# for the whole machine, its other networks too: one stream at 16.0 Gb/s and 2 ms round trip
raise net.ipv4.tcp_rmem '4096 131072 33554432'
raise net.ipv4.tcp_wmem '4096 65536 8388608'

if [ "$rest" = 0 ]; then say "all set; sh verify.sh reads it back, sh undo.sh undoes it"
else say "set, but for what is above; sh verify.sh reads it back, sh undo.sh undoes it"; fi
exit "$rest"
