#!/bin/sh
# linerate: lin of the fabric all-families. Puts the files of files/ in place; sh install.sh --undo takes them away and puts back what was there.
@@ 103 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/all-families/lin}
begin='# linerate begin all-families' end='# linerate end all-families'
store=${LINERATE_STORE:-/var/lib/linerate/all-families/lin}
@@ 173 lines of mesh-10g.homelab/install.sh, from line 1 of: root=${LINERATE_ROOT:-}
# What this machine calls the plan's ports. To say it yourself: if_cx5p1=NAME sh install.sh
if_cx5p1=${if_cx5p1:-}
port if_cx5p1 cx5p1 15b3:1017 2 1 1 mlx5_core
[ -z "$lacking" ] || end 2 "nothing was changed"

# The names that the machine has, where the files have marks.
names "$if_cx5p1"
fill() {
	sed \
		-e "s/@if_cx5p1@/$if_cx5p1/g" -e "s/@unit_if_cx5p1@/$(unit "$if_cx5p1")/g" \
@@ 8 lines of mesh-10g.homelab/install.sh, from line 1 of: 		"$1"
	put /etc/systemd/network/10-linerate-cx5p1.network 644 /networkd
	;;
networkmanager)
	put /etc/NetworkManager/system-connections/linerate-cx5p1.nmconnection 600 /networkmanager
@@ 16 lines of roce-100g.node/install.sh, from line 3 of: 	;;
also "$if_cx5p1"
say "installed; what was there before is in $store. The files count from the next boot on${now:+, or now with: $now}. sh install.sh --undo takes them away"
