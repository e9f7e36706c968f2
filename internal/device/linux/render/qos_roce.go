package render

import (
	"cmp"
	"fmt"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// applyMlnxQoS sets the classes of NICs with the driver mlx4 (ConnectX-3).
func (c *context) applyMlnxQoS(f *config.File, s plan.Setting, t *classes) {
	i, name := c.ref(s.Interface), c.text(s.Interface)
	f.Form(fmt.Sprintf("\tkeep_mlnx %s", i))
	f.Add("mlnx_qos", s.Why+": what is paused",
		fmt.Sprintf(`	may "PFC of %s" mlnx_qos -i %s --pfc=%s`, name, i, commas(t.pfc, choose("1", "0"))))
	f.Add("mlnx_qos", s.Why+": shares of the link",
		fmt.Sprintf(`	may "ETS of %s" mlnx_qos -i %s --prio_tc=%s --tsa=%s --tcbw=%s`,
			name, i, commas(t.prioTC, number), commas(t.ets, choose("ets", "strict")), commas(t.percent, number)))
}

// tos returns RoCE's type of service: the DSCP, and the ECN mark of an ECN-capable transport.
func (t *classes) tos() int { return t.marked<<2 | 2 }

// mellanox reports whether the NIC supports the tools of mlnx-tools and the files of its driver.
func (n *portName) mellanox() bool { return n != nil && n.tools() != byDCB }

func (c *context) applyRoCE(f *config.File, s plan.Setting, t *classes, n *portName) {
	i, name := c.ref(s.Interface), c.text(s.Interface)
	if n.mellanox() {
		for _, p := range t.congestion {
			f.Add("mlnx ecn", s.Why+": answer marked packets, and slow down on CNPs", fmt.Sprintf("set_ecn %s %d", i, p))
		}
	}
	if t.marked < 0 || n == nil || !c.host.SpeaksRoCEv2(n.port) || !n.mellanox() {
		return // how to set this on other NICs is unknown; the plan reports that
	}
	f.Form(fmt.Sprintf(`rdma=$(rdma_of %s)`, i))
	f.Form(`if [ -z "$rdma" ]; then`,
		fmt.Sprintf(`	rest=3; say "not set: marking of RoCE on %s: it has no RDMA device (module %s)"`, name,
			map[bool]string{true: "mlx4_ib", false: "mlx5_ib"}[n.tools() == byMlnxQoS]), "else")
	f.Form(fmt.Sprintf(`	number=$(rdma_port_of %s)`, i), `	keep_cma "$rdma" "$number"`)
	f.Add("cma_roce_tos", "RoCE version 2: only its packets carry a DSCP",
		fmt.Sprintf(`	may "RoCE v2 on %s" cma_roce_mode -d "$rdma" -p "$number" -m 2`, name))
	f.Add("cma_roce_tos", fmt.Sprintf("DSCP %d<<2 | 2 (it understands ECN): connections made by RDMA CM", t.marked),
		fmt.Sprintf(`	may "marking of RoCE on %s" cma_roce_tos -d "$rdma" -p "$number" -t %d`, name, t.tos()))
	f.Add("mlnx tc", "the same for connections made without RDMA CM",
		fmt.Sprintf(`	set_class "$rdma" "$number" %d`, t.tos()))
	f.Form("fi")
}

func (c *context) verifyRoCE(f *config.File, s plan.Setting, t *classes, n *portName) {
	i, name := c.ref(s.Interface), c.text(s.Interface)
	if n.mellanox() {
		for _, p := range t.congestion {
			for _, point := range []string{"np", "rp"} {
				f.Add("mlnx ecn", s.Why, fmt.Sprintf(
					`is "ECN (%s) of priority %d on %s" 1 "$(cat "$sys/class/net/"%s/ecn/roce_%s/enable/%d 2>/dev/null)"`, point, p,
					name, i, point, p))
			}
		}
	}
	if t.marked < 0 || n == nil || !c.host.SpeaksRoCEv2(n.port) || !n.mellanox() {
		return
	}
	f.Add("cma_roce_tos", s.Why, fmt.Sprintf(`rdma=$(rdma_of %s) number=$(rdma_port_of %s)`, i, i))
	f.Add("cma_roce_tos", "RoCE version 2",
		fmt.Sprintf(`is "RoCE of %s" "RoCE v2" "$(cma_mode_of "$rdma" "$number")"`, name))
	f.Add("cma_roce_tos", fmt.Sprintf("DSCP %d<<2 | 2", t.marked),
		fmt.Sprintf(`is "type of service of RoCE on %s" %d "$(cma_tos_of "$rdma" "$number")"`, name, t.tos()))
}

// qosNotes records what no file sets of the classes.
func (c *context) qosNotes(t *classes, n *portName) {
	if n == nil {
		return
	}
	why := ""
	if n.mellanox() {
		why = "; no document gives the unit of mlnx_qos --cable_len"
	}
	c.miss("receive buffers and the cable's length of %s: the NIC's own defaults stay%s", n.port.NIC, why)
	if n.tools() == byDCB {
		c.untried("whether the driver of %s (%s) takes traffic classes by dcb: apply.sh and verify.sh say it on the "+
			"machine", n.port.NIC, cmp.Or(n.driver(), "not known"))
	}
	c.untried("the commands of the traffic classes were tried with programs that answer as their manuals say, on no NIC")
	if t.q.DCBX == "switch" && n.mellanox() {
		c.untried("a second LLDP agent in the firmware of %s, which may overwrite the classes: `mlxconfig -d DEVICE "+
			"query` shows LLDP_NB_DCBX_P1 and LLDP_NB_TX_MODE_P1; which values turn it off depends on the firmware", n.port.NIC)
	}
}

// qosText are the functions that only hosts with traffic classes have.
var qosText = formLines(`
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
`)

// mlnxText are the functions for Mellanox NICs only, with their own programs and files.
var mlnxText = formLines(`
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
`)

// qosKeepText are the functions that only apply.sh has.
var qosKeepText = formLines(`
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
`)

var mlnxKeepText = formLines(`
keep_mlnx() {
	keep mlnx_pfc "$1" - "$(mlnx_pfc_of "$1" | tr ' ' ,)"
	keep mlnx_ets "$1" - "$(mlnx_ets_of "$1")"
}
keep_cma() {
	[ -z "$(cma_mode_of "$1" "$2")" ] || keep cma_mode "$1" "$2" "$(cma_mode_of "$1" "$2")"
	[ -z "$(cma_tos_of "$1" "$2")" ] || keep cma_tos "$1" "$2" "$(cma_tos_of "$1" "$2")"
}
`)

// qosKeep adds the functions that save the old traffic classes, for scripts that set them.
func (c *context) qosKeep(f *config.File) {
	if !c.hasQoS() {
		return
	}
	f.Form("")
	f.Lines = append(f.Lines, qosKeepText...)
	if c.anyMellanox() {
		f.Lines = append(f.Lines, mlnxKeepText...)
	}
}
