#!/bin/sh
# linerate: lin of the fabric all-families. Takes effect now, until the next reboot, but for the plan's names in /etc/hosts, which stay until undo.sh takes them out.
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
state=${LINERATE_STATE:-/run/linerate/all-families/lin}
begin='# linerate begin all-families' end='# linerate end all-families'
rest=0

# kept KIND OBJECT KEY: whether it is kept already
kept() {
	mark=$(printf '=%s\t%s\t%s\t.' "$1" "$2" "$3")
	mark=${mark%.}
	grep -qsF "$mark" "$state/before"
}

# keep KIND OBJECT KEY VALUE: what was there before; of several calls the first counts
keep() {
	kept "$1" "$2" "$3" && return
	{ { [ -d "$state" ] || (umask 077; mkdir -p "$state"); } && printf '%s%s\n' "$mark" "$4" >>"$state/before"; } || end 1 "cannot keep in $state what was before; stopped"
}

# try COMMAND..: what has to work, or the rest makes no sense
try() {
	"$@" || end 1 "failed: $*; stopped here. sh undo.sh takes back what was done"
}

# may WHAT COMMAND..: what a machine, a driver or a namespace may not have; it is said and the rest goes on
may() {
	what=$1
	shift
	said=$("$@" 2>&1) && return
	rest=3
	say "not set: $what: $(printf '%s' "$said" | tr '\n' ' ')"
	return 1
}

# keep_sysctl KEY
keep_sysctl() {
	old=$(sysctl_of "$1")
	[ -z "$old" ] || keep sysctl "$1" - "$old"
}

# keep_features INTERFACE: one change of an offload may change others, so all are kept
keep_features() {
	kept features "$1" - && return
	keep features "$1" - all
	features_of "$1" | while read -r name value; do printf '=feature\t%s\t%s\t%s\n' "$1" "$name" "$value"; done >>"$state/before" || end 1 "cannot keep in $state what was before; stopped"
}

keep_pause() {
	old=$(pause_of "$1")
	[ -z "$old" ] || keep pause "$1" - "$old"
}
keep_dcb() {
	keep dcbx "$1" - "$(dcbx_of "$1")"
	trust=$(apptrust_of "$1")
	[ -z "$trust" ] || keep apptrust "$1" - "$trust"
	keep dscp "$1" - "$(dcb_of app "$1" dscp-prio)"
	keep pfc "$1" - "$(dcb_of pfc "$1" prio-pfc)"
	keep ets "$1" - "willing $(dcb_of ets "$1" willing) prio-tc $(dcb_of ets "$1" prio-tc) tc-tsa $(dcb_of ets "$1" tc-tsa) tc-bw $(dcb_of ets "$1" tc-bw)"
}
# set_file WHAT FILE VALUE: a file of the driver's, if there is one
set_file() {
	if [ ! -e "$2" ]; then
		rest=3
		say "not set: $1: the driver has no $2"
		return
	fi
	[ "$(cat "$2")" = "$3" ] && return
	keep file "$2" - "$(cat "$2")"
	may "$1" write "$2" "$3"
}
write() { echo "$2" >"$1"; }
set_ecn() {
	for point in np rp; do set_file "ECN ($point) of priority $2 on $1" "$sys/class/net/$1/ecn/roce_$point/enable/$2" 1; done
}
set_class() { set_file "marking of RoCE on $1 without RDMA CM" "$sys/class/infiniband/$1/tc/$2/traffic_class" "$3"; }
keep_mlnx() {
	keep mlnx_pfc "$1" - "$(mlnx_pfc_of "$1" | tr ' ' ,)"
	keep mlnx_ets "$1" - "$(mlnx_ets_of "$1")"
}
keep_cma() {
	[ -z "$(cma_mode_of "$1" "$2")" ] || keep cma_mode "$1" "$2" "$(cma_mode_of "$1" "$2")"
	[ -z "$(cma_tos_of "$1" "$2")" ] || keep cma_tos "$1" "$2" "$(cma_tos_of "$1" "$2")"
}

