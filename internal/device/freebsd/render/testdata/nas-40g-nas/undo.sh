#!/bin/sh
# nas of the fabric nas-40g: undo
set -eu
cd "$(dirname "$0")"
# LINERATE_ROOT names another system's files, such as a mounted image: then only its files are written.
root=${LINERATE_ROOT:-}
state=$root/var/db/linerate/nas-40g.nas
begin="# linerate begin nas-40g"
end="# linerate end nas-40g"
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
[ -n "$root" ] || [ ! -s "$state/mlxen0.mtu" ] || ifconfig mlxen0 mtu "$(cat "$state/mlxen0.mtu")"
[ -n "$root" ] || [ "$(cat "$state/mlxen0.had")" != 0 ] || ifconfig mlxen0 inet 10.20.0.1 -alias
unblock "$root/boot/loader.conf"
unblock "$root/etc/rc.conf"
rm -r "$state"
echo "taken back; the drivers stay loaded until the next reboot"
