package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// script begins a script with the parts that all scripts of this family share.
func (c *context) script(name, does string) config.File {
	f := config.File{Name: name, Comment: "#", Exec: true}
	f.Form("#!/bin/sh")
	f.Note(fmt.Sprintf("linerate: %s of the fabric %s. %s", c.host.Name, c.plan.Name, does))
	f.Lines = append(f.Lines, preludeText...)
	if name != "install.sh" {
		f.Lines = append(f.Lines, readText...)
		if c.hasQoS() {
			c.qosReaders(&f)
		}
	}
	f.Form("state=${LINERATE_STATE:-"+c.q(c.stateDir())+"}",
		"begin='"+c.hostsMark("begin")+"' end='"+c.hostsMark("end")+"'")
	return f
}

// qosReaders adds the functions that read traffic classes.
func (c *context) qosReaders(f *config.File) {
	f.Form("")
	f.Lines = append(f.Lines, qosText...)
	if c.anyMellanox() {
		f.Lines = append(f.Lines, mlnxText...)
	}
}

// anyMellanox reports whether the host has a NIC for mlnx_qos and similar tools.
func (c *context) anyMellanox() bool {
	return slices.ContainsFunc(c.host.Ports, func(p *plan.Port) bool { return (&portName{port: p}).mellanox() })
}

func (c *context) hasQoS() bool {
	return slices.ContainsFunc(c.host.Settings, func(s plan.Setting) bool { return s.Kind == plan.SetQoS })
}

// formLines returns the lines of a text that every host has, made once.
func formLines(text string) []config.Line {
	var f config.File
	f.Form(strings.Split(strings.Trim(text, "\n"), "\n")...)
	return f.Lines
}

// preludeText is POSIX shell that also runs in dash and busybox. It survives the loss of its connection, which the
// change may cut.
var preludeText = formLines(`
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
`)

// readText are the functions that read settings, for apply.sh, verify.sh and undo.sh.
var readText = formLines(`
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
`)
