#!/bin/sh
# linerate: homelab of the fabric mesh-10g. Takes effect now, until the next reboot, but for the plan's names in /etc/hosts, which stay until undo.sh takes them out.
set -u
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin
trap '' HUP PIPE
[ -e /proc/self/fd/1 ] || exec >/dev/null
[ -e /proc/self/fd/2 ] || exec 2>/dev/null
say() { printf '%s\n' "$*" 2>/dev/null || :; }
end() { if [ "$1" = 0 ]; then say "$2"; else say "$2" >&2; fi; exit "$1"; }
sys=${LINERATE_SYS:-/sys}
lacking= told=

# has PROGRAM..: whether they are there
has() { for p in "$@"; do command -v "$p" >/dev/null 2>&1 || return 1; done; }

# there INTERFACE
there() { ip link show dev "$1" >/dev/null 2>&1; }

# own INTERFACE "PCI-ID ..": no other NIC's, as far as that can be seen
own() {
	{ [ -n "$2" ] && [ -r "$sys/class/net/$1/device/vendor" ]; } || return 0
	vendor=$(cat "$sys/class/net/$1/device/vendor") device=$(cat "$sys/class/net/$1/device/device")
	case " $2 " in *" ${vendor#0x}:${device#0x} "*) return 0 ;; esac
	return 1
}

# ports_of "PCI-ID ..": the interfaces of these NICs as PCI address, port, name; no virtual functions
ports_of() {
	for n in "$sys"/class/net/*; do
		{ [ -r "$n/device/vendor" ] && [ ! -e "$n/device/physfn" ]; } || continue
		vendor=$(cat "$n/device/vendor") device=$(cat "$n/device/device")
		case " $1 " in *" ${vendor#0x}:${device#0x} "*) ;; *) continue ;; esac
		bus=$(readlink "$n/device")
		number=$(cat "$n/dev_port" 2>/dev/null) || number=0
		printf '%s %s %s\n' "${bus##*/}" "$number" "${n##*/}"
	done | sort -k1,1 -k2,2n
}

# unclear NAME VARIABLE WHY: only you know which interface it is
unclear() { lacking=1; say "which interface is the plan's $1? $3. Say it before the command: $2=NAME sh ${0##*/}" >&2; }

# tell "PCI-ID .." LIST DRIVER: what is here of these NICs, and how to find out; once
tell() {
	case $told in *"<$1>"*) return ;; esac
	told="$told<$1>"
	if [ -n "$2" ]; then
		printf '%s\n' "$2" | while read -r bus number name; do say "  here: $name at $bus, port $number" >&2; done
		say "  To find out: plug in the cable of one port alone, its other end up; ip link set dev NAME up for each; ip -br link then says UP for the one with the cable." >&2
		return
	fi
	for id in $1; do say "  lspci -nnk -d $id shows whether the NIC is seen:" >&2; done
	say "  No line: plug it in again, or try another slot. Or it is another NIC: lspci -nn | grep -i net shows the numbers of those that are here." >&2
	say "  A line without 'Kernel driver in use': modprobe ${3:-DRIVER}; dmesg${3:+ | grep -i $3} says why it does not take the NIC." >&2
}

# alone NAME VARIABLE: no interface is two ports'
taken=
alone() {
	case $taken in *" $name "*) unclear "$1" "$2" "$name is another port of the plan already: say both" ;; esac
	taken="$taken $name "
}

# port VARIABLE NAME "PCI-ID .." PORTS WHICH NICS DRIVER: finds what this machine calls a port
port() {
	eval "name=\$$1"
	if [ -n "$name" ]; then
		if there "$name"; then alone "$2" "$1"; else unclear "$2" "$1" "There is no $name here"; fi
		return
	fi
	if there "$2" && own "$2" "$3"; then
		name=$2
		eval "$1=\$2"
		alone "$2" "$1"
		return
	fi
	if [ -z "$3" ]; then
		unclear "$2" "$1" "There is none of that name here, and the NIC's PCI id is not known"
		return
	fi
	list=$(ports_of "$3")
	count=$(printf '%s\n' "$list" | grep -c .)
	twice=$(printf '%s\n' "$list" | cut -d' ' -f1,2 | uniq -d)
	if [ "$count" = "$4" ] && [ "$6" = 1 ] && [ -z "$twice" ]; then
		name=$(printf '%s\n' "$list" | sed -n "$5p" | cut -d' ' -f3)
		if there "$name"; then
			eval "$1=\$name"
			say "the plan's $2 is $name here"
			alone "$2" "$1"
			return
		fi
	fi
	why="the plan has $4 of them"
	[ "$6" = 1 ] || why="the plan has $4 on $6 NICs, and nothing here says which NIC is which"
	[ -z "$twice" ] || why="their driver gives several of them one number, so nothing here says which is which"
	case $count in
	0) unclear "$2" "$1" "No interface here is of a NIC with the PCI id $3" ;;
	*) unclear "$2" "$1" "Ports of NICs with the PCI id $3 here: $count; $why" ;;
	esac
	tell "$3" "$list" "${7:-}"
}

