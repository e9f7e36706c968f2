#!/bin/sh
# nas of the fabric nas-40g: verify
bad=0
# is WHAT PLANNED ACTUAL
is() {
	[ "$2" = "$3" ] || { echo "wrong: $1 is '$3', planned '$2'"; bad=1; }
}
is "MTU of mlxen0" 9000 "$(ifconfig mlxen0 | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p')"
ifconfig mlxen0 inet | grep -qF 'inet 10.20.0.1 netmask 0xffffff00 ' || { echo "wrong: mlxen0 has no address 10.20.0.1/24"; bad=1; }
is "status of mlxen0" active "$(ifconfig mlxen0 | sed -n 's/^[[:space:]]*status: //p')"
grep -qxF 'mlx4en_load="YES"' /boot/loader.conf || { echo "wrong: /boot/loader.conf has no line "'mlx4en_load="YES"'; bad=1; }
grep -qxF 'ifconfig_mlxen0="inet 10.20.0.1/24 mtu 9000"' /etc/rc.conf || { echo "wrong: /etc/rc.conf has no line "'ifconfig_mlxen0="inet 10.20.0.1/24 mtu 9000"'; bad=1; }
[ "$bad" = 0 ] && echo "as planned"
exit "$bad"
