#!/bin/sh
# bsd of the fabric all-families: apply
set -eu
cd "$(dirname "$0")"
# LINERATE_ROOT names another system's files, such as a mounted image: then only its files are written.
root=${LINERATE_ROOT:-}
state=$root/var/db/linerate/all-families.bsd
begin="# linerate begin all-families"
end="# linerate end all-families"
[ -n "$root" ] || [ "$(id -u)" = 0 ] || { echo "nothing was changed: run it as root" >&2; exit 1; }
# The block of this fabric in a configuration file is between two marks. unblock FILE takes it out, block FILE LINES puts it at the end,
# whole FILE ends the script if one mark is there without the other: then the end of the block is unknown.
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
[ -n "$root" ] || kldload -n mlx5en
[ -n "$root" ] || ifconfig mce0 >/dev/null 2>&1 || { echo 'nothing was changed: there is no interface mce0 (port bsd.cx5.1); ifconfig -l lists them. Write the right name in place of mce0 in all files of this folder, or into all-families.yaml, at hosts: bsd: nics: cx5: ports: [..], and render again' >&2; exit 1; }
mkdir -p "$state"
# what is there now, for undo.sh; a second apply keeps what the first one found
[ -n "$root" ] || [ -e "$state/mce0.mtu" ] || { ifconfig mce0 | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p'; } >"$state/mce0.mtu"
[ -n "$root" ] || [ -e "$state/dev.mce.0.conf.qos.trust_state" ] || { sysctl -n dev.mce.0.conf.qos.trust_state; } >"$state/dev.mce.0.conf.qos.trust_state"
[ -n "$root" ] || [ -e "$state/dev.mce.0.conf.qos.dscp_24_31_prio" ] || { sysctl -n dev.mce.0.conf.qos.dscp_24_31_prio; } >"$state/dev.mce.0.conf.qos.dscp_24_31_prio"
[ -n "$root" ] || [ -e "$state/dev.mce.0.conf.qos.dscp_48_55_prio" ] || { sysctl -n dev.mce.0.conf.qos.dscp_48_55_prio; } >"$state/dev.mce.0.conf.qos.dscp_48_55_prio"
[ -n "$root" ] || [ -e "$state/dev.mce.0.conf.qos.prio_0_7_tc" ] || { sysctl -n dev.mce.0.conf.qos.prio_0_7_tc; } >"$state/dev.mce.0.conf.qos.prio_0_7_tc"
[ -n "$root" ] || [ -e "$state/dev.mce.0.rx_priority_flow_control_3" ] || { sysctl -n dev.mce.0.rx_priority_flow_control_3; } >"$state/dev.mce.0.rx_priority_flow_control_3"
[ -n "$root" ] || [ -e "$state/dev.mce.0.tx_priority_flow_control_3" ] || { sysctl -n dev.mce.0.tx_priority_flow_control_3; } >"$state/dev.mce.0.tx_priority_flow_control_3"
[ -n "$root" ] || [ -e "$state/mce0.had" ] || { ifconfig mce0 inet | grep -cF 'inet 10.50.1.4 ' || true; } >"$state/mce0.had"
# from here on things are changed
[ -n "$root" ] || ifconfig mce0 mtu 9000
[ -n "$root" ] || sysctl dev.mce.0.conf.qos.trust_state=2 >/dev/null
[ -n "$root" ] || sysctl dev.mce.0.conf.qos.dscp_24_31_prio=0,0,3,0,0,0,0,0 >/dev/null
[ -n "$root" ] || sysctl dev.mce.0.conf.qos.dscp_48_55_prio=6,0,0,0,0,0,0,0 >/dev/null
[ -n "$root" ] || sysctl dev.mce.0.conf.qos.prio_0_7_tc=0,0,0,3,0,0,6,0 >/dev/null
[ -n "$root" ] || sysctl dev.mce.0.rx_priority_flow_control_3=1 >/dev/null
[ -n "$root" ] || sysctl dev.mce.0.tx_priority_flow_control_3=1 >/dev/null
[ -n "$root" ] || ifconfig mce0 media autoselect mediaopt full-duplex
[ -n "$root" ] || ifconfig mce0 inet | grep -qF 'inet 10.50.1.4 ' || ifconfig mce0 inet 10.50.1.4/24 alias
[ -n "$root" ] || ifconfig mce0 up
block "$root/boot/loader.conf" files/loader.conf
block "$root/etc/rc.conf" files/rc.conf
block "$root/etc/sysctl.conf" files/sysctl.conf
block "$root/etc/hosts" files/hosts
echo "done; now sh verify.sh"
