#!/bin/sh
# linerate: n1 of the fabric pairs-ib. Puts the files of files/ in place; sh install.sh --undo takes them away and puts back what was there.
@@ 103 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/pairs-ib/n1}
begin='# linerate begin pairs-ib' end='# linerate end pairs-ib'
store=${LINERATE_STORE:-/var/lib/linerate/pairs-ib/n1}
@@ 79 lines of mesh-10g.homelab/install.sh, from line 1 of: root=${LINERATE_ROOT:-}

# What this machine calls the plan's ports. To say it yourself: if_connectxp1=NAME sh install.sh
@@ 6 lines of pairs-ib.n1/apply.sh, from line 1 of: if_connectxp1=${if_connectxp1:-}
# The names that the machine has, where the files have marks.
names "$if_connectxp1"
names "$if_infinihostp1"
fill() {
	sed \
		-e "s/@if_connectxp1@/$if_connectxp1/g" -e "s/@unit_if_connectxp1@/$(unit "$if_connectxp1")/g" \
		-e "s/@if_infinihostp1@/$if_infinihostp1/g" -e "s/@unit_if_infinihostp1@/$(unit "$if_infinihostp1")/g" \
		"$1"
}

put /etc/sysctl.d/90-linerate.conf 644
stale
[ -n "$root" ] || ! has systemctl || systemctl daemon-reload >/dev/null 2>&1 || :
also "$if_connectxp1"
also "$if_infinihostp1"
say "installed; what was there before is in $store. The files count from the next boot on${now:+, or now with: $now}. sh install.sh --undo takes them away"
