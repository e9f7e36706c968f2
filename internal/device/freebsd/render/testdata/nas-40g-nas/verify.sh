#!/bin/sh
# nas of the fabric nas-40g: verify
bad=0 unknown=0
# is WHAT PLANNED ACTUAL
is() {
	if [ -z "$3" ]; then echo "not known: $1 could not be read"; unknown=1
	elif [ "$2" != "$3" ]; then echo "not as planned: $1 is $3, planned $2"; bad=1; fi
}
is "MTU of mlxen0" 9000 "$(ifconfig mlxen0 | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p')"
ifconfig mlxen0 inet | grep -qF 'inet 10.20.0.1 netmask 0xffffff00 ' || { echo "not as planned: mlxen0 has no address 10.20.0.1/24"; bad=1; }
is "status of mlxen0" active "$(ifconfig mlxen0 | sed -n 's/^[[:space:]]*status: //p')"
grep -qxF 'mlx4en_load="YES"' /boot/loader.conf || { echo "not as planned: /boot/loader.conf has no line "'mlx4en_load="YES"'; bad=1; }
grep -qxF 'ifconfig_mlxen0="inet 10.20.0.1/24 mtu 9000"' /etc/rc.conf || { echo "not as planned: /etc/rc.conf has no line "'ifconfig_mlxen0="inet 10.20.0.1/24 mtu 9000"'; bad=1; }
[ "$bad" = 0 ] || exit 1
[ "$unknown" = 0 ] || exit 3
echo "as planned"
