#!/bin/sh
# nas of the fabric nas-40g: undo
@@ 27 lines of nas-40g-nas/apply.sh, from line 1 of: set -eu
[ -d "$state" ] || { echo "there is nothing to undo: $state is not there" >&2; exit 1; }
[ -n "$root" ] || [ ! -s "$state/mlxen0.mtu" ] || ifconfig mlxen0 mtu "$(cat "$state/mlxen0.mtu")"
[ -n "$root" ] || [ "$(cat "$state/mlxen0.had")" != 0 ] || ifconfig mlxen0 inet 10.20.0.1 -alias
unblock "$root/boot/loader.conf"
unblock "$root/etc/rc.conf"
rm -r "$state"
echo "undone; the drivers stay loaded until the next reboot"
