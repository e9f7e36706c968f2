#!/bin/sh
# linerate: target1 of the fabric eval-25g. Puts the files of files/ in place; sh install.sh --undo takes them away and puts back what was there.
@@ 103 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/eval-25g/target1}
begin='# linerate begin eval-25g' end='# linerate end eval-25g'
store=${LINERATE_STORE:-/var/lib/linerate/eval-25g/target1}
@@ 169 lines of mesh-10g.homelab/install.sh, from line 1 of: root=${LINERATE_ROOT:-}
managers=networkmanager said='Red Hat Enterprise Linux comes with NetworkManager'
in_charge
[ "$manager" != none ] || now=

# What this machine calls the plan's ports. To say it yourself: if_t1p1=NAME sh install.sh
@@ 26 lines of eval-25g.target1/apply.sh, from line 1 of: if_t1p1=${if_t1p1:-}
# The names that the machine has, where the files have marks.
names "$if_t1p1"
names "$if_t1p2"
names "$if_t2p1"
names "$if_t2p2"
names "$if_t3p1"
names "$if_t3p2"
names "$if_t4p1"
names "$if_t4p2"
names "$if_t5p1"
names "$if_t5p2"
names "$if_t6p1"
names "$if_t6p2"
fill() {
	sed \
		-e "s/@if_t1p1@/$if_t1p1/g" -e "s/@unit_if_t1p1@/$(unit "$if_t1p1")/g" \
		-e "s/@if_t1p2@/$if_t1p2/g" -e "s/@unit_if_t1p2@/$(unit "$if_t1p2")/g" \
		-e "s/@if_t2p1@/$if_t2p1/g" -e "s/@unit_if_t2p1@/$(unit "$if_t2p1")/g" \
		-e "s/@if_t2p2@/$if_t2p2/g" -e "s/@unit_if_t2p2@/$(unit "$if_t2p2")/g" \
		-e "s/@if_t3p1@/$if_t3p1/g" -e "s/@unit_if_t3p1@/$(unit "$if_t3p1")/g" \
		-e "s/@if_t3p2@/$if_t3p2/g" -e "s/@unit_if_t3p2@/$(unit "$if_t3p2")/g" \
		-e "s/@if_t4p1@/$if_t4p1/g" -e "s/@unit_if_t4p1@/$(unit "$if_t4p1")/g" \
		-e "s/@if_t4p2@/$if_t4p2/g" -e "s/@unit_if_t4p2@/$(unit "$if_t4p2")/g" \
		-e "s/@if_t5p1@/$if_t5p1/g" -e "s/@unit_if_t5p1@/$(unit "$if_t5p1")/g" \
		-e "s/@if_t5p2@/$if_t5p2/g" -e "s/@unit_if_t5p2@/$(unit "$if_t5p2")/g" \
		-e "s/@if_t6p1@/$if_t6p1/g" -e "s/@unit_if_t6p1@/$(unit "$if_t6p1")/g" \
		-e "s/@if_t6p2@/$if_t6p2/g" -e "s/@unit_if_t6p2@/$(unit "$if_t6p2")/g" \
		"$1"
}

case $manager in
networkmanager)
	put /etc/NetworkManager/system-connections/linerate-t1p1.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t1p2.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t2p1.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t2p2.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t3p1.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t3p2.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t4p1.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t4p2.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t5p1.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t5p2.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t6p1.nmconnection 600
	put /etc/NetworkManager/system-connections/linerate-t6p2.nmconnection 600
@@ 8 lines of roce-100g.node/install.sh, from line 5 of: 	;;
also "$if_t1p1"
also "$if_t1p2"
also "$if_t2p1"
also "$if_t2p2"
also "$if_t3p1"
also "$if_t3p2"
also "$if_t4p1"
also "$if_t4p2"
also "$if_t5p1"
also "$if_t5p2"
also "$if_t6p1"
also "$if_t6p2"
say "installed; what was there before is in $store. The files count from the next boot on${now:+, or now with: $now}. sh install.sh --undo takes them away"
