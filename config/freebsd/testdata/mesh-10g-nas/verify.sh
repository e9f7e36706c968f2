#!/bin/sh
bad=0
is() {
	[ "$2" = "$3" ] || { echo "wrong: $1 is '$3', planned '$2'"; bad=1; }
}
is "MTU of cxgb0" 1500 "$(ifconfig cxgb0 | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p')"
ifconfig cxgb0 inet | grep -qF 'inet 10.0.1.2 netmask 0xffffff00 ' || { echo "wrong: cxgb0 has no address 10.0.1.2/24"; bad=1; }
is "status of cxgb0" active "$(ifconfig cxgb0 | sed -n 's/^[[:space:]]*status: //p')"
is "MTU of cxgb1" 1500 "$(ifconfig cxgb1 | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p')"
ifconfig cxgb1 inet | grep -qF 'inet 10.0.3.1 netmask 0xffffff00 ' || { echo "wrong: cxgb1 has no address 10.0.3.1/24"; bad=1; }
is "status of cxgb1" active "$(ifconfig cxgb1 | sed -n 's/^[[:space:]]*status: //p')"
[ "$bad" = 0 ] && echo "as planned"
exit "$bad"
