#!/bin/sh
# linerate: homelab of the fabric mesh-10g. Reads back and changes nothing. Exit code 0: as planned, 1: not as planned, 2: nothing could be read, 3: something is missing or could not be read.
@@ 129 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
worst=0 all=0 bad=0

# is WHAT PLANNED READ: one line
is() {
	all=$((all + 1)) bad=$((bad + 1))
	if [ -z "$3" ]; then
		say "not known: $1 could not be read, planned $2"
		[ "$worst" = 1 ] || worst=3
	elif [ "$2" = "$3" ]; then
		say "ok $1 is $3"
		bad=$((bad - 1))
	else
		say "not as planned: $1 is $3, planned $2"
		worst=1
	fi
}

# least WHAT PLANNED READ: a limit, which may be larger
least() { if [ -n "$3" ] && [ "$(larger "$3" "$2")" = "$3" ]; then is "$1" "$3" "$3"; else is "$1" "$2" "$3"; fi; }

# What this machine calls the plan's ports. To say it yourself: if_t3p1=NAME sh verify.sh
if_t3p1=${if_t3p1:-}
if_t3p2=${if_t3p2:-}
port if_t3p1 t3p1 1425:0036 2 1 1 cxgb3
port if_t3p2 t3p2 1425:0036 2 2 1 cxgb3
[ -z "$lacking" ] || end 2 "nothing was read"

is "MTU of $if_t3p1" 1500 "$(mtu_of "$if_t3p1")"
is "link $if_t3p1" up "$(up_of "$if_t3p1")"
is "address 10.0.2.2/24 on $if_t3p1" present "$(address_of "$if_t3p1" 10.0.2.2/24)"
is "MTU of $if_t3p2" 1500 "$(mtu_of "$if_t3p2")"
is "link $if_t3p2" up "$(up_of "$if_t3p2")"
is "address 10.0.3.2/24 on $if_t3p2" present "$(address_of "$if_t3p2" 10.0.3.2/24)"
is 'sysctl net.ipv4.conf.all.arp_ignore' 1 "$(sysctl_of net.ipv4.conf.all.arp_ignore)"
is 'sysctl net.ipv4.conf.all.arp_announce' 2 "$(sysctl_of net.ipv4.conf.all.arp_announce)"
least 'sysctl net.ipv4.tcp_rmem' '4096 131072 8388608' "$(sysctl_of net.ipv4.tcp_rmem)"
least 'sysctl net.ipv4.tcp_wmem' '4096 65536 8388608' "$(sysctl_of net.ipv4.tcp_wmem)"
hosts=${LINERATE_HOSTS:-/etc/hosts}
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.0.2.1 desktop desktop-b' "$hosts" || r=present; else r=; fi; is 'name 10.0.2.1 desktop desktop-b' present "$r"
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.0.3.1 nas nas-t3-2' "$hosts" || r=present; else r=; fi; is 'name 10.0.3.1 nas nas-t3-2' present "$r"
# lacks, unknown TEXT: what no setting makes, and is not there, or cannot be read
lacks() { missed "missing: $1"; }
unknown() { missed "not known: $1"; }
missed() {
	say "$1"
	all=$((all + 1)) bad=$((bad + 1))
	[ "$worst" = 1 ] || worst=3
}

# carrier INTERFACE MBITS WHAT: whether a signal comes in at a link that is up, and how fast both ends go. 0: no speed is planned.
# A port that is made of software has a speed that says nothing of a cable.
carrier() {
	case $(ip -o link show dev "$1" 2>/dev/null) in
	*[\<,]NO-CARRIER[\>,]*) lacks "carrier of $1: it is up, and there is no signal on $3. Is the cable in at both ends, and is the port at its other end up?"; return ;;
	*[\<,]LOWER_UP[\>,]*) is "carrier of $1" there there ;;
	*[\<,]UP[\>,]*) unknown "carrier of $1, because ip does not say it" ;;
	*) return ;;
	esac
	[ "$2" != 0 ] || return
	bus=$(readlink "$sys/class/net/$1/device/subsystem") || bus=
	if [ ! -e "$sys/class/net/$1/device" ] || [ "${bus##*/}" = virtio ]; then
		say "ok: the speed of $1 is not asked, because it is not a port of a NIC"
		return
	fi
	speed=$(cat "$sys/class/net/$1/speed" 2>/dev/null) || speed=
	case $speed in
	""|*[!0-9]*) unknown "speed of $1, because its driver says none; planned $2 Mbit/s on $3" ;;
	*) if [ "$speed" -lt "$2" ]; then
		lacks "speed of $1: it is $speed Mbit/s, planned $2, on $3. What limits it: the cable or module, a port that is set to less, or a NIC of another kind; ethtool $1 shows what both ends offer"
	else is "speed of $1 (Mbit/s)" "$speed" "$speed"; fi ;;
	esac
}
carrier "$if_t3p1" 10000 'cable C2 to desktop.b'
carrier "$if_t3p2" 10000 'cable C3 to nas.t3.2'

case $worst in
0) say "in all: as planned, $all of $all" ;;
1) say "in all: NOT as planned: $bad of $all, which are above" ;;
*) say "in all: what could be read is as planned; $bad of $all are missing or not known, and are above" ;;
esac
exit "$worst"
