#!/bin/sh
# linerate: pve of the fabric all-families. Run at boot: what no network manager carries.
@@ 259 lines of all-families.pve/apply.sh, from line 1 of: set -u
@@ 30 lines of all-families.lin/files/etc/linerate/nic.sh, from line 1 of: # What this machine calls the plan's ports. To say it yourself: if_cx5p1=NAME sh nic.sh
