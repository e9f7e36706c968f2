#!/bin/sh
# linerate: node of the fabric roce-100g. Run at boot: what no network manager carries.
@@ 231 lines of roce-100g.node/apply.sh, from line 1 of: set -u
# What this machine calls the plan's ports. To say it yourself: if_sp350=NAME sh nic.sh
if_sp350=${if_sp350:-}
port if_sp350 sp350 '' 0 0 0
[ -z "$lacking" ] || end 2 "nothing was changed"

@@ 14 lines of roce-100g.node/apply.sh, from line 1 of: if ! dcb_works "$if_sp350"; then
exit "$rest"
