#!/bin/sh
# bsd of the fabric all-families: undo
@@ 27 lines of all-families-bsd/apply.sh, from line 1 of: set -eu
[ -d "$state" ] || { echo "there is nothing to undo: $state is not there" >&2; exit 1; }
[ -n "$root" ] || [ ! -s "$state/mce0.mtu" ] || ifconfig mce0 mtu "$(cat "$state/mce0.mtu")"
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.conf.qos.trust_state" ] || sysctl dev.mce.0.conf.qos.trust_state="$(cat "$state/dev.mce.0.conf.qos.trust_state")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.conf.qos.dscp_24_31_prio" ] || sysctl dev.mce.0.conf.qos.dscp_24_31_prio="$(cat "$state/dev.mce.0.conf.qos.dscp_24_31_prio")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.conf.qos.dscp_48_55_prio" ] || sysctl dev.mce.0.conf.qos.dscp_48_55_prio="$(cat "$state/dev.mce.0.conf.qos.dscp_48_55_prio")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.conf.qos.prio_0_7_tc" ] || sysctl dev.mce.0.conf.qos.prio_0_7_tc="$(cat "$state/dev.mce.0.conf.qos.prio_0_7_tc")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.rx_priority_flow_control_3" ] || sysctl dev.mce.0.rx_priority_flow_control_3="$(cat "$state/dev.mce.0.rx_priority_flow_control_3")" >/dev/null
[ -n "$root" ] || [ ! -s "$state/dev.mce.0.tx_priority_flow_control_3" ] || sysctl dev.mce.0.tx_priority_flow_control_3="$(cat "$state/dev.mce.0.tx_priority_flow_control_3")" >/dev/null
# the media options of mce0 stay: the old ones are those of its old line in rc.conf, from the next reboot on
[ -n "$root" ] || [ "$(cat "$state/mce0.had")" != 0 ] || ifconfig mce0 inet 10.50.1.4 -alias
unblock "$root/boot/loader.conf"
unblock "$root/etc/rc.conf"
unblock "$root/etc/sysctl.conf"
unblock "$root/etc/hosts"
rm -r "$state"
echo "undone; the drivers stay loaded until the next reboot"
