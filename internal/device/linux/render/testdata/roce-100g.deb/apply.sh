#!/bin/sh
# linerate: deb of the fabric roce-100g. Takes effect now, until the next reboot.
@@ 127 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/roce-100g/deb}
@@ 53 lines of roce-100g.node/apply.sh, from line 1 of: begin='# linerate begin roce-100g' end='# linerate end roce-100g'
has ip || end 2 "ip is not installed; nothing was changed"
has awk || end 2 "awk is not installed; nothing was changed"
has sysctl || end 2 "sysctl is not installed; nothing was changed"
[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"

# What this machine calls the plan's ports. To say it yourself: if_vf=NAME sh apply.sh
if_vf=${if_vf:-}
port if_vf vf '' 0 0 0
[ -z "$lacking" ] || end 2 "nothing was changed"

# MTU of link nas.cx5.1--crs504.1
keep mtu "$if_vf" - "$(mtu_of "$if_vf")"
try ip link set dev "$if_vf" mtu 9000

# carries link nas.cx5.1--crs504.1
keep link "$if_vf" - "$(up_of "$if_vf")"
try ip link set dev "$if_vf" up

# address on link nas.cx5.1--crs504.1
keep address "$if_vf" 10.0.1.4/24 "$(address_of "$if_vf" 10.0.1.4/24)"
try ip address replace 10.0.1.4/24 broadcast + dev "$if_vf"
@@ 8 lines of roce-100g.node/apply.sh, from line 25 of: 
