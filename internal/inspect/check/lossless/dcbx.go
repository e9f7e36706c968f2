package lossless

import (
	"cmp"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/device/families"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Willing checks for hosts that accept the traffic classes of a switch.
var Willing = check.Check{
	ID:     "dcbx-willing",
	Title:  "hosts that keep their own traffic classes",
	Why:    "a port that is willing takes the classes that its peer announces in place of its own, at any time",
	Worst:  record.Warning,
	Source: "IEEE 802.1Qaz, 38.4; Azure Local: Set-NetQosDcbxSetting -Willing $false is required",
	Look: func(w *check.World, r *check.Report) {
		policyWilling(w, r)
		for n := range inEffect(w) {
			willing, known := n.classes.Willing.Get()
			if !known || !willing || n.host.Switch != nil {
				continue
			}
			f := n.finding("willing")
			f.Severity, f.Have, f.Want = record.Info, "it takes the classes of its peer (willing)",
				"not willing: the same classes set at both ends"
			f.Consequence = "nothing now; what is set here may be overridden by what the switch announces"
			if w.Plan != nil && w.Plan.QoS() != nil && w.Carries(n.host, n.nic.Name) {
				f.Severity = record.Warning
				f.Consequence = "the classes of the plan may be overridden by what the switch announces"
			}
			f.Fix, f.Undo = setWilling(n.host.Facts.OS, n.nic.Name, false), setWilling(n.host.Facts.OS, n.nic.Name, true)
			r.Found(f, f.Subject)
		}
	},
}

func setWilling(os, nic string, on bool) string {
	word := func(yes, no string) string { return unit.If(on, yes, no) }
	if set := families.Traits(os).SetWilling; set != nil {
		return set(nic, on)
	}
	return "dcb ets set dev " + nic + " willing " + word("on", "off") + "; where lldpad runs: lldptool -T -i " + nic +
		" -V ETS-CFG willing=" + word("yes", "no") + ", and the same of PFC"
}

// Agents checks that each port has one LLDP agent.
var Agents = check.Check{
	ID:    "lldp-agents",
	Title: "one LLDP agent a port",
	Why: "two that announce traffic classes on one port contradict each other: the switch takes neither (multiple " +
		"peers), or the last one",
	Worst:  record.Warning,
	Source: "Azure/AzureLocal-Supportability: two LLDP agents on a port; mlnx_qos: lldpad may overwrite what is set",
	Look: func(w *check.World, r *check.Report) {
		for n := range inEffect(w) {
			agents := append([]string{}, n.classes.Agents...)
			var firmware []record.EvidenceLine
			for _, s := range n.host.Facts.Firmware {
				current := cmp.Or(s.Current, s.Next)
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
			f.Severity, f.Have, f.Want = record.Warning, "LLDP agents: "+unit.List(agents), "one"
			f.Consequence = "which of them decides about PFC and the shares is chance; a switch that sees two peers takes no " +
				"DCBX from this port"
			f.Fix = "leave it to one: mlxconfig -d DEVICE set LLDP_NB_DCBX_P1=0 LLDP_NB_TX_MODE_P1=0 (then restart), or " +
				"systemctl disable --now lldpad"
			f.Undo = "mlxconfig -d DEVICE set LLDP_NB_DCBX_P1=1 LLDP_NB_TX_MODE_P1=2\nthen restart the machine; of lldpad " +
				"instead:\nsystemctl enable --now lldpad"
			r.Found(f, f.Subject)
		}
	},
}

// policyWilling checks the setting of the whole machine, where no adapter with a setting of its own is known.
func policyWilling(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		v := h.Facts.Windows
		if v == nil || v.Policy == nil {
			continue
		}
		c := v.Policy.Effect
		if c == nil || !c.Willing.Or(false) {
			c = v.Policy.Asked // configured by a script
		}
		if c == nil || !c.Willing.Or(false) || anyEffect(h) {
			continue
		}
		f := record.Finding{Severity: record.Info, Subject: h.Subject("DCB"),
			Have: "it takes the classes of its peer (willing)", Want: "not willing: the same classes set at both ends",
			Evidence:    []record.EvidenceLine{check.Proven(h, c.Proofs["willing"])},
			Consequence: "nothing now; what is set here may be overridden by what the switch announces",
			Fix:         "Set-NetQosDcbxSetting -Willing $false -Confirm:$false",
			Undo:        "Set-NetQosDcbxSetting -Willing $true -Confirm:$false"}
		if w.Plan != nil && w.Plan.QoS() != nil {
			f.Severity = record.Warning
			f.Consequence = "the classes of the plan may be overridden by what the switch announces"
		}
		r.Found(f, f.Subject)
	}
}

func anyEffect(h *check.Host) bool {
	for _, n := range h.Facts.NICs {
		if n.Effect != nil && n.Effect.Willing.Or(false) {
			return true
		}
	}
	return false
}
