#!/bin/sh
# linerate: n1 of the fabric pairs-ib. Undoes what apply.sh did since the last reboot, in reverse, and the plan's names out of the hosts file, whenever they came in.
@@ 129 lines of pairs-ib.n1/apply.sh, from line 1 of: set -u
store=${LINERATE_STORE:-/var/lib/linerate/pairs-ib/n1}
@@ 15 lines of mesh-10g.homelab/undo.sh, from line 10 of: 
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
@@ 68 lines of mesh-10g.homelab/undo.sh, from line 1 of: tab=$(printf '\t') nl='

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
@@ 22 lines of mesh-10g.homelab/undo.sh, from line 12 of: }
	mlnx_pfc) [ -z "$value" ] || mlnx_qos -i "$object" --pfc="$value" >/dev/null ;;
	mlnx_ets) undo_mlnx_ets ;;
	cma_mode) undo_cma_mode ;;
	cma_tos) cma_roce_tos -d "$object" -p "$key" -t "$value" >/dev/null ;;
@@ 23 lines of mesh-10g.homelab/undo.sh, from line 1 of: 	file) echo "$value" >"$object" ;;
