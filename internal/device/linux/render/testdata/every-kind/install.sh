#!/bin/sh
# linerate: a of the fabric every-kind. Puts the files of files/ in place; sh install.sh --undo takes them away and puts back what was there.
@@ 103 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/every-kind/a}
begin='# linerate begin every-kind' end='# linerate end every-kind'
store=${LINERATE_STORE:-/var/lib/linerate/every-kind/a}
@@ 173 lines of mesh-10g.homelab/install.sh, from line 1 of: root=${LINERATE_ROOT:-}
# What this machine calls the plan's ports. To say it yourself: if_cx3p1=NAME sh install.sh
@@ 10 lines of every-kind/apply.sh, from line 1 of: if_cx3p1=${if_cx3p1:-}
# The names that the machine has, where the files have marks.
names "$if_cx3p1"
names "$if_cx5p1"
names "$if_cx5p2"
names "$if_cx6p1"
fill() {
	sed \
		-e "s/@if_cx3p1@/$if_cx3p1/g" -e "s/@unit_if_cx3p1@/$(unit "$if_cx3p1")/g" \
		-e "s/@if_cx5p1@/$if_cx5p1/g" -e "s/@unit_if_cx5p1@/$(unit "$if_cx5p1")/g" \
		-e "s/@if_cx5p2@/$if_cx5p2/g" -e "s/@unit_if_cx5p2@/$(unit "$if_cx5p2")/g" \
		-e "s/@if_cx6p1@/$if_cx6p1/g" -e "s/@unit_if_cx6p1@/$(unit "$if_cx6p1")/g" \
@@ 8 lines of mesh-10g.homelab/install.sh, from line 1 of: 		"$1"
	put /etc/systemd/network/10-linerate-enp1s0f0np0.network 644 /networkd
	put /etc/systemd/network/10-linerate-enp1s0f1np1.network 644 /networkd
	put /etc/systemd/network/10-linerate-cx3p1.network 644 /networkd
	put /etc/systemd/network/10-linerate-cx6p1.network 644 /networkd
	put /etc/systemd/network/10-linerate-team.netdev 644 /networkd
	put /etc/systemd/network/10-linerate-team.network 644 /networkd
	put /etc/systemd/network/10-linerate-cx3p1.711.netdev 644 /networkd
	put /etc/systemd/network/10-linerate-cx3p1.711.network 644 /networkd
	;;
networkmanager)
	put /etc/NetworkManager/system-connections/linerate-enp1s0f0np0.nmconnection 600 /networkmanager
	put /etc/NetworkManager/system-connections/linerate-enp1s0f1np1.nmconnection 600 /networkmanager
	put /etc/NetworkManager/system-connections/linerate-cx3p1.nmconnection 600 /networkmanager
	put /etc/NetworkManager/system-connections/linerate-cx6p1.nmconnection 600 /networkmanager
	put /etc/NetworkManager/system-connections/linerate-team.nmconnection 600 /networkmanager
	put /etc/NetworkManager/system-connections/linerate-cx3p1.711.nmconnection 600 /networkmanager
@@ 11 lines of mesh-10g.homelab/install.sh, from line 3 of: 	;;
put /etc/modprobe.d/linerate-mlx4_en.conf 644
put /etc/linerate/nic.sh 644
put /etc/systemd/system/linerate-nic.service 644
link /etc/systemd/system/multi-user.target.wants/linerate-nic.service ../linerate-nic.service
stale
[ -n "$root" ] || ! has systemctl || systemctl daemon-reload >/dev/null 2>&1 || :
also "$if_cx3p1"
also "$if_cx5p1"
also "$if_cx5p2"
also "$if_cx6p1"
say "installed; what was there before is in $store. The files count from the next boot on${now:+, or now with: $now}. sh install.sh --undo takes them away"
