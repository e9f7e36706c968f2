package check

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// policyWilling looks at the setting of the whole machine, where no adapter is known that would have it.
func policyWilling(w *World, r *report) {
	for _, h := range w.Hosts {
		v := h.Facts.Windows
		if v == nil || v.Policy == nil {
			continue
		}
		c := v.Policy.Effect
		if c == nil || !c.Willing.Or(false) {
			c = v.Policy.Asked // by a script
		}
		if c == nil || !c.Willing.Or(false) || anyEffect(h) {
			continue
		}
		f := record.Finding{
			Severity: record.Info, Subject: h.Name + ": DCB", Have: "it takes the classes of its peer (willing)", Want: "not willing: the same classes set at both ends",
			Evidence:    []record.EvidenceLine{proven(h, c.Proofs["willing"])},
			Consequence: "nothing now; what is set here may be overridden by what the switch announces",
			Fix:         "Set-NetQosDcbxSetting -Willing $false -Confirm:$false", Undo: "Set-NetQosDcbxSetting -Willing $true -Confirm:$false",
		}
		if w.Plan != nil && w.Plan.QoS() != nil {
			f.Severity = record.Warning
			f.Consequence = "the classes of the plan may be overridden by what the switch announces"
		}
		r.found(f, f.Subject)
	}
}

func anyEffect(h *Host) bool {
	for _, n := range h.Facts.NICs {
		if n.Effect != nil && n.Effect.Willing.Or(false) {
			return true
		}
	}
	return false
}

// windowsWindow holds the level of auto-tuning against the links of the plan.
func windowsWindow(w *World, r *report) {
	for _, h := range w.Hosts {
		rate := w.fastest(h)
		if rate == 0 || h.system() != "windows" {
			continue
		}
		window, known := h.Facts.TCP.Window.Get()
		if !known || h.Facts.Windows == nil {
			r.notKnown(h.Name+": receive windows", "neither Get-NetTCPSetting nor netsh int tcp show global is in the capture, or has no level of auto-tuning")
			continue
		}
		if window >= 16776960 {
			continue // as far as Windows' own level lets it grow
		}
		w.smallWindow(r, h, float64(window), rate, record.Finding{
			Subject: h.Name + ": TCP", Have: fmt.Sprintf("receive windows of up to %s (auto-tuning)", unit.Bytes(window)), Want: "auto-tuning at its normal level",
			Evidence: []record.EvidenceLine{proven(h, h.Facts.Windows.Proofs["window"])},
			Fix:      "netsh int tcp set global autotuninglevel=normal", Undo: "netsh int tcp set global autotuninglevel=" + levels[window],
		})
	}
}

// levels of auto-tuning by the window that they leave.
var levels = map[int64]string{65535: "disabled", 262140: "highlyrestricted", 1048560: "restricted"}

// windowsPower looks at the power plan.
func windowsPower(w *World, r *report) {
	numbers := map[string]string{"power saver": "a1841308-3541-4fab-bc81-f71556f20b4a", "balanced": "381b4222-f694-41f0-9685-ff5bb260df2e"}
	for _, h := range w.Hosts {
		if h.Facts.Windows == nil {
			continue
		}
		name := h.Facts.Windows.PowerPlan.Or("")
		number := numbers[name]
		if number == "" || name == "balanced" && w.fastest(h) < fast {
			continue
		}
		f := record.Finding{
			Severity: record.Warning, Subject: h.Name + ": processors", Have: "the power plan is " + name, Want: "high performance, on a host whose network is to be fast",
			Evidence:    []record.EvidenceLine{proven(h, h.Facts.Windows.Proofs["power"])},
			Consequence: "the clock stays low and cores sleep: all work of the processors takes longer",
			Fix:         "powercfg /setactive 8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c", Undo: "powercfg /setactive " + number,
		}
		if name == "balanced" {
			f.Severity = record.Info
			f.Consequence = "latencies scatter more; throughput seldom suffers, as the clock rises under load"
		}
		r.found(f, h.Name)
	}
}

