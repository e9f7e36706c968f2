#!/bin/sh
# linerate: deb of the fabric roce-100g. Undoes what apply.sh did since the last reboot, in reverse, and the plan's names out of the hosts file, whenever they came in.
@@ 129 lines of roce-100g.deb/apply.sh, from line 1 of: set -u
store=${LINERATE_STORE:-/var/lib/linerate/roce-100g/deb}
@@ 127 lines of mesh-10g.homelab/undo.sh, from line 10 of: 
