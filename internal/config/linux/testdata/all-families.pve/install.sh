#!/bin/sh
# linerate: pve of the fabric all-families. Puts the files of files/ in place; sh install.sh --undo takes them away and puts back what was there.
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

# own INTERFACE "PCI-ID ..": no other card's, as far as that can be seen
own() {
	{ [ -n "$2" ] && [ -r "$sys/class/net/$1/device/vendor" ]; } || return 0
	vendor=$(cat "$sys/class/net/$1/device/vendor") device=$(cat "$sys/class/net/$1/device/device")
	case " $2 " in *" ${vendor#0x}:${device#0x} "*) return 0 ;; esac
	return 1
}

# ports_of "PCI-ID ..": the interfaces of these cards as PCI address, port, name; no virtual functions
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

# unclear NAME VARIABLE WHY: which interface it is only a person knows
unclear() { lacking=1; say "which interface is the plan's $1? $3. Say it before the command: $2=NAME sh ${0##*/}" >&2; }

# tell "PCI-ID .." LIST DRIVER: what is here of these cards, and how a person finds out; once
tell() {
	case $told in *"<$1>"*) return ;; esac
	told="$told<$1>"
	if [ -n "$2" ]; then
		printf '%s\n' "$2" | while read -r bus number name; do say "  here: $name at $bus, port $number" >&2; done
		say "  To find out: plug in the cable of one port alone, its other end up; ip link set dev NAME up for each; ip -br link then says UP for the one with the cable." >&2
		return
	fi
	for id in $1; do say "  lspci -nnk -d $id shows whether the card is seen:" >&2; done
	say "  No line: seat it again, or try another slot. Or it is another card: lspci -nn | grep -i net shows the numbers of those that are here." >&2
	say "  A line without 'Kernel driver in use': modprobe ${3:-DRIVER}; dmesg${3:+ | grep -i $3} says why it does not take the card." >&2
}

# alone NAME VARIABLE: no interface is two ports'
taken=
alone() {
	case $taken in *" $name "*) unclear "$1" "$2" "$name is another port of the plan already: say both" ;; esac
	taken="$taken $name "
}

# port VARIABLE NAME "PCI-ID .." PORTS WHICH CARDS DRIVER: finds what this machine calls a port
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
		unclear "$2" "$1" "There is none of that name here, and the card's PCI id is not known"
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
	[ "$6" = 1 ] || why="the plan has $4 on $6 cards, and nothing here says which card is which"
	[ -z "$twice" ] || why="their driver gives several of them one number, so nothing here says which is which"
	case $count in
	0) unclear "$2" "$1" "No interface here is of a card with the PCI id $3" ;;
	*) unclear "$2" "$1" "Ports of cards with the PCI id $3 here: $count; $why" ;;
	esac
	tell "$3" "$list" "${7:-}"
}

