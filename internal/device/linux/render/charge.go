package render

// chargeText finds out which program configures the network of the machine that receives the files. With LINERATE_ROOT
// that is not the running one, so services started at boot are read from the links of its init, else from systemctl.
//
// ready reports whether a manager would read its files at the next boot; in_use, whether it already configures
// something. A manager that the fabric file names only has to be ready. NetworkManager manages every remaining
// interface, so it is always in use. netplan passes its interfaces to networkd or NetworkManager, so these are ignored
// if netplan is in use.
var chargeText = formLines(`
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
`)