# without_block FILE, only_block FILE: the hosts file without the lines between the marks, and those alone. Exit code 1 if one mark is missing.
without_block() { awk -v b="$begin" -v e="$end" '$0 == b { if (in_it) bad = 1; in_it = 1; next } $0 == e { if (!in_it) bad = 1; in_it = 0; next } !in_it { print } END { exit in_it || bad }' "$1"; }
only_block() { awk -v b="$begin" -v e="$end" '$0 == b { in_it = 1 } in_it { print } $0 == e { in_it = 0 }' "$1"; }
up_of() { case $(ip -o link show dev "$1" 2>/dev/null) in *[\<,]UP[\>,]*) echo up ;; *\>*) echo down ;; esac; }
mtu_of() { ip -o link show dev "$1" 2>/dev/null | sed -n 's/.* mtu \([0-9]*\) .*/\1/p'; }
master_of() { ip -o link show dev "$1" 2>/dev/null | sed -n 's/.* master \([^ ]*\) .*/\1/p'; }
address_of() { ip -o address show dev "$1" 2>/dev/null | grep -qF " $2 " && echo present || echo absent; }
sysctl_of() { sysctl -n "$1" 2>/dev/null | tr '\t' ' '; }
# larger HAVE PLANNED: of each number the larger one
larger() { awk -v a="$1" -v b="$2" 'BEGIN { n = split(b, p, " "); m = split(a, h, " "); for (i = 1; i <= n; i++) printf("%s%s", (i > 1 ? " " : ""), ((i <= m && h[i] + 0 > p[i] + 0) ? h[i] : p[i])) }'; }
# features_of INTERFACE: all offloads that can be changed, as they were asked for: one that hangs on another may be asked for and off.
# What ethtool shows as the sum of others is left out.
features_of() {
	ethtool -k "$1" 2>/dev/null | sed -n '/\[fixed\]/d; /^tx-checksumming:/d; /^scatter-gather:/d; /^tcp-segmentation-offload:/d
		s/^[[:space:]]*\([a-z0-9-]*\): .*\[requested \([onf]*\)\].*/\1 \2/p; t
		s/^[[:space:]]*\([a-z0-9-]*\): on \[not requested\].*/\1 off/p; t
		s/^[[:space:]]*\([a-z0-9-]*\): \([onf]*\).*/\1 \2/p'
}
feature_of() { ethtool -k "$1" 2>/dev/null | sed -n "s/^[[:space:]]*$2: \([onf]*\).*/\1/p"; }
route_of() { ip route show exact "$1" dev "$2" 2>/dev/null | tr '\n' ';'; }
qdisc_of() { tc qdisc show dev "$1" root 2>/dev/null | sed -n '1s/^qdisc //p'; }
vlan_of() { ip -d -o link show dev "$1" 2>/dev/null | sed -n 's/.* vlan protocol 802.1Q id \([0-9]*\) .*/\1/p'; }
bond_mode_of() { ip -d -o link show dev "$1" 2>/dev/null | sed -n 's/.* bond mode \([^ ]*\) .*/\1/p'; }
hash_of() { ip -d -o link show dev "$1" 2>/dev/null | sed -n 's/.* xmit_hash_policy \([^ ]*\) .*/\1/p'; }
primary_of() { ip -d -o link show dev "$1" 2>/dev/null | sed -n 's/.* primary \([^ ]*\) .*/\1/p'; }
vfs_of() { cat "$sys/class/net/$1/device/sriov_numvfs" 2>/dev/null; }
set_vfs() { echo "$2" >"$sys/class/net/$1/device/sriov_numvfs"; }
state=${LINERATE_STATE:-/run/linerate/mesh-10g/homelab}
begin='# linerate begin mesh-10g' end='# linerate end mesh-10g'
rest=0

# kept KIND OBJECT KEY: whether it is kept already
kept() {
	mark=$(printf '=%s\t%s\t%s\t.' "$1" "$2" "$3")
	mark=${mark%.}
	grep -qsF "$mark" "$state/before"
}

# keep KIND OBJECT KEY VALUE: what was there before; of several calls the first counts
keep() {
	kept "$1" "$2" "$3" && return
	{ { [ -d "$state" ] || (umask 077; mkdir -p "$state"); } && printf '%s%s\n' "$mark" "$4" >>"$state/before"; } || end 1 "cannot keep in $state what was before; stopped"
}

# try COMMAND..: what has to work, or the rest makes no sense
try() {
	"$@" || end 1 "failed: $*; stopped here. sh undo.sh undoes what was done"
}

# may WHAT COMMAND..: what a machine, a driver or a namespace may not have; it is said and the rest goes on
may() {
	what=$1
	shift
	said=$("$@" 2>&1) && return
	rest=3
	say "not set: $what: $(printf '%s' "$said" | tr '\n' ' ')"
	return 1
}