has ip || end 2 "ip is not installed; nothing was changed"
has awk || end 2 "awk is not installed; nothing was changed"
has ethtool || end 2 "ethtool is not installed; nothing was changed"
has sysctl || end 2 "sysctl is not installed; nothing was changed"
[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"

# What this machine calls the plan's ports. To say it yourself: if_cx5p1=NAME sh apply.sh
if_cx5p1=${if_cx5p1:-}
port if_cx5p1 cx5p1 15b3:1017 2 1 1 mlx5_core
[ -z "$lacking" ] || end 2 "nothing was changed"

# MTU of link lin.cx5.1--onyx.19
keep mtu "$if_cx5p1" - "$(mtu_of "$if_cx5p1")"
try ip link set dev "$if_cx5p1" mtu 9000

# carries link lin.cx5.1--onyx.19
keep link "$if_cx5p1" - "$(up_of "$if_cx5p1")"
try ip link set dev "$if_cx5p1" up

# the fabric's classes, on link lin.cx5.1--onyx.19
if ! dcb_works "$if_cx5p1"; then
	rest=3; say "not set: traffic classes of $if_cx5p1: its driver has no DCB, or dcb of iproute2 is not there"
else
	keep_pause "$if_cx5p1"
	[ "$(pause_of "$if_cx5p1")" = "off off" ] || may "no global pause on $if_cx5p1" ethtool -A "$if_cx5p1" rx off tx off
	keep_dcb "$if_cx5p1"
	may "DCBX of $if_cx5p1" dcb dcbx set dev "$if_cx5p1" host ieee
	[ "$(dcb_of app "$if_cx5p1" dscp-prio)" = "26:3 48:6" ] || may "DSCP map of $if_cx5p1" dcb app flush dev "$if_cx5p1" dscp-prio
	may "DSCP map of $if_cx5p1" dcb app replace dev "$if_cx5p1" dscp-prio 26:3 48:6
	may "PFC of $if_cx5p1" dcb pfc set dev "$if_cx5p1" prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
	may "ETS of $if_cx5p1" dcb ets set dev "$if_cx5p1" willing off prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0 tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict tc-bw 0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0
fi
set_ecn "$if_cx5p1" 3
rdma=$(rdma_of "$if_cx5p1")
if [ -z "$rdma" ]; then
	rest=3; say "not set: marking of RoCE on $if_cx5p1: it has no RDMA device (module mlx5_ib)"
else
	number=$(rdma_port_of "$if_cx5p1")
	keep_cma "$rdma" "$number"
	may "RoCE v2 on $if_cx5p1" cma_roce_mode -d "$rdma" -p "$number" -m 2
	may "marking of RoCE on $if_cx5p1" cma_roce_tos -d "$rdma" -p "$number" -t 106
	set_class "$rdma" "$number" 106
fi

# address on link lin.cx5.1--onyx.19
keep address "$if_cx5p1" 10.50.1.2/24 "$(address_of "$if_cx5p1" 10.50.1.2/24)"
try ip address replace 10.50.1.2/24 broadcast + dev "$if_cx5p1"

# for the whole machine, its other networks too: one stream at 100 Gb/s and 2 ms round trip
keep_sysctl net.ipv4.tcp_rmem
may 'sysctl net.ipv4.tcp_rmem' sysctl -q -w 'net.ipv4.tcp_rmem=4096 131072 67108864'
keep_sysctl net.ipv4.tcp_wmem
may 'sysctl net.ipv4.tcp_wmem' sysctl -q -w 'net.ipv4.tcp_wmem=4096 65536 67108864'

# The names of the plan's addresses, between two marks in the hosts file. They outlive a reboot, until sh undo.sh takes them out.
hosts=${LINERATE_HOSTS:-/etc/hosts}
names() { cat <<'end of names'
# linerate begin all-families
10.50.1.3 pve pve-cx5-1
10.50.1.4 bsd bsd-cx5-1
10.50.1.5 nas nas-cx4-1
10.50.1.1 win win-cx5-1
# linerate end all-families
end of names
}
if [ "$(names)" != "$(only_block "$hosts" 2>/dev/null)" ]; then
	if without_block "$hosts" >/dev/null; then
		if ! kept hosts "$hosts" -; then
			keep hosts "$hosts" - changed
			try cp "$hosts" "$state/hosts"
		fi
		without_block "$hosts" >"$state/new" && names >>"$state/new" || end 1 "failed: the hosts file; stopped here. sh undo.sh takes back what was done"
		try cp "$state/new" "$hosts"
	else
		rest=3
		say "not set: names: $hosts has one of the marks of linerate without the other; take that line out"
	fi
fi

if [ "$rest" = 0 ]; then say "all set; sh verify.sh reads it back, sh undo.sh takes it back"
else say "set, but for what stands above; sh verify.sh reads it back, sh undo.sh takes it back"; fi
exit "$rest"
