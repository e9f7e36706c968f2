#!/bin/sh
# linerate: homelab of the fabric mesh-10g. Puts the files of files/ in place; sh install.sh --undo takes them away and puts back what was there.
@@ 103 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
state=${LINERATE_STATE:-/run/linerate/mesh-10g/homelab}
begin='# linerate begin mesh-10g' end='# linerate end mesh-10g'
store=${LINERATE_STORE:-/var/lib/linerate/mesh-10g/homelab}
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
	mkdir -p "$root${1%/*}" && fill "$here/files${3:-}$1" >"$root$1.new" && chmod "$2" "$root$1.new" && mv "$root$1.new" "$root$1" || end 1 "failed: $1; stopped here. sh install.sh --undo undoes what was done"
}

# link PATH TO
link() {
	before "$1"
	mkdir -p "$root${1%/*}" && ln -sf "$2" "$root$1" || end 1 "failed: $1; stopped here. sh install.sh --undo undoes what was done"
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
		grep -rlwF -e "$1" "$root/etc/$dir" 2>/dev/null | grep -v linerate | while read -r file; do say "note: $1 is in $file too; what both say may not agree"; done
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
	end 0 "taken away; what was there before is back, and counts from the next boot on. Until then all that is set stays so: sh undo.sh undoes what apply.sh set since the last boot$names; what the files set at boot stays until a reboot"
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

managers='netplan networkd networkmanager ifupdown ifupdown2' said=''
in_charge
[ "$manager" != none ] || now=

# What this machine calls the plan's ports. To say it yourself: if_t3p1=NAME sh install.sh
@@ 6 lines of mesh-10g.homelab/apply.sh, from line 1 of: if_t3p1=${if_t3p1:-}
# The names that the machine has, where the files have marks.
names "$if_t3p1"
names "$if_t3p2"
fill() {
	sed \
		-e "s/@if_t3p1@/$if_t3p1/g" -e "s/@unit_if_t3p1@/$(unit "$if_t3p1")/g" \
		-e "s/@if_t3p2@/$if_t3p2/g" -e "s/@unit_if_t3p2@/$(unit "$if_t3p2")/g" \
		"$1"
}

case $manager in
netplan)
	put /etc/netplan/90-linerate.yaml 600 /netplan
	;;
networkd)
	put /etc/systemd/network/10-linerate-t3p1.network 644 /networkd
	put /etc/systemd/network/10-linerate-t3p2.network 644 /networkd
	;;
networkmanager)
	put /etc/NetworkManager/system-connections/linerate-t3p1.nmconnection 600 /networkmanager
	put /etc/NetworkManager/system-connections/linerate-t3p2.nmconnection 600 /networkmanager
	;;
ifupdown)
	grep -Eq '^[[:space:]]*source(-directory)?[[:space:]]+(/etc/network/)?interfaces\.d' "$root/etc/network/interfaces" || end 2 "/etc/network/interfaces does not read interfaces.d: add the line 'source /etc/network/interfaces.d/*'; nothing was changed"
	put /etc/network/interfaces.d/linerate 644 /ifupdown
	;;
ifupdown2)
	grep -Eq '^[[:space:]]*source(-directory)?[[:space:]]+(/etc/network/)?interfaces\.d' "$root/etc/network/interfaces" || end 2 "/etc/network/interfaces does not read interfaces.d: add the line 'source /etc/network/interfaces.d/*'; nothing was changed"
	put /etc/network/interfaces.d/linerate 644 /ifupdown2
	;;
esac
put /etc/sysctl.d/90-linerate.conf 644
stale
[ -n "$root" ] || ! has systemctl || systemctl daemon-reload >/dev/null 2>&1 || :
also "$if_t3p1"
also "$if_t3p2"
say "installed; what was there before is in $store. The files count from the next boot on${now:+, or now with: $now}. sh install.sh --undo takes them away"