# without_block FILE, only_block FILE: the hosts file without the lines between the marks, and those alone. Exit code 1 if a mark lacks the other.
without_block() { awk -v b="$begin" -v e="$end" '$0 == b { if (in_it) bad = 1; in_it = 1; next } $0 == e { if (!in_it) bad = 1; in_it = 0; next } !in_it { print } END { exit in_it || bad }' "$1"; }
only_block() { awk -v b="$begin" -v e="$end" '$0 == b { in_it = 1 } in_it { print } $0 == e { in_it = 0 }' "$1"; }
state=${LINERATE_STATE:-/run/linerate/all-families/pve}
begin='# linerate begin all-families' end='# linerate end all-families'
store=${LINERATE_STORE:-/var/lib/linerate/all-families/pve}
root=${LINERATE_ROOT:-}
here=${0%/*}
[ "$here" != "$0" ] || here=.

# names NAME: a name that would be something else in one of the files is refused
names() {
	case $1 in *[!A-Za-z0-9_.:-]*) end 2 "the interface $1 has a character that not every file takes; nothing was changed" ;; esac
}
# unit NAME: as systemd writes it in names of units
unit() { printf '%s' "$1" | sed 's/-/\\\\x2d/g'; }

# before PATH: keeps what is there, the first time only
placed=' '
before() {
	placed="$placed$1 "
	(umask 077; mkdir -p "$store") || end 1 "cannot write $store; stopped"
	grep -qsxF "present $1" "$store/list" && return
	grep -qsxF "absent $1" "$store/list" && return
	if [ -e "$root$1" ] || [ -h "$root$1" ]; then
		mkdir -p "$store/before${1%/*}" && cp -pP "$root$1" "$store/before$1" && echo "present $1" >>"$store/list" || end 1 "cannot keep $1 in $store; stopped"
	else
		echo "absent $1" >>"$store/list" || end 1 "cannot write $store; stopped"
	fi
}

# put PATH MODE FOLDER
put() {
	[ -r "$here/files${3:-}$1" ] || end 1 "there is no $here/files${3:-}$1: copy the whole folder; stopped"
	before "$1"
	mkdir -p "$root${1%/*}" && fill "$here/files${3:-}$1" >"$root$1.new" && chmod "$2" "$root$1.new" && mv "$root$1.new" "$root$1" || end 1 "failed: $1; stopped here. sh install.sh --undo takes back what was done"
}

# link PATH TO
link() {
	before "$1"
	mkdir -p "$root${1%/*}" && ln -sf "$2" "$root$1" || end 1 "failed: $1; stopped here. sh install.sh --undo takes back what was done"
}

# gone WAS PATH: takes a file away again, or puts back what was there
gone() {
	if [ "$1" = present ]; then
		cp -pP "$store/before$2" "$root$2.new" && mv "$root$2.new" "$root$2" || end 1 "cannot put back $2; it is in $store/before$2"
	else
		rm -f "$root$2"
	fi
}

# stale: what an install before this one put in place, and this one does not have, goes: files of another plan or manager
stale() {
	[ -e "$store/list" ] || return 0
	: >"$store/list.new" || end 1 "cannot write $store; stopped"
	while read -r was path; do
		case $placed in *" $path "*) echo "$was $path" >>"$store/list.new"; continue ;; esac
		gone "$was" "$path"
		say "taken away: $path, of an install before this one"
	done <"$store/list"
	mv "$store/list.new" "$store/list"
}

# also NAME: whether another file speaks of the interface too
also() {
	for dir in netplan network systemd/network NetworkManager/system-connections sysconfig/network-scripts; do
		grep -rlwF -e "$1" "$root/etc/$dir" 2>/dev/null | grep -v linerate | while read -r file; do say "note: $1 stands in $file too; what both say may not agree"; done
	done
}

[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"
if [ "${1:-}" = --undo ]; then
	[ -e "$store/list" ] || end 0 "nothing to take away: $store is not there"
	while read -r was path; do gone "$was" "$path"; done <"$store/list"
	rm -rf "$store"
	rmdir "$root/etc/linerate" 2>/dev/null
	[ -n "$root" ] || ! has systemctl || systemctl daemon-reload >/dev/null 2>&1 || :
	names=
	[ -n "$root" ] || [ -z "$(only_block "${LINERATE_HOSTS:-/etc/hosts}" 2>/dev/null)" ] || names=", and the plan's names out of ${LINERATE_HOSTS:-/etc/hosts}, which else stay"
	end 0 "taken away; what was there before is back, and counts from the next boot on. Until then all that is set stays so: sh undo.sh takes back what apply.sh set since the last boot$names; what the files set at boot stays until a reboot"
fi

now=
# installed PROGRAM, enabled UNIT: whether it is there, and whether it is started at boot
installed() {
	if [ -z "$root" ]; then has "$1"; return; fi
	for d in usr/sbin usr/bin sbin bin; do [ ! -x "$root/$d/$1" ] || return 0; done
	return 1
}
enabled() {
	if [ -z "$root" ] && has systemctl; then systemctl is-enabled "$1" >/dev/null 2>&1; return; fi
	for f in "$root"/etc/systemd/system/*.wants/"$1.service" "$root"/etc/rc[2S].d/S??"$1" "$root"/etc/runlevels/*/"$1"; do
		{ [ ! -e "$f" ] && [ ! -h "$f" ]; } || return 0
	done
	return 1
}

# ready MANAGER: whether it would read its files at the next boot
ready() {
	case $1 in
	netplan)
		has='the program netplan is there' lacks='the program netplan is not there' next='install it (apt install netplan.io)' now='netplan try'
		installed netplan ;;
	networkd)
		has='systemd-networkd is started at boot' lacks='systemd-networkd is not started at boot' next='systemctl enable systemd-networkd' now='networkctl reload'
		enabled systemd-networkd ;;
	networkmanager)
		has='NetworkManager is started at boot' lacks='NetworkManager is not started at boot' next='systemctl enable NetworkManager' now='nmcli connection reload'
		enabled NetworkManager || enabled network-manager || enabled networkmanager ;;
	ifupdown|ifupdown2)
		tool=ifup now='ifup of each interface'
		[ "$1" = ifupdown ] || tool=ifreload now='ifreload -a'
		has="$tool is there, and networking is started at boot" lacks="$tool is not there" next="install it (apt install $1)"
		installed $tool || return
		lacks="$tool is there, but networking is not started at boot" next='systemctl enable networking'
		enabled networking ;;
	esac
}