# keep_sysctl KEY
keep_sysctl() {
	old=$(sysctl_of "$1")
	[ -z "$old" ] || keep sysctl "$1" - "$old"
}

# raise KEY PLANNED: a limit, which is never lowered
raise() {
	old=$(sysctl_of "$1")
	new=$(larger "$old" "$2")
	[ "$old" = "$new" ] && return
	keep_sysctl "$1"
	may "sysctl $1" sysctl -q -w "$1=$new"
}

# keep_features INTERFACE: one change of an offload may change others, so all are kept
keep_features() {
	kept features "$1" - && return
	keep features "$1" - all
	features_of "$1" | while read -r name value; do printf '=feature\t%s\t%s\t%s\n' "$1" "$name" "$value"; done >>"$state/before" || end 1 "cannot keep in $state what was before; stopped"
}

has ip || end 2 "ip is not installed; nothing was changed"
has awk || end 2 "awk is not installed; nothing was changed"
has sysctl || end 2 "sysctl is not installed; nothing was changed"
[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"

# What this machine calls the plan's ports. To say it yourself: if_t3p1=NAME sh apply.sh
if_t3p1=${if_t3p1:-}
if_t3p2=${if_t3p2:-}
port if_t3p1 t3p1 1425:0036 2 1 1 cxgb3
port if_t3p2 t3p2 1425:0036 2 2 1 cxgb3
[ -z "$lacking" ] || end 2 "nothing was changed"

# MTU of link desktop.b.1--homelab.t3.1
keep mtu "$if_t3p1" - "$(mtu_of "$if_t3p1")"
try ip link set dev "$if_t3p1" mtu 1500

# carries link desktop.b.1--homelab.t3.1
keep link "$if_t3p1" - "$(up_of "$if_t3p1")"
try ip link set dev "$if_t3p1" up

# address on link desktop.b.1--homelab.t3.1
keep address "$if_t3p1" 10.0.2.2/24 "$(address_of "$if_t3p1" 10.0.2.2/24)"
try ip address replace 10.0.2.2/24 broadcast + dev "$if_t3p1"

# MTU of link nas.t3.2--homelab.t3.2
keep mtu "$if_t3p2" - "$(mtu_of "$if_t3p2")"
try ip link set dev "$if_t3p2" mtu 1500

# carries link nas.t3.2--homelab.t3.2
keep link "$if_t3p2" - "$(up_of "$if_t3p2")"
try ip link set dev "$if_t3p2" up

# address on link nas.t3.2--homelab.t3.2
keep address "$if_t3p2" 10.0.3.2/24 "$(address_of "$if_t3p2" 10.0.3.2/24)"
try ip address replace 10.0.3.2/24 broadcast + dev "$if_t3p2"

# for the whole machine, its other networks too: several links: answer only for the address of the interface asked
keep_sysctl net.ipv4.conf.all.arp_ignore
may 'sysctl net.ipv4.conf.all.arp_ignore' sysctl -q -w 'net.ipv4.conf.all.arp_ignore=1'

# for the whole machine, its other networks too: several links: announce only the interface's own address
keep_sysctl net.ipv4.conf.all.arp_announce
may 'sysctl net.ipv4.conf.all.arp_announce' sysctl -q -w 'net.ipv4.conf.all.arp_announce=2'

# for the whole machine, its other networks too: one stream at 10.0 Gb/s and 2 ms round trip
raise net.ipv4.tcp_rmem '4096 131072 33554432'
raise net.ipv4.tcp_wmem '4096 65536 8388608'

# The names of the plan's addresses, between two marks in the hosts file. They outlive a reboot, until sh undo.sh takes them out.
hosts=${LINERATE_HOSTS:-/etc/hosts}
names() { cat <<'end of names'
# linerate begin mesh-10g
10.0.2.1 desktop desktop-b
10.0.3.1 nas nas-t3-2
# linerate end mesh-10g
end of names
}
if [ "$(names)" != "$(only_block "$hosts" 2>/dev/null)" ]; then
	if without_block "$hosts" >/dev/null; then
		if ! kept hosts "$hosts" -; then
			keep hosts "$hosts" - changed
			try cp "$hosts" "$state/hosts"
		fi
		without_block "$hosts" >"$state/new" && names >>"$state/new" || end 1 "failed: the hosts file; stopped here. sh undo.sh undoes what was done"
		try cp "$state/new" "$hosts"
	else
		rest=3
		say "not set: names: $hosts has one of the marks of linerate without the other; take that line out"
	fi
fi

if [ "$rest" = 0 ]; then say "all set; sh verify.sh reads it back, sh undo.sh undoes it"
else say "set, but for what is above; sh verify.sh reads it back, sh undo.sh undoes it"; fi
exit "$rest"
