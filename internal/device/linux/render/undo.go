package render

import (
	"slices"

	"linerate/internal/device/config"
)

// restore undoes one kind of saved line.
type restore struct {
	record string
	source config.Source
	why    string
	text   string
}

// restores are all kinds of saved lines: undo.sh also undoes what an earlier plan's apply.sh saved.
var restores = []restore{
	{"link", "ip-link(8)", "an interface that was down", `[ "$value" != down ] || ip link set dev "$object" down`},
	{"mtu", "ip-link(8)", "the MTU before",
		`[ "$(mtu_of "$object")" = "$value" ] || ip link set dev "$object" mtu "$value"`},
	{"address", "ip-address(8)", "an address that was not there",
		`[ "$value" = present ] || [ "$(address_of "$object" "$key")" = absent ] || ip address del "$key" dev "$object"`},
	{"route", "ip-route(8)", "the route before, or none", `undo_route`},
	{"sysctl", "sysctl(8)", "the value before",
		`[ "$(sysctl_of "$object")" = "$value" ] || sysctl -q -w "$object=$value"`},
	{"feature", "ethtool(8)", "the offload before: all of an interface together, at the line features", `:`},
	{"features", "ethtool(8)", "the offloads before", `undo_features`},
	{"qdisc", "tc(8)", "the queueing discipline before", `undo_qdisc`},
	{"made", "ip-link(8)", "an interface that was not there", `! there "$object" || ip link del dev "$object"`},
	{"master", "ip-link(8)", "what the interface was a member of, or nothing",
		`if [ -n "$value" ]; then ip link set dev "$object" master "$value"; else ip link set dev "$object" nomaster; fi`},
	{"primary", "kernel bonding", "the member that was preferred, or none",
		`[ "$(primary_of "$object")" = "$value" ] || echo "$value" >"$sys/class/net/$object/bonding/primary"`},
	{"hash", "kernel bonding", "what the bond spread by before",
		`[ "$(hash_of "$object")" = "$value" ] || ip link set dev "$object" type bond xmit_hash_policy "$value"`},
	{"vfs", "kernel pci-iov", "the number of virtual functions before",
		`[ "$(vfs_of "$object")" = "$value" ] || set_vfs "$object" "$value"`},
	{"pause", "ethtool(8)", "global pause before",
		`[ "$(pause_of "$object")" = "$value" ] || ethtool -A "$object" rx "${value% *}" tx "${value#* }"`},
	{"dcbx", "dcb(8)", "who decided before", `[ "$(dcbx_of "$object")" = "$value" ] || dcb dcbx set dev "$object" $value`},
	{"apptrust", "dcb(8)", "the trust before",
		`[ "$(apptrust_of "$object")" = "$value" ] || dcb apptrust set dev "$object" order $value`},
	{"dscp", "dcb(8)", "the DSCP map before",
		`[ "$(dcb_of app "$object" dscp-prio)" = "$value" ] || { dcb app flush dev "$object" dscp-prio && { [ -z "$value" ] || dcb app add dev "$object" dscp-prio $value; }; }`},
	{"pfc", "dcb(8)", "what was paused before",
		`[ "$(dcb_of pfc "$object" prio-pfc)" = "$value" ] || dcb pfc set dev "$object" prio-pfc $value`},
	{"ets", "dcb(8)", "the shares before", `dcb ets set dev "$object" $value`},
	{"mlnx_pfc", "mlnx_qos", "what was paused before",
		`[ -z "$value" ] || mlnx_qos -i "$object" --pfc="$value" >/dev/null`},
	{"mlnx_ets", "mlnx_qos", "the shares before", `undo_mlnx_ets`},
	{"cma_mode", "cma_roce_tos", "the version of RoCE before", `undo_cma_mode`},
	{"cma_tos", "cma_roce_tos", "the marking before", `cma_roce_tos -d "$object" -p "$key" -t "$value" >/dev/null`},
	{"file", "mlnx ecn", "what the driver's file said before", `echo "$value" >"$object"`},
	{"hosts", "hosts(5)", "the hosts file before", `hosts_back`},
}

// mlnxRecords are the kinds of Mellanox NICs only.
var mlnxRecords = []string{"mlnx_pfc", "mlnx_ets", "cma_mode", "cma_tos"}

// undo returns the script that restores what apply.sh saved, in reverse.
func (c *context) undo() config.File {
	f := c.script("undo.sh", "Undoes what apply.sh did since the last reboot, in reverse, and the plan's names out "+
		"of the hosts file, whenever they came in.")
	f.Form("store=${LINERATE_STORE:-" + c.q(c.storeDir()) + "}")
	if !c.hasQoS() { // an earlier plan may have had traffic classes
		c.qosReaders(&f)
	}
	f.Lines = append(f.Lines, undoText...)
	if c.anyMellanox() {
		f.Form("")
		f.Lines = append(f.Lines, mlnxUndo...)
	}
	f.Form("take_back() {", "	case $kind in")
	for _, r := range restores {
		if slices.Contains(mlnxRecords, r.record) && !c.anyMellanox() {
			continue
		}
		f.Add(r.source, r.why, "	"+r.record+") "+r.text+" ;;")
	}
	f.Form("	*) false ;;", "	esac", "}")
	f.Lines = append(f.Lines, undoEnd...)
	return f
}

var undoText = formLines(`
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
`)

var undoEnd = formLines(`
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
`)

// mlnxUndo is for Mellanox NICs only.
var mlnxUndo = formLines(`
undo_mlnx_ets() {
	set -- $value
	[ $# = 3 ] || return
	mlnx_qos -i "$object" --prio_tc="$1" --tsa="$2" --tcbw="$3" >/dev/null
}

undo_cma_mode() {
	case $value in
	*v2*) cma_roce_mode -d "$object" -p "$key" -m 2 >/dev/null ;;
	*) cma_roce_mode -d "$object" -p "$key" -m 1 >/dev/null ;;
	esac
}
`)
