#!/bin/sh
# linerate: deb of the fabric roce-100g. Reads back and changes nothing. Exit code 0: as planned, 1: not as planned, 2: nothing could be read, 3: something is missing or could not be read.
@@ 129 lines of roce-100g.deb/apply.sh, from line 1 of: set -u
@@ 20 lines of mesh-10g.homelab/verify.sh, from line 1 of: worst=0 all=0 bad=0
# What this machine calls the plan's ports. To say it yourself: if_vf=NAME sh verify.sh
if_vf=${if_vf:-}
port if_vf vf '' 0 0 0
[ -z "$lacking" ] || end 2 "nothing was read"

is "MTU of $if_vf" 9000 "$(mtu_of "$if_vf")"
is "link $if_vf" up "$(up_of "$if_vf")"
is "address 10.0.1.4/24 on $if_vf" present "$(address_of "$if_vf" 10.0.1.4/24)"
@@ 34 lines of roce-100g.node/verify.sh, from line 1 of: least 'sysctl net.ipv4.tcp_rmem' '4096 131072 67108864' "$(sysctl_of net.ipv4.tcp_rmem)"
carrier "$if_vf" 100000 'link nas.cx5.1--crs504.1'
# needs WHAT FOUND HINT
needs() {
	all=$((all + 1))
	[ "$2" = there ] || bad=$((bad + 1))
	case $2 in
	there) say "ok $1 is there"; return ;;
	absent) say "missing: $1: $3" ;;
	*) say "not known: whether $1 is there" ;;
	esac
	[ "$worst" = 1 ] || worst=3
}
program_of() { if has "$1"; then echo there; else echo absent; fi; }
module_of() {
	if [ -d "/sys/module/$1" ]; then echo there
	elif has modinfo; then if modinfo "$1" >/dev/null 2>&1; then echo there; else echo absent; fi; fi
}
option_of() {
	if [ -r "/boot/config-$(uname -r)" ]; then
		if grep -q "^$1=[ym]" "/boot/config-$(uname -r)"; then echo there; else echo absent; fi
	elif [ -r /proc/config.gz ]; then
		if zcat /proc/config.gz | grep -q "^$1=[ym]"; then echo there; else echo absent; fi
	fi
}
needs "option CONFIG_CIFS_SMB_DIRECT" "$(option_of CONFIG_CIFS_SMB_DIRECT)" 'the kernels of Debian 12 (6.1) and Ubuntu 24.04 (6.8) are built without it: build one with it'
needs "module cifs" "$(module_of cifs)" 'NVIDIA'\''s own driver package takes it away: use the kernel'\''s driver'
needs "program mount.cifs" "$(program_of mount.cifs)" 'apt install cifs-utils'
@@ 7 lines of mesh-10g.homelab/verify.sh, from line 15 of: 
