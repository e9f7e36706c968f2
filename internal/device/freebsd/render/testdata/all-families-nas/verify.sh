#!/bin/sh
bad=0 unknown=0
# is WHAT PLANNED ACTUAL
is() {
	if [ -z "$3" ]; then echo "not known: $1 could not be read"; unknown=1
	elif [ "$2" != "$3" ]; then echo "not as planned: $1 is $3, planned $2"; bad=1; fi
}
is "MTU of mce0" 9000 "$(ifconfig mce0 | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p')"
is dev.mce.0.conf.qos.trust_state 2 "$(sysctl -n dev.mce.0.conf.qos.trust_state)"
is dev.mce.0.conf.qos.dscp_24_31_prio '0 0 3 0 0 0 0 0' "$(sysctl -n dev.mce.0.conf.qos.dscp_24_31_prio)"
is dev.mce.0.conf.qos.dscp_48_55_prio '6 0 0 0 0 0 0 0' "$(sysctl -n dev.mce.0.conf.qos.dscp_48_55_prio)"
is dev.mce.0.conf.qos.prio_0_7_tc '0 0 0 3 0 0 6 0' "$(sysctl -n dev.mce.0.conf.qos.prio_0_7_tc)"
is dev.mce.0.rx_priority_flow_control_0 0 "$(sysctl -n dev.mce.0.rx_priority_flow_control_0)"
is dev.mce.0.tx_priority_flow_control_0 0 "$(sysctl -n dev.mce.0.tx_priority_flow_control_0)"
is dev.mce.0.rx_priority_flow_control_1 0 "$(sysctl -n dev.mce.0.rx_priority_flow_control_1)"
is dev.mce.0.tx_priority_flow_control_1 0 "$(sysctl -n dev.mce.0.tx_priority_flow_control_1)"
is dev.mce.0.rx_priority_flow_control_2 0 "$(sysctl -n dev.mce.0.rx_priority_flow_control_2)"
is dev.mce.0.tx_priority_flow_control_2 0 "$(sysctl -n dev.mce.0.tx_priority_flow_control_2)"
is dev.mce.0.rx_priority_flow_control_3 1 "$(sysctl -n dev.mce.0.rx_priority_flow_control_3)"
is dev.mce.0.tx_priority_flow_control_3 1 "$(sysctl -n dev.mce.0.tx_priority_flow_control_3)"
is dev.mce.0.rx_priority_flow_control_4 0 "$(sysctl -n dev.mce.0.rx_priority_flow_control_4)"
is dev.mce.0.tx_priority_flow_control_4 0 "$(sysctl -n dev.mce.0.tx_priority_flow_control_4)"
is dev.mce.0.rx_priority_flow_control_5 0 "$(sysctl -n dev.mce.0.rx_priority_flow_control_5)"
is dev.mce.0.tx_priority_flow_control_5 0 "$(sysctl -n dev.mce.0.tx_priority_flow_control_5)"
is dev.mce.0.rx_priority_flow_control_6 0 "$(sysctl -n dev.mce.0.rx_priority_flow_control_6)"
is dev.mce.0.tx_priority_flow_control_6 0 "$(sysctl -n dev.mce.0.tx_priority_flow_control_6)"
is dev.mce.0.rx_priority_flow_control_7 0 "$(sysctl -n dev.mce.0.rx_priority_flow_control_7)"
is dev.mce.0.tx_priority_flow_control_7 0 "$(sysctl -n dev.mce.0.tx_priority_flow_control_7)"
! ifconfig mce0 | grep -E 'media:.*(rxpause|txpause)' || { echo "not as planned: pause of the whole link is on at mce0"; bad=1; }
ifconfig mce0 inet | grep -qF 'inet 10.50.1.5 netmask 0xffffff00 ' || { echo "not as planned: mce0 has no address 10.50.1.5/24"; bad=1; }
is "status of mce0" active "$(ifconfig mce0 | sed -n 's/^[[:space:]]*status: //p')"
getent hosts lin | awk -v a=10.50.1.2 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name lin is not 10.50.1.2"; bad=1; }
getent hosts lin-cx5-1 | awk -v a=10.50.1.2 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name lin-cx5-1 is not 10.50.1.2"; bad=1; }
getent hosts pve | awk -v a=10.50.1.3 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name pve is not 10.50.1.3"; bad=1; }
getent hosts pve-cx5-1 | awk -v a=10.50.1.3 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name pve-cx5-1 is not 10.50.1.3"; bad=1; }
getent hosts bsd | awk -v a=10.50.1.4 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name bsd is not 10.50.1.4"; bad=1; }
getent hosts bsd-cx5-1 | awk -v a=10.50.1.4 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name bsd-cx5-1 is not 10.50.1.4"; bad=1; }
getent hosts win | awk -v a=10.50.1.1 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name win is not 10.50.1.1"; bad=1; }
getent hosts win-cx5-1 | awk -v a=10.50.1.1 '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name win-cx5-1 is not 10.50.1.1"; bad=1; }
[ "$bad" = 0 ] || exit 1
[ "$unknown" = 0 ] || exit 3
echo "as planned"
