#!/bin/sh
bad=0 unknown=0
# is WHAT PLANNED ACTUAL
is() {
	if [ -z "$3" ]; then echo "not known: $1 could not be read"; unknown=1
	elif [ "$2" != "$3" ]; then echo "not as planned: $1 is $3, planned $2"; bad=1; fi
}
is "MTU of cxgb0" 1500 "$(ifconfig cxgb0 | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p')"
ifconfig cxgb0 inet | grep -qF 'inet 10.0.1.2 netmask 0xffffff00 ' || { echo "not as planned: cxgb0 has no address 10.0.1.2/24"; bad=1; }
is "status of cxgb0" active "$(ifconfig cxgb0 | sed -n 's/^[[:space:]]*status: //p')"
is "MTU of cxgb1" 1500 "$(ifconfig cxgb1 | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p')"
ifconfig cxgb1 inet | grep -qF 'inet 10.0.3.1 netmask 0xffffff00 ' || { echo "not as planned: cxgb1 has no address 10.0.3.1/24"; bad=1; }
is "status of cxgb1" active "$(ifconfig cxgb1 | sed -n 's/^[[:space:]]*status: //p')"
getent hosts desktop | awk -v a=10.0.1.1 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name desktop is not 10.0.1.1"; bad=1; }
getent hosts desktop-a | awk -v a=10.0.1.1 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name desktop-a is not 10.0.1.1"; bad=1; }
getent hosts homelab | awk -v a=10.0.3.2 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name homelab is not 10.0.3.2"; bad=1; }
getent hosts homelab-t3-2 | awk -v a=10.0.3.2 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name homelab-t3-2 is not 10.0.3.2"; bad=1; }
[ "$bad" = 0 ] || exit 1
[ "$unknown" = 0 ] || exit 3
echo "as planned"
