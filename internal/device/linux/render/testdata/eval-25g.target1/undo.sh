#!/bin/sh
# linerate: target1 of the fabric eval-25g. Undoes what apply.sh did since the last reboot, in reverse, and the plan's names out of the hosts file, whenever they came in.
@@ 144 lines of eval-25g.target1/apply.sh, from line 1 of: set -u
store=${LINERATE_STORE:-/var/lib/linerate/eval-25g/target1}
@@ 112 lines of mesh-10g.homelab/undo.sh, from line 1 of: tab=$(printf '\t') nl='
