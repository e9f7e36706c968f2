#!/bin/sh
# linerate: node of the fabric roce-100g. Puts the files of files/ in place; sh install.sh --undo takes them away and puts back what was there.
@@ 103 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/roce-100g/node}
begin='# linerate begin roce-100g' end='# linerate end roce-100g'
store=${LINERATE_STORE:-/var/lib/linerate/roce-100g/node}
@@ 173 lines of mesh-10g.homelab/install.sh, from line 1 of: root=${LINERATE_ROOT:-}
# What this machine calls the plan's ports. To say it yourself: if_sp350=NAME sh install.sh
if_sp350=${if_sp350:-}
port if_sp350 sp350 '' 0 0 0
[ -z "$lacking" ] || end 2 "nothing was changed"

# The names that the machine has, where the files have marks.
names "$if_sp350"
fill() {
	sed \
		-e "s/@if_sp350@/$if_sp350/g" -e "s/@unit_if_sp350@/$(unit "$if_sp350")/g" \
@@ 8 lines of mesh-10g.homelab/install.sh, from line 1 of: 		"$1"
	put /etc/systemd/network/10-linerate-sp350.network 644 /networkd
	;;
networkmanager)
	put /etc/NetworkManager/system-connections/linerate-sp350.nmconnection 600 /networkmanager
@@ 11 lines of mesh-10g.homelab/install.sh, from line 3 of: 	;;
put /etc/linerate/nic.sh 644
put /etc/systemd/system/linerate-nic.service 644
link /etc/systemd/system/multi-user.target.wants/linerate-nic.service ../linerate-nic.service
stale
[ -n "$root" ] || ! has systemctl || systemctl daemon-reload >/dev/null 2>&1 || :
also "$if_sp350"
say "installed; what was there before is in $store. The files count from the next boot on${now:+, or now with: $now}. sh install.sh --undo takes them away"