# in_use MANAGER: whether it configures something of this machine already
in_use() {
	used=
	case $1 in
	netplan) set -- "$root"/etc/netplan/*.yaml "$root"/run/netplan/*.yaml "$root"/usr/lib/netplan/*.yaml ;;
	networkd) set -- "$root"/etc/systemd/network/*.network "$root"/run/systemd/network/*.network ;;
	networkmanager) return 0 ;;
	ifupdown*)
		for f in "$root"/etc/network/interfaces "$root"/etc/network/interfaces.d/*; do
			case $f in */linerate) continue ;; esac
			used=$(sed -n 's/^[[:space:]]*iface[[:space:]]\{1,\}\([^[:space:]]*\).*/\1/p' "$f" 2>/dev/null | grep -vx lo | head -n 1)
			[ -z "$used" ] || { used="${f#"$root"} has $used"; return 0; }
		done
		return 1 ;;
	esac
	for f in "$@"; do
		case ${f##*/} in *linerate*) continue ;; esac
		[ ! -e "$f" ] || { used="there is ${f#"$root"}"; return 0; }
	done
	return 1
}

# in_charge: sets manager, one of those in managers, or ends. said is why the fabric file's is the only one.
in_charge() {
	choice="MANAGER=NAME sh install.sh chooses one of $(printf %s "$managers" | tr ' ' ,), or none for what no network manager reads"
	if [ -n "${MANAGER:-}" ]; then
		case " $managers none " in *" $MANAGER "*) ;; *) end 2 "MANAGER=$MANAGER: there are no files for that here. $choice; nothing was changed" ;; esac
		manager=$MANAGER
		[ "$manager" = none ] || ready "$manager" || say "note: the files are for $manager, as you say, and $lacks here"
		return
	fi
	ones= busy= text=
	for m in netplan networkd networkmanager ifupdown ifupdown2; do
		case $m in networkd|networkmanager) case $busy in *netplan*) continue ;; esac ;; ifupdown) ! installed ifreload || continue ;; esac
		ready "$m" || continue
		ones="$ones $m"
		! in_use "$m" || busy="$busy $m"
		text="$text; $m: $has${used:+, $used}"
	done
	text=${text#; }
	if [ -n "$said" ]; then
		manager=$managers
		ready "$manager" || end 2 "the files are for $manager ($said), which would not read them here: $lacks. What is here: ${text:-no network manager that is known}. Either: $next. Or: settings: {network: NAME} of this host in the fabric file, and render again. MANAGER=$manager sh install.sh puts them in place all the same; nothing was changed"
		return
	fi
	set -- ${busy:-$ones}
	[ $# -gt 0 ] || end 2 "none of netplan, systemd-networkd, NetworkManager, ifupdown and ifupdown2 is started at boot on this machine, so nothing would read the files. $choice; nothing was changed"
	[ $# = 1 ] || end 2 "which program runs the network of this machine is not clear: $text. $choice; nothing was changed"
	manager=$1
	ready "$manager"
	in_use "$manager"
	say "the network of this machine is run by $manager ($has${used:+, $used}): only the files for it are put in place"
}

managers=ifupdown2 said='Proxmox VE comes with ifupdown2'
in_charge
[ "$manager" != none ] || now=

# What this machine calls the plan's ports. To say it yourself: if_cx5p1=NAME sh install.sh
if_cx5p1=${if_cx5p1:-}
port if_cx5p1 cx5p1 15b3:1017 2 1 1 mlx5_core
[ -z "$lacking" ] || end 2 "nothing was changed"

# The names that the machine has, where the files have marks.
names "$if_cx5p1"
fill() {
	sed \
		-e "s/@if_cx5p1@/$if_cx5p1/g" -e "s/@unit_if_cx5p1@/$(unit "$if_cx5p1")/g" \
		"$1"
}

case $manager in
ifupdown2)
	grep -Eq '^[[:space:]]*source(-directory)?[[:space:]]+(/etc/network/)?interfaces\.d' "$root/etc/network/interfaces" || end 2 "/etc/network/interfaces does not read interfaces.d: add the line 'source /etc/network/interfaces.d/*'; nothing was changed"
	put /etc/network/interfaces.d/linerate 644
	;;
esac
put /etc/sysctl.d/90-linerate.conf 644
put /etc/linerate/card.sh 644
put /etc/systemd/system/linerate-card.service 644
link /etc/systemd/system/multi-user.target.wants/linerate-card.service ../linerate-card.service
stale
[ -n "$root" ] || ! has systemctl || systemctl daemon-reload >/dev/null 2>&1 || :
also "$if_cx5p1"
say "installed; what was there before is in $store. The files count from the next boot on${now:+, or now with: $now}. sh install.sh --undo takes them away"
