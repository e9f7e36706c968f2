#!/bin/sh
# linerate: a of the fabric every-kind. Run at boot: what no network manager carries.
@@ 260 lines of every-kind/apply.sh, from line 1 of: set -u
# What this machine calls the plan's ports. To say it yourself: if_cx3p1=NAME sh nic.sh
@@ 10 lines of every-kind/apply.sh, from line 1 of: if_cx3p1=${if_cx3p1:-}
keep_features "$if_cx3p1"
may "tso off on $if_cx3p1" ethtool -K "$if_cx3p1" tso off

keep_features "$if_cx3p1"
may "gro off on $if_cx3p1" ethtool -K "$if_cx3p1" gro off

@@ 21 lines of every-kind/apply.sh, from line 1 of: if ! has mlnx_qos; then
@@ 8 lines of every-kind/apply.sh, from line 1 of: old=$(vfs_of "$if_cx5p1")
@@ 24 lines of all-families.lin/apply.sh, from line 1 of: if ! dcb_works "$if_cx5p1"; then
@@ 8 lines of every-kind/apply.sh, from line 1 of: old=$(vfs_of "$if_cx5p2")
@@ 24 lines of every-kind/apply.sh, from line 1 of: if ! dcb_works "$if_cx5p2"; then
@@ 24 lines of every-kind/apply.sh, from line 1 of: if ! dcb_works "$if_cx6p1"; then
keep qdisc "$if_cx3p1" - "$(qdisc_of "$if_cx3p1")"
may "qdisc pfifo on $if_cx3p1" tc qdisc replace dev "$if_cx3p1" root pfifo limit 100

exit "$rest"
