#!/bin/sh
# bsd of the fabric all-families: verify
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
ifconfig mce0 inet | grep -qF 'inet 10.50.1.4 netmask 0xffffff00 ' || { echo "not as planned: mce0 has no address 10.50.1.4/24"; bad=1; }
is "status of mce0" active "$(ifconfig mce0 | sed -n 's/^[[:space:]]*status: //p')"
grep -qxF 'mlx5en_load="YES"' /boot/loader.conf || { echo "not as planned: /boot/loader.conf has no line "'mlx5en_load="YES"'; bad=1; }
grep -qxF 'ifconfig_mce0="inet 10.50.1.4/24 mtu 9000 media autoselect mediaopt full-duplex"' /etc/rc.conf || { echo "not as planned: /etc/rc.conf has no line "'ifconfig_mce0="inet 10.50.1.4/24 mtu 9000 media autoselect mediaopt full-duplex"'; bad=1; }
grep -qxF 'dev.mce.0.conf.qos.trust_state=2' /etc/sysctl.conf || { echo "not as planned: /etc/sysctl.conf has no line "'dev.mce.0.conf.qos.trust_state=2'; bad=1; }
grep -qxF 'dev.mce.0.conf.qos.dscp_24_31_prio=0,0,3,0,0,0,0,0' /etc/sysctl.conf || { echo "not as planned: /etc/sysctl.conf has no line "'dev.mce.0.conf.qos.dscp_24_31_prio=0,0,3,0,0,0,0,0'; bad=1; }
grep -qxF 'dev.mce.0.conf.qos.dscp_48_55_prio=6,0,0,0,0,0,0,0' /etc/sysctl.conf || { echo "not as planned: /etc/sysctl.conf has no line "'dev.mce.0.conf.qos.dscp_48_55_prio=6,0,0,0,0,0,0,0'; bad=1; }
grep -qxF 'dev.mce.0.conf.qos.prio_0_7_tc=0,0,0,3,0,0,6,0' /etc/sysctl.conf || { echo "not as planned: /etc/sysctl.conf has no line "'dev.mce.0.conf.qos.prio_0_7_tc=0,0,0,3,0,0,6,0'; bad=1; }
grep -qxF 'dev.mce.0.rx_priority_flow_control_3=1' /etc/sysctl.conf || { echo "not as planned: /etc/sysctl.conf has no line "'dev.mce.0.rx_priority_flow_control_3=1'; bad=1; }
grep -qxF 'dev.mce.0.tx_priority_flow_control_3=1' /etc/sysctl.conf || { echo "not as planned: /etc/sysctl.conf has no line "'dev.mce.0.tx_priority_flow_control_3=1'; bad=1; }
grep -qxF '10.50.1.2 lin lin-cx5-1' /etc/hosts || { echo "not as planned: /etc/hosts has no line "'10.50.1.2 lin lin-cx5-1'; bad=1; }
grep -qxF '10.50.1.3 pve pve-cx5-1' /etc/hosts || { echo "not as planned: /etc/hosts has no line "'10.50.1.3 pve pve-cx5-1'; bad=1; }
grep -qxF '10.50.1.5 nas nas-cx4-1' /etc/hosts || { echo "not as planned: /etc/hosts has no line "'10.50.1.5 nas nas-cx4-1'; bad=1; }
grep -qxF '10.50.1.1 win win-cx5-1' /etc/hosts || { echo "not as planned: /etc/hosts has no line "'10.50.1.1 win win-cx5-1'; bad=1; }
[ "$bad" = 0 ] || exit 1
[ "$unknown" = 0 ] || exit 3
echo "as planned"
