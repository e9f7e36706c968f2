#!/bin/sh
# linerate: deb of the fabric roce-100g. Puts the files of files/ in place; sh install.sh --undo takes them away and puts back what was there.
@@ 103 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/roce-100g/deb}
begin='# linerate begin roce-100g' end='# linerate end roce-100g'
store=${LINERATE_STORE:-/var/lib/linerate/roce-100g/deb}
@@ 173 lines of mesh-10g.homelab/install.sh, from line 1 of: root=${LINERATE_ROOT:-}
# What this machine calls the plan's ports. To say it yourself: if_vf=NAME sh install.sh
if_vf=${if_vf:-}
port if_vf vf '' 0 0 0
[ -z "$lacking" ] || end 2 "nothing was changed"

# The names that the machine has, where the files have marks.
names "$if_vf"
fill() {
	sed \
		-e "s/@if_vf@/$if_vf/g" -e "s/@unit_if_vf@/$(unit "$if_vf")/g" \
@@ 8 lines of mesh-10g.homelab/install.sh, from line 1 of: 		"$1"
	put /etc/systemd/network/10-linerate-vf.network 644 /networkd
	;;
networkmanager)
	put /etc/NetworkManager/system-connections/linerate-vf.nmconnection 600 /networkmanager
@@ 13 lines of mesh-10g.homelab/install.sh, from line 3 of: 	;;
also "$if_vf"
say "installed; what was there before is in $store. The files count from the next boot on${now:+, or now with: $now}. sh install.sh --undo takes them away"
