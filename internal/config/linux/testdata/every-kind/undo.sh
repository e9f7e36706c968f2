#!/bin/sh
# linerate: a of the fabric every-kind. Takes back what apply.sh did since the last reboot, in reverse, and the plan's names out of the hosts file, whenever they came in.
set -u
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin
trap '' HUP PIPE
[ -e /proc/self/fd/1 ] || exec >/dev/null
[ -e /proc/self/fd/2 ] || exec 2>/dev/null
say() { printf '%s\n' "$*" 2>/dev/null || :; }
end() { if [ "$1" = 0 ]; then say "$2"; else say "$2" >&2; fi; exit "$1"; }
sys=${LINERATE_SYS:-/sys}
lacking= told=

# has PROGRAM..: whether they are there
has() { for p in "$@"; do command -v "$p" >/dev/null 2>&1 || return 1; done; }

# there INTERFACE
there() { ip link show dev "$1" >/dev/null 2>&1; }

# own INTERFACE "PCI-ID ..": no other card's, as far as that can be seen
own() {
	{ [ -n "$2" ] && [ -r "$sys/class/net/$1/device/vendor" ]; } || return 0
	vendor=$(cat "$sys/class/net/$1/device/vendor") device=$(cat "$sys/class/net/$1/device/device")
	case " $2 " in *" ${vendor#0x}:${device#0x} "*) return 0 ;; esac
	return 1
}

# ports_of "PCI-ID ..": the interfaces of these cards as PCI address, port, name; no virtual functions
ports_of() {
	for n in "$sys"/class/net/*; do
		{ [ -r "$n/device/vendor" ] && [ ! -e "$n/device/physfn" ]; } || continue
		vendor=$(cat "$n/device/vendor") device=$(cat "$n/device/device")
		case " $1 " in *" ${vendor#0x}:${device#0x} "*) ;; *) continue ;; esac
		bus=$(readlink "$n/device")
		number=$(cat "$n/dev_port" 2>/dev/null) || number=0
		printf '%s %s %s\n' "${bus##*/}" "$number" "${n##*/}"
	done | sort -k1,1 -k2,2n
}

# unclear NAME VARIABLE WHY: which interface it is only a person knows
unclear() { lacking=1; say "which interface is the plan's $1? $3. Say it before the command: $2=NAME sh ${0##*/}" >&2; }

# tell "PCI-ID .." LIST DRIVER: what is here of these cards, and how a person finds out; once
tell() {
	case $told in *"<$1>"*) return ;; esac
	told="$told<$1>"
	if [ -n "$2" ]; then
		printf '%s\n' "$2" | while read -r bus number name; do say "  here: $name at $bus, port $number" >&2; done
		say "  To find out: plug in the cable of one port alone, its other end up; ip link set dev NAME up for each; ip -br link then says UP for the one with the cable." >&2
		return
	fi
	for id in $1; do say "  lspci -nnk -d $id shows whether the card is seen:" >&2; done
	say "  No line: seat it again, or try another slot. Or it is another card: lspci -nn | grep -i net shows the numbers of those that are here." >&2
	say "  A line without 'Kernel driver in use': modprobe ${3:-DRIVER}; dmesg${3:+ | grep -i $3} says why it does not take the card." >&2
}

# alone NAME VARIABLE: no interface is two ports'
taken=
alone() {
	case $taken in *" $name "*) unclear "$1" "$2" "$name is another port of the plan already: say both" ;; esac
	taken="$taken $name "
}

