#!/bin/sh
# linerate: homelab of the fabric mesh-10g. Undoes what apply.sh did since the last reboot, in reverse, and the plan's names out of the hosts file, whenever they came in.
@@ 129 lines of mesh-10g.homelab/apply.sh, from line 1 of: set -u
store=${LINERATE_STORE:-/var/lib/linerate/mesh-10g/homelab}

dcb_works() { has dcb && dcb pfc show dev "$1" >/dev/null 2>&1; }
dcb_of() { dcb -N "$1" show dev "$2" "$3" 2>/dev/null | sed -n "s/^$3 //p"; }
dcbx_of() { dcb dcbx show dev "$1" 2>/dev/null; }
apptrust_of() { dcb apptrust show dev "$1" 2>/dev/null | sed -n 's/^order: //p'; }
pause_of() { ethtool -a "$1" 2>/dev/null | awk '/^RX:/ { rx = $2 } /^TX:/ { tx = $2 } END { if (rx != "") print rx, tx }'; }
running() { if has pidof; then if pidof "$1" >/dev/null; then echo running; else echo absent; fi; fi; }
# trust_of: the driver's own file, else what is trusted, else, as mlnx_qos has it, DSCP where the map has any
trust_of() {
	if cat "$sys/class/net/$1/qos/trust" 2>/dev/null; then return; fi
	trust=$(apptrust_of "$1")
	if [ -n "$trust" ]; then echo "${trust%% *}"; return; fi
	dcb_works "$1" || return
	if [ -n "$(dcb_of app "$1" dscp-prio)" ]; then echo dscp; else echo pcp; fi
}
tab=$(printf '\t') nl='
'
hosts=${LINERATE_HOSTS:-/etc/hosts}
# --since-boot: exactly that, as an apply that went wrong needs it; names of before the last boot stay.
exact=
[ "${1:-}" != --since-boot ] || exact=1
if [ ! -e "$state/before" ] && { [ -n "$exact" ] || [ -z "$(only_block "$hosts" 2>/dev/null)" ]; }; then
	end 0 "nothing to undo: $state is not there, so apply.sh changed nothing since the last reboot"
fi
[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"

undo_route() {
	[ "$(route_of "$key" "$object")" = "$value" ] && return
	[ -z "$(route_of "$key" "$object")" ] || ip route del "$key" dev "$object" || return
	[ -z "$value" ] || printf '%s' "$value" | tr ';' '\n' | while read -r route; do
		[ -z "$route" ] || ip route replace $route dev "$object" || return
	done
}

# How ethtool ends shows whether an offload is in effect. What was asked for and off is to be so again, so that alone is looked at; one
# that hangs on another may need a second time.
undo_features() {
	for round in 1 2 look; do
		now=$(features_of "$object")
		grep -F "$(printf '=feature\t%s\t' "$object")" "$state/before" | while IFS=$tab read -r _ _ key value; do
			case "$nl$now$nl" in *"$nl$key $value$nl"*) continue ;; esac
			[ $round = look ] || { ethtool -K "$object" "$key" "$value" >/dev/null 2>&1; continue; }
			[ "$(feature_of "$object" "$key")" = "$value" ] || { say "$key of $object was $value and does not go back"; exit 1; }
		done || return
	done
}

undo_qdisc() {
	[ "$(qdisc_of "$object")" = "$value" ] && return
	set -- $value
	if [ $# = 0 ] || [ "$2" = 0: ]; then
		tc qdisc del dev "$object" root
		return
	fi
	kind_of=$1 handle=$2
	shift 2
	while [ $# -gt 0 ]; do
		case $1 in
		root) shift ;;
		refcnt) shift 2 ;;
		*) break ;;
		esac
	done
	tc qdisc del dev "$object" root && tc qdisc add dev "$object" root handle "$handle" "$kind_of" "$@"
}

