package check

import (
	"strings"

	"linerate/internal/record"
)

var checkWilling = Check{
	ID:     "dcbx-willing",
	Title:  "hosts that keep their own traffic classes",
	Why:    "a port that is willing takes the classes that its peer announces in place of its own, at any time",
	Worst:  record.Warning,
	Source: "IEEE 802.1Qaz, 38.4; Azure Local: Set-NetQosDcbxSetting -Willing $false is required",
	look: func(w *World, r *report) {
		policyWilling(w, r)
		for n := range w.inEffect() {
			willing, known := n.classes.Willing.Get()
			if !known || !willing || n.host.Switch != nil {
				continue
			}
			f := n.finding("willing")
			f.Severity, f.Have, f.Want = record.Info, "it takes the classes of its peer (willing)", "not willing: the same classes set at both ends"
			f.Consequence = "nothing now; what is set here may be overridden by what the switch announces"
			if w.Plan != nil && w.Plan.QoS() != nil && w.carries(n.host, n.nic.Name) {
				f.Severity = record.Warning
				f.Consequence = "the classes of the plan may be overridden by what the switch announces"
			}
			f.Fix, f.Undo = setWilling(n.host.Facts.OS, n.nic.Name, false), setWilling(n.host.Facts.OS, n.nic.Name, true)
			r.found(f, f.Subject)
		}
	},
}

func setWilling(os, nic string, on bool) string {
	word := func(yes, no string) string { return map[bool]string{true: yes, false: no}[on] }
	switch os {
	case "windows":
		return `Set-NetQosDcbxSetting -InterfaceAlias "` + nic + `" -Willing ` + word("$true", "$false") + " -Confirm:$false"
	case "freebsd":
		return "set it in the card's firmware: DCBX_WILLING_P1=" + word("1", "0") + " (mlxconfig)"
	}
	return "dcb ets set dev " + nic + " willing " + word("on", "off") + "; where lldpad runs: lldptool -T -i " + nic + " -V ETS-CFG willing=" + word("yes", "no") + ", and the same of PFC"
}

var checkAgents = Check{
	ID:     "lldp-agents",
	Title:  "one LLDP agent a port",
	Why:    "two that announce traffic classes on one port contradict each other: the switch takes neither (multiple peers), or the last one",
	Worst:  record.Warning,
	Source: "Azure/AzureLocal-Supportability: two LLDP agents on a port; mlnx_qos: lldpad may overwrite what is set",
	look: func(w *World, r *report) {
		for n := range w.inEffect() {
			agents := append([]string{}, n.classes.Agents...)
			var firmware []record.EvidenceLine
			for _, s := range n.host.Facts.Firmware {
				current := s.Current
				if current == "" {
					current = s.Next
				}
				if strings.HasPrefix(s.Name, "LLDP_NB_DCBX_P") && strings.HasPrefix(current, "True") {
					firmware = append(firmware, record.EvidenceLine{Host: n.host.Name, Source: s.Source, Line: s.Line})
				}
			}
			if len(firmware) > 0 && len(agents) == 1 && agents[0] != "firmware" {
				agents = append(agents, "firmware")
			}
			if len(agents) < 2 {
				continue
			}
			f := n.finding("agent lldpad", "agent firmware", "dcbx")
			f.Evidence = append(f.Evidence, firmware...)
			f.Severity, f.Have, f.Want = record.Warning, "LLDP agents: "+words(agents), "one"
			f.Consequence = "which of them decides about PFC and the shares is chance; a switch that sees two peers takes no DCBX from this port"
			f.Fix = "leave it to one: mlxconfig -d DEVICE set LLDP_NB_DCBX_P1=0 LLDP_NB_TX_MODE_P1=0 (then restart), or systemctl disable --now lldpad"
			f.Undo = "mlxconfig -d DEVICE set LLDP_NB_DCBX_P1=1 LLDP_NB_TX_MODE_P1=2 (then restart), or systemctl enable --now lldpad"
			r.found(f, f.Subject)
		}
	},
}
