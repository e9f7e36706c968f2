#!/bin/sh
# linerate: pve of the fabric all-families. Takes effect now, until the next reboot, but for the plan's names in /etc/hosts, which stay until undo.sh takes them out.
@@ 162 lines of all-families.lin/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/all-families/pve}
@@ 101 lines of all-families.lin/apply.sh, from line 1 of: begin='# linerate begin all-families' end='# linerate end all-families'
# MTU of link pve.cx5.1--cumulus.1
keep mtu "$if_cx5p1" - "$(mtu_of "$if_cx5p1")"
try ip link set dev "$if_cx5p1" mtu 9000

# carries link pve.cx5.1--cumulus.1
keep link "$if_cx5p1" - "$(up_of "$if_cx5p1")"
try ip link set dev "$if_cx5p1" up

# the fabric's classes, on link pve.cx5.1--cumulus.1
@@ 24 lines of all-families.lin/apply.sh, from line 1 of: if ! dcb_works "$if_cx5p1"; then
# address on link pve.cx5.1--cumulus.1
keep address "$if_cx5p1" 10.50.1.3/24 "$(address_of "$if_cx5p1" 10.50.1.3/24)"
try ip address replace 10.50.1.3/24 broadcast + dev "$if_cx5p1"
@@ 9 lines of all-families.lin/apply.sh, from line 25 of: 
10.50.1.2 lin lin-cx5-1
@@ 23 lines of all-families.lin/apply.sh, from line 1 of: 10.50.1.4 bsd bsd-cx5-1
