#!/bin/sh
# linerate: pve of the fabric all-families. Reads back and changes nothing. Exit code 0: as planned, 1: not as planned, 2: nothing could be read, 3: something lacks or could not be read.
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
state=${LINERATE_STATE:-/run/linerate/all-families/pve}
begin='# linerate begin all-families' end='# linerate end all-families'
worst=0 all=0 bad=0

# is WHAT PLANNED READ: one line
is() {
	all=$((all + 1)) bad=$((bad + 1))
	if [ -z "$3" ]; then
		say "not known: $1 could not be read, planned $2"
		[ "$worst" = 1 ] || worst=3
	elif [ "$2" = "$3" ]; then
		say "ok $1 is $3"
		bad=$((bad - 1))
	else
		say "not as planned: $1 is $3, planned $2"
		worst=1
	fi
}

# What this machine calls the plan's ports. To say it yourself: if_cx5p1=NAME sh verify.sh
if_cx5p1=${if_cx5p1:-}
port if_cx5p1 cx5p1 15b3:1017 2 1 1 mlx5_core
[ -z "$lacking" ] || end 2 "nothing was read"

is "MTU of $if_cx5p1" 9000 "$(mtu_of "$if_cx5p1")"
is "link $if_cx5p1" up "$(up_of "$if_cx5p1")"
is "global pause (receive, send) of $if_cx5p1" "off off" "$(pause_of "$if_cx5p1")"
is "lldpad beside the classes of $if_cx5p1" absent "$(running lldpad)"
is "DCBX of $if_cx5p1" "host ieee" "$(dcbx_of "$if_cx5p1")"
is "PFC of $if_cx5p1" "0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off" "$(dcb_of pfc "$if_cx5p1" prio-pfc)"
is "ETS willing of $if_cx5p1" "off" "$(dcb_of ets "$if_cx5p1" willing)"
is "class of each priority of $if_cx5p1" "0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0" "$(dcb_of ets "$if_cx5p1" prio-tc)"
is "ETS or strict of $if_cx5p1" "0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict" "$(dcb_of ets "$if_cx5p1" tc-tsa)"
is "shares of $if_cx5p1" "0:40 1:0 2:0 3:60 4:0 5:0 6:0 7:0" "$(dcb_of ets "$if_cx5p1" tc-bw)"
is "DSCP map of $if_cx5p1" "26:3 48:6" "$(dcb_of app "$if_cx5p1" dscp-prio)"
is "trust of $if_cx5p1" dscp "$(trust_of "$if_cx5p1")"
is "ECN (np) of priority 3 on $if_cx5p1" 1 "$(cat "$sys/class/net/""$if_cx5p1"/ecn/roce_np/enable/3 2>/dev/null)"
is "ECN (rp) of priority 3 on $if_cx5p1" 1 "$(cat "$sys/class/net/""$if_cx5p1"/ecn/roce_rp/enable/3 2>/dev/null)"
rdma=$(rdma_of "$if_cx5p1") number=$(rdma_port_of "$if_cx5p1")
is "RoCE of $if_cx5p1" "RoCE v2" "$(cma_mode_of "$rdma" "$number")"
is "type of service of RoCE on $if_cx5p1" 106 "$(cma_tos_of "$rdma" "$number")"
is "address 10.50.1.3/24 on $if_cx5p1" present "$(address_of "$if_cx5p1" 10.50.1.3/24)"
is 'sysctl net.ipv4.tcp_rmem' '4096 131072 67108864' "$(sysctl_of net.ipv4.tcp_rmem)"
is 'sysctl net.ipv4.tcp_wmem' '4096 65536 67108864' "$(sysctl_of net.ipv4.tcp_wmem)"
hosts=${LINERATE_HOSTS:-/etc/hosts}
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.2 lin lin-cx5-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.2 lin lin-cx5-1' present "$r"
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.4 bsd bsd-cx5-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.4 bsd bsd-cx5-1' present "$r"
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.5 nas nas-cx4-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.5 nas nas-cx4-1' present "$r"
if [ -r "$hosts" ]; then r=absent; ! grep -qxF '10.50.1.1 win win-cx5-1' "$hosts" || r=present; else r=; fi; is 'name 10.50.1.1 win win-cx5-1' present "$r"
# lacks, unknown TEXT: what no setting makes, and is not there, or cannot be read
lacks() { missed "lacking: $1"; }
unknown() { missed "not known: $1"; }
missed() {
	say "$1"
	all=$((all + 1)) bad=$((bad + 1))
	[ "$worst" = 1 ] || worst=3
}

# carrier INTERFACE MBITS WHAT: whether a signal comes in at a link that is up, and how fast both ends go. 0: no speed is planned.
# A port that is made of software has a speed that says nothing of a cable.
carrier() {
	case $(ip -o link show dev "$1" 2>/dev/null) in
	*[\<,]NO-CARRIER[\>,]*) lacks "carrier of $1: it is up, and there is no signal on $3. Is the cable in at both ends, and is the port at its other end up?"; return ;;
	*[\<,]LOWER_UP[\>,]*) is "carrier of $1" there there ;;
	*[\<,]UP[\>,]*) unknown "carrier of $1, because ip does not say it" ;;
	*) return ;;
	esac
	[ "$2" != 0 ] || return
	bus=$(readlink "$sys/class/net/$1/device/subsystem") || bus=
	if [ ! -e "$sys/class/net/$1/device" ] || [ "${bus##*/}" = virtio ]; then
		say "ok: the speed of $1 is not asked, because it is no port of a card"
		return
	fi
	speed=$(cat "$sys/class/net/$1/speed" 2>/dev/null) || speed=
	case $speed in
	""|*[!0-9]*) unknown "speed of $1, because its driver says none; planned $2 Mbit/s on $3" ;;
	*) if [ "$speed" -lt "$2" ]; then
		lacks "speed of $1: it is $speed Mbit/s, planned $2, on $3. What limits it: the cable or module, a port that is set to less, or a card of another kind; ethtool $1 shows what both ends offer"
	else is "speed of $1 (Mbit/s)" "$speed" "$speed"; fi ;;
	esac
}
carrier "$if_cx5p1" 100000 'cable C3 to cumulus.1'

case $worst in
0) say "in all: as planned, $all of $all" ;;
1) say "in all: NOT as planned: $bad of $all, which stand above" ;;
*) say "in all: what could be read is as planned; $bad of $all lack or are not known, and stand above" ;;
esac
exit "$worst"
