#!/bin/sh
# nas of the fabric nas-40g: apply
set -eu
cd "$(dirname "$0")"
# LINERATE_ROOT names another system's files, such as a mounted image: then only its files are written.
root=${LINERATE_ROOT:-}
state=$root/var/db/linerate/nas-40g.nas
begin="# linerate begin nas-40g"
end="# linerate end nas-40g"
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
[ -n "$root" ] || kldload -n mlx4en
[ -n "$root" ] || ifconfig mlxen0 >/dev/null 2>&1 || { echo 'nothing was changed: there is no interface mlxen0 (port nas.cx3.1); ifconfig -l lists them. Write the right name in place of mlxen0 in all files of this folder, or into nas-40g.yaml, at hosts: nas: nics: cx3: ports: [..], and render again' >&2; exit 1; }
mkdir -p "$state"
# what is there now, for undo.sh; a second apply keeps what the first one found
[ -n "$root" ] || [ -e "$state/mlxen0.mtu" ] || { ifconfig mlxen0 | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p'; } >"$state/mlxen0.mtu"
[ -n "$root" ] || [ -e "$state/mlxen0.had" ] || { ifconfig mlxen0 inet | grep -cF 'inet 10.20.0.1 ' || true; } >"$state/mlxen0.had"
# from here on things are changed
[ -n "$root" ] || ifconfig mlxen0 mtu 9000
[ -n "$root" ] || ifconfig mlxen0 inet | grep -qF 'inet 10.20.0.1 ' || ifconfig mlxen0 inet 10.20.0.1/24 alias
[ -n "$root" ] || ifconfig mlxen0 up
block "$root/boot/loader.conf" files/loader.conf
block "$root/etc/rc.conf" files/rc.conf
echo "done; now sh verify.sh"