# port VARIABLE NAME "PCI-ID .." PORTS WHICH CARDS DRIVER: finds what this machine calls a port
port() {
	eval "name=\$$1"
	if [ -n "$name" ]; then
		if there "$name"; then alone "$2" "$1"; else unclear "$2" "$1" "There is no $name here"; fi
		return
	fi
	if there "$2" && own "$2" "$3"; then
		name=$2
		eval "$1=\$2"
		alone "$2" "$1"
		return
	fi
	if [ -z "$3" ]; then
		unclear "$2" "$1" "There is none of that name here, and the card's PCI id is not known"
		return
	fi
	list=$(ports_of "$3")
	count=$(printf '%s\n' "$list" | grep -c .)
	twice=$(printf '%s\n' "$list" | cut -d' ' -f1,2 | uniq -d)
	if [ "$count" = "$4" ] && [ "$6" = 1 ] && [ -z "$twice" ]; then
		name=$(printf '%s\n' "$list" | sed -n "$5p" | cut -d' ' -f3)
		if there "$name"; then
			eval "$1=\$name"
			say "the plan's $2 is $name here"
			alone "$2" "$1"
			return
		fi
	fi
	why="the plan has $4 of them"
	[ "$6" = 1 ] || why="the plan has $4 on $6 cards, and nothing here says which card is which"
	[ -z "$twice" ] || why="their driver gives several of them one number, so nothing here says which is which"
	case $count in
	0) unclear "$2" "$1" "No interface here is of a card with the PCI id $3" ;;
	*) unclear "$2" "$1" "Ports of cards with the PCI id $3 here: $count; $why" ;;
	esac
	tell "$3" "$list" "${7:-}"
}

# without_block FILE, only_block FILE: the hosts file without the lines between the marks, and those alone. Exit code 1 if a mark lacks the other.
without_block() { awk -v b="$begin" -v e="$end" '$0 == b { if (in_it) bad = 1; in_it = 1; next } $0 == e { if (!in_it) bad = 1; in_it = 0; next } !in_it { print } END { exit in_it || bad }' "$1"; }
only_block() { awk -v b="$begin" -v e="$end" '$0 == b { in_it = 1 } in_it { print } $0 == e { in_it = 0 }' "$1"; }
up_of() { case $(ip -o link show dev "$1" 2>/dev/null) in *[\<,]UP[\>,]*) echo up ;; *\>*) echo down ;; esac; }
mtu_of() { ip -o link show dev "$1" 2>/dev/null | sed -n 's/.* mtu \([0-9]*\) .*/\1/p'; }
master_of() { ip -o link show dev "$1" 2>/dev/null | sed -n 's/.* master \([^ ]*\) .*/\1/p'; }
address_of() { ip -o address show dev "$1" 2>/dev/null | grep -qF " $2 " && echo present || echo absent; }
sysctl_of() { sysctl -n "$1" 2>/dev/null | tr '\t' ' '; }
# features_of INTERFACE: all offloads that can be changed, as they were asked for: one that hangs on another may be asked for and off.
# What ethtool shows as the sum of others is left out.
features_of() {
	ethtool -k "$1" 2>/dev/null | sed -n '/\[fixed\]/d; /^tx-checksumming:/d; /^scatter-gather:/d; /^tcp-segmentation-offload:/d
		s/^[[:space:]]*\([a-z0-9-]*\): .*\[requested \([onf]*\)\].*/\1 \2/p; t
		s/^[[:space:]]*\([a-z0-9-]*\): on \[not requested\].*/\1 off/p; t
		s/^[[:space:]]*\([a-z0-9-]*\): \([onf]*\).*/\1 \2/p'
}
feature_of() { ethtool -k "$1" 2>/dev/null | sed -n "s/^[[:space:]]*$2: \([onf]*\).*/\1/p"; }
route_of() { ip route show exact "$1" dev "$2" 2>/dev/null | tr '\n' ';'; }
qdisc_of() { tc qdisc show dev "$1" root 2>/dev/null | sed -n '1s/^qdisc //p'; }
vlan_of() { ip -d -o link show dev "$1" 2>/dev/null | sed -n 's/.* vlan protocol 802.1Q id \([0-9]*\) .*/\1/p'; }
bond_mode_of() { ip -d -o link show dev "$1" 2>/dev/null | sed -n 's/.* bond mode \([^ ]*\) .*/\1/p'; }
hash_of() { ip -d -o link show dev "$1" 2>/dev/null | sed -n 's/.* xmit_hash_policy \([^ ]*\) .*/\1/p'; }
primary_of() { ip -d -o link show dev "$1" 2>/dev/null | sed -n 's/.* primary \([^ ]*\) .*/\1/p'; }
vfs_of() { cat "$sys/class/net/$1/device/sriov_numvfs" 2>/dev/null; }
set_vfs() { echo "$2" >"$sys/class/net/$1/device/sriov_numvfs"; }

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
mlnx_pfc_of() { mlnx_qos -i "$1" 2>/dev/null | awk '$1 == "enabled" { $1 = ""; sub(/^ /, ""); print; exit }'; }
# mlnx_ets_of: classes of the priorities, algorithms, shares, each with commas
mlnx_ets_of() {
	mlnx_qos -i "$1" -a 2>/dev/null | awk '
		/^tc:/ { tc = $2; sub(/.*tsa: /, ""); split($0, word, /[ ,%]+/); tsa[tc] = word[1]; bw[tc] = word[2] == "bw:" ? word[3] : 0 }
		$1 == "priority:" { class[$2] = tc }
		END { if (tsa[0] == "") exit
			for (i = 0; i < 8; i++) { s = i ? "," : ""; a = a s class[i]; b = b s tsa[i]; d = d s bw[i] }
			print a, b, d }'
}
rdma_of() { ls "$sys/class/net/$1/device/infiniband" 2>/dev/null | head -n 1; }
# rdma_port_of: the port of the RDMA device; a ConnectX-3 has both ports on one device, all later ones a device a port
rdma_port_of() {
	case $(rdma_of "$1") in
	mlx4_*) echo $(($(cat "$sys/class/net/$1/dev_port") + 1)) ;;
	*) echo 1 ;;
	esac
}
cma_mode_of() { [ -z "$1" ] || cma_roce_mode -d "$1" -p "$2" 2>/dev/null | tail -n 1; }
cma_tos_of() { [ -z "$1" ] || cma_roce_tos -d "$1" -p "$2" 2>/dev/null | tail -n 1; }
state=${LINERATE_STATE:-/run/linerate/every-kind/a}
begin='# linerate begin every-kind' end='# linerate end every-kind'
store=${LINERATE_STORE:-/var/lib/linerate/every-kind/a}
tab=$(printf '\t') nl='
'
hosts=${LINERATE_HOSTS:-/etc/hosts}
# --since-boot: exactly that, as an apply that went wrong needs it; names of before the last boot stay.
exact=
[ "${1:-}" != --since-boot ] || exact=1
if [ ! -e "$state/before" ] && { [ -n "$exact" ] || [ -z "$(only_block "$hosts" 2>/dev/null)" ]; }; then
	end 0 "nothing to take back: $state is not there, so apply.sh changed nothing since the last reboot"
