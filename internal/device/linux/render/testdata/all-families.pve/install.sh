#!/bin/sh
# linerate: pve of the fabric all-families. Puts the files of files/ in place; sh install.sh --undo takes them away and puts back what was there.
@@ 103 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/all-families/pve}
begin='# linerate begin all-families' end='# linerate end all-families'
store=${LINERATE_STORE:-/var/lib/linerate/all-families/pve}
@@ 169 lines of mesh-10g.homelab/install.sh, from line 1 of: root=${LINERATE_ROOT:-}
managers=ifupdown2 said='Proxmox VE comes with ifupdown2'
@@ 17 lines of all-families.lin/install.sh, from line 1 of: in_charge
ifupdown2)
	grep -Eq '^[[:space:]]*source(-directory)?[[:space:]]+(/etc/network/)?interfaces\.d' "$root/etc/network/interfaces" || end 2 "/etc/network/interfaces does not read interfaces.d: add the line 'source /etc/network/interfaces.d/*'; nothing was changed"
	put /etc/network/interfaces.d/linerate 644
@@ 10 lines of all-families.lin/install.sh, from line 5 of: 	;;
