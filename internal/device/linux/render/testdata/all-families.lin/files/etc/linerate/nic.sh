#!/bin/sh
# linerate: lin of the fabric all-families. Run at boot: what no network manager carries.
@@ 259 lines of all-families.lin/apply.sh, from line 1 of: set -u
# What this machine calls the plan's ports. To say it yourself: if_cx5p1=NAME sh nic.sh
if_cx5p1=${if_cx5p1:-}
port if_cx5p1 cx5p1 15b3:1017 2 1 1 mlx5_core
[ -z "$lacking" ] || end 2 "nothing was changed"

@@ 24 lines of all-families.lin/apply.sh, from line 1 of: if ! dcb_works "$if_cx5p1"; then
exit "$rest"
