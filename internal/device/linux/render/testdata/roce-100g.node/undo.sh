#!/bin/sh
# linerate: node of the fabric roce-100g. Undoes what apply.sh did since the last reboot, in reverse, and the plan's names out of the hosts file, whenever they came in.
@@ 144 lines of roce-100g.node/apply.sh, from line 1 of: set -u
store=${LINERATE_STORE:-/var/lib/linerate/roce-100g/node}
@@ 112 lines of mesh-10g.homelab/undo.sh, from line 1 of: tab=$(printf '\t') nl='
