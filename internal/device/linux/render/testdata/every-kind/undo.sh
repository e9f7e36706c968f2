#!/bin/sh
# linerate: a of the fabric every-kind. Undoes what apply.sh did since the last reboot, in reverse, and the plan's names out of the hosts file, whenever they came in.
@@ 164 lines of every-kind/apply.sh, from line 1 of: set -u
store=${LINERATE_STORE:-/var/lib/linerate/every-kind/a}
@@ 129 lines of pairs-ib.n1/undo.sh, from line 1 of: tab=$(printf '\t') nl='