fi
[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"

undo_route() {
	[ "$(route_of "$key" "$object")" = "$value" ] && return
	[ -z "$(route_of "$key" "$object")" ] || ip route del "$key" dev "$object" || return
	[ -z "$value" ] || printf '%s' "$value" | tr ';' '\n' | while read -r route; do
		[ -z "$route" ] || ip route replace $route dev "$object" || return
	done
}

# How ethtool ends says whether an offload is in effect. What was asked for and off is to be so again, so that alone is looked at; one
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

# hosts_back: the file as it was if nobody else has changed it; without the names, unless exactly that is asked for
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
	mlnx_pfc) [ -z "$value" ] || mlnx_qos -i "$object" --pfc="$value" >/dev/null ;;
	mlnx_ets) undo_mlnx_ets ;;
	cma_mode) undo_cma_mode ;;
	cma_tos) cma_roce_tos -d "$object" -p "$key" -t "$value" >/dev/null ;;
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
	take_back || { failed=1; say "could not take back: $kind $object $key: it was '$value'"; }
done <"$state/back"
names_out || { failed=1; say "could not take the plan's names out of $hosts: it has one of the marks of linerate without the other; take the lines out by hand, from '$begin' to '$end'"; }
[ ! -e "$store/list" ] || say "the files that install.sh put in place stay, and count at the next boot; sh install.sh --undo takes them away"
if [ "$failed" = 0 ]; then
	rm -rf "$state"
	end 0 "taken back"
fi
mv "$state/before" "$state/before.$$"
end 1 "the rest is taken back; what was before still stands in $state/before.$$"