# hosts_back: the file as it was if no one else has changed it; without the names, unless exactly that is asked for
hosts_back() {
	without_block "$hosts" >"$state/now" && without_block "$state/hosts" >"$state/then" || return
	if ! cmp -s "$state/now" "$state/then"; then
		say "$hosts was changed by somebody else since; only the plan's names are taken out"
		[ -z "$exact" ] || only_block "$state/hosts" >>"$state/now"
	elif [ -n "$exact" ] || [ -z "$(only_block "$state/hosts")" ]; then
		cat "$state/hosts" >"$state/now"
	fi
	cat "$state/now" >"$hosts"
}

# names_out: names that an apply before the last reboot wrote
names_out() {
	[ -z "$exact" ] && [ -n "$(only_block "$hosts" 2>/dev/null)" ] || return 0
	mkdir -p "$state" && without_block "$hosts" >"$state/now" && cat "$state/now" >"$hosts" && say "the plan's names are taken out of $hosts"
}
take_back() {
	case $kind in
	link) [ "$value" != down ] || ip link set dev "$object" down ;;
	mtu) [ "$(mtu_of "$object")" = "$value" ] || ip link set dev "$object" mtu "$value" ;;
	address) [ "$value" = present ] || [ "$(address_of "$object" "$key")" = absent ] || ip address del "$key" dev "$object" ;;
	route) undo_route ;;
	sysctl) [ "$(sysctl_of "$object")" = "$value" ] || sysctl -q -w "$object=$value" ;;
	feature) : ;;
	features) undo_features ;;
	qdisc) undo_qdisc ;;
	made) ! there "$object" || ip link del dev "$object" ;;
	master) if [ -n "$value" ]; then ip link set dev "$object" master "$value"; else ip link set dev "$object" nomaster; fi ;;
	primary) [ "$(primary_of "$object")" = "$value" ] || echo "$value" >"$sys/class/net/$object/bonding/primary" ;;
	hash) [ "$(hash_of "$object")" = "$value" ] || ip link set dev "$object" type bond xmit_hash_policy "$value" ;;
	vfs) [ "$(vfs_of "$object")" = "$value" ] || set_vfs "$object" "$value" ;;
	pause) [ "$(pause_of "$object")" = "$value" ] || ethtool -A "$object" rx "${value% *}" tx "${value#* }" ;;
	dcbx) [ "$(dcbx_of "$object")" = "$value" ] || dcb dcbx set dev "$object" $value ;;
	apptrust) [ "$(apptrust_of "$object")" = "$value" ] || dcb apptrust set dev "$object" order $value ;;
	dscp) [ "$(dcb_of app "$object" dscp-prio)" = "$value" ] || { dcb app flush dev "$object" dscp-prio && { [ -z "$value" ] || dcb app add dev "$object" dscp-prio $value; }; } ;;
	pfc) [ "$(dcb_of pfc "$object" prio-pfc)" = "$value" ] || dcb pfc set dev "$object" prio-pfc $value ;;
	ets) dcb ets set dev "$object" $value ;;
	file) echo "$value" >"$object" ;;
	hosts) hosts_back ;;
	*) false ;;
	esac
}
failed=0
umask 077
if [ ! -e "$state/before" ]; then
	mkdir -p "$state" && : >"$state/before" || end 1 "cannot write $state"
fi
sed -n '1!G;h;$p' "$state/before" >"$state/back" || end 1 "cannot read $state/before"
while IFS=$tab read -r kind object key value; do
	kind=${kind#=}
	take_back || { failed=1; say "could not undo: $kind $object $key: it was '$value'"; }
done <"$state/back"
names_out || { failed=1; say "could not take the plan's names out of $hosts: it has one of the marks of linerate without the other; take the lines out by hand, from '$begin' to '$end'"; }
[ ! -e "$store/list" ] || say "the files that install.sh put in place stay, and count at the next boot; sh install.sh --undo takes them away"
if [ "$failed" = 0 ]; then
	rm -rf "$state"
	end 0 "undone"
fi
mv "$state/before" "$state/before.$$"
end 1 "the rest is undone; what was before still is in $state/before.$$"
