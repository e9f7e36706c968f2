#!/bin/sh
# linerate: target1 of the fabric eval-25g. Run at boot: what no network manager carries.
@@ 231 lines of eval-25g.target1/apply.sh, from line 1 of: set -u
# What this machine calls the plan's ports. To say it yourself: if_t1p1=NAME sh nic.sh
@@ 26 lines of eval-25g.target1/apply.sh, from line 1 of: if_t1p1=${if_t1p1:-}
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t1p1"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t1p2"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t2p1"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t2p2"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t3p1"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t3p2"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t4p1"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t4p2"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t5p1"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t5p2"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t6p1"; then
@@ 14 lines of eval-25g.target1/apply.sh, from line 1 of: if ! dcb_works "$if_t6p2"; then
exit "$rest"
