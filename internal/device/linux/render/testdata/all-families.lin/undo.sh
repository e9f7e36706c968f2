#!/bin/sh
# linerate: lin of the fabric all-families. Undoes what apply.sh did since the last reboot, in reverse, and the plan's names out of the hosts file, whenever they came in.
@@ 164 lines of all-families.lin/apply.sh, from line 1 of: set -u
store=${LINERATE_STORE:-/var/lib/linerate/all-families/lin}
@@ 129 lines of pairs-ib.n1/undo.sh, from line 1 of: tab=$(printf '\t') nl='