// windowsOneQueue looks at adapters whose receive side scaling is off.
func windowsOneQueue(w *World, r *report) {
	for _, h := range w.Hosts {
		if v := h.Facts.Windows; v != nil && h.Facts.Windows.RSS.IsKnown() && !v.RSS.Or(true) && w.fastest(h) >= fast {
			f := noRSS(h.Name+": all adapters", proven(h, v.Proofs["rss"]))
			f.Fix, f.Undo = "Set-NetOffloadGlobalSetting -ReceiveSideScaling Enabled", "Set-NetOffloadGlobalSetting -ReceiveSideScaling Disabled"
			r.found(f, h.Name)
			continue
		}
		for i := range h.Facts.NICs {
			n := &h.Facts.NICs[i]
			if n.Windows == nil || !n.Windows.RSS.IsKnown() || n.Windows.RSS.Or(true) || max(n.Speed.Or(0), w.planned(h, n)) < fast {
				continue
			}
			f := noRSS(h.Name+": "+n.Name, proven(h, n.Proofs["rss"]))
			f.Severity = w.there(h, n.Name, f.Severity)
			name := quoted("windows", n.Name)
			f.Fix, f.Undo = "Enable-NetAdapterRss -Name "+name, "Disable-NetAdapterRss -Name "+name
			r.found(f, h.Name+": "+n.Name, h.Name+": SMB")
		}
	}
}

func noRSS(subject string, e record.EvidenceLine) record.Finding {
	return record.Finding{Severity: record.Warning, Subject: subject, Have: "receive side scaling is off", Want: "on", Evidence: []record.EvidenceLine{e},
		Consequence: "what the card receives is bound by what one core does, and SMB opens one connection alone"}
}

// planned is the rate of an interface's port in the plan; 0: it has none.
func (w *World) planned(h *Host, n *facts.Interface) unit.BitRate {
	for _, p := range w.plugged(h) {
		if p.nic.Name == n.Name {
			return p.port.Speed
		}
	}
	return 0
}

// windowsVirtualQueue looks at virtual adapters of Hyper-V that were to spread what they receive, and do not.
func windowsVirtualQueue(w *World, r *report) {
	for _, h := range w.Hosts {
		if h.Facts.Windows == nil {
			continue
		}
		for _, v := range h.Facts.Windows.VirtualRSS {
			if !v.Wanted.Or(false) || v.On.Or(true) {
				continue
			}
			f := record.Finding{
				Severity: record.Warning, Subject: h.Name + ": " + v.Name, Have: "vRSS was asked for and is not in effect", Want: "in effect",
				Evidence:    []record.EvidenceLine{proven(h, v.RSSProof)},
				Consequence: "what it receives is bound by what one virtual processor does, and SMB opens one connection alone",
				Fix:         "the card below has to offer queues: Get-NetAdapterVmq and Get-NetAdapterRss say what it has; Enable-NetAdapterVmq, and a driver of its maker",
			}
			if pairs, ok := v.WantedPairs.Get(); ok && pairs > 0 && v.Pairs.Or(1) == 0 {
				f.Have += fmt.Sprintf(", and none of %d queue pairs (VMMQ) is", pairs)
				f.Evidence = append(f.Evidence, proven(h, v.VMMQProof))
			}
			r.found(f, f.Subject)
		}
	}
}

var checkCluster = Check{
	ID:     "cluster-partitioned",
	Title:  "the networks of a failover cluster",
	Why:    "on a partitioned network some nodes reach some others, and not all",
	Worst:  record.Error,
	Source: "Microsoft Learn: failover cluster networking; Azure Stack HCI supportability: cluster network shows as partitioned",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			if h.Facts.Windows == nil {
				continue
			}
			for _, n := range h.Facts.Windows.ClusterNetworks {
				if n.State != "Partitioned" {
					continue
				}
				r.found(record.Finding{
					Severity: record.Error, Subject: h.Name + ": cluster network " + n.Name, Have: "partitioned", Want: "up at all nodes", Evidence: []record.EvidenceLine{proven(h, n.Proof)},
					Consequence: "nodes do not reach each other over it",
					Fix:         "Get-ClusterNetworkInterface says which node is not reached: look at its cable, its address and VLAN; a network that is none of the cluster's (Remote NDIS) is excluded by (Get-ClusterNetwork NAME).Role = 0",
				}, h.Name+": cluster network "+n.Name)
			}
		}
	},
}
