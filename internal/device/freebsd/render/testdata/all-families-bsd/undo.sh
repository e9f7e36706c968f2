#!/bin/sh
# bsd of the fabric all-families: undo
set -eu
cd "$(dirname "$0")"
# LINERATE_ROOT names another system's files, such as a mounted image: then only its files are written.
root=${LINERATE_ROOT:-}
state=$root/var/db/linerate/all-families.bsd
begin="# linerate begin all-families"
end="# linerate end all-families"
[ -n "$root" ] || [ "$(id -u)" = 0 ] || { echo "nothing was changed: run it as root" >&2; exit 1; }
# The block of this fabric in a configuration file stands between two marks. unblock FILE takes it out, block FILE LINES puts it at the end,
# whole FILE ends the script if one mark is there without the other: then nobody knows where the block ends.
whole() {
	[ -e "$1" ] || return 0
	awk -v b="$begin" -v e="$end" '$0 == b { if (i) x = 1; i = 1 } $0 == e { if (!i) x = 1; i = 0 } END { exit i || x }' "$1" ||
		{ echo "nothing was changed: $1 has one of the lines '$begin' and '$end' without the other; take it out by hand" >&2; exit 1; }
}
unblock() {
	[ -e "$1" ] && grep -qxF "$begin" "$1" || return 0
	awk -v b="$begin" -v e="$end" '$0 == b { skip = 1 } !skip { print } $0 == e { skip = 0 }' "$1" >"$1.linerate"
	cat "$1.linerate" >"$1"
	rm "$1.linerate"
}
block() {
	unblock "$1"
	[ ! -s "$1" ] || [ -z "$(tail -c 1 "$1")" ] || echo >>"$1"
	{ echo "$begin"; cat "$2"; echo "$end"; } >>"$1"
}
for f in /boot/loader.conf /etc/rc.conf /etc/sysctl.conf /etc/hosts; do whole "$root$f"; done
[ -d "$state" ] || { echo "there is nothing to take back: $state is not there" >&2; exit 1; }
[ -n "$root" ] || [ ! -s "$state/mce0.mtu" ] || ifconfig mce0 mtu "$(cat "$state/mce0.mtu")"
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.conf.qos.trust_state" ] || sysctl dev.mce.0.conf.qos.trust_state="$(cat "$state/dev.mce.0.conf.qos.trust_state")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.conf.qos.dscp_24_31_prio" ] || sysctl dev.mce.0.conf.qos.dscp_24_31_prio="$(cat "$state/dev.mce.0.conf.qos.dscp_24_31_prio")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.conf.qos.dscp_48_55_prio" ] || sysctl dev.mce.0.conf.qos.dscp_48_55_prio="$(cat "$state/dev.mce.0.conf.qos.dscp_48_55_prio")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.conf.qos.prio_0_7_tc" ] || sysctl dev.mce.0.conf.qos.prio_0_7_tc="$(cat "$state/dev.mce.0.conf.qos.prio_0_7_tc")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.rx_priority_flow_control_3" ] || sysctl dev.mce.0.rx_priority_flow_control_3="$(cat "$state/dev.mce.0.rx_priority_flow_control_3")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.tx_priority_flow_control_3" ] || sysctl dev.mce.0.tx_priority_flow_control_3="$(cat "$state/dev.mce.0.tx_priority_flow_control_3")" >/dev/null
# the media options of mce0 stay: the old ones are those of its old line in rc.conf, from the next reboot on
[ -n "$root" ] || [ "$(cat "$state/mce0.had")" != 0 ] || ifconfig mce0 inet 10.50.1.4 -alias
unblock "$root/boot/loader.conf"
unblock "$root/etc/rc.conf"
unblock "$root/etc/sysctl.conf"
unblock "$root/etc/hosts"
rm -r "$state"
echo "taken back; the drivers stay loaded until the next reboot"
