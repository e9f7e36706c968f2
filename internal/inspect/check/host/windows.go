package host

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// windowsTCPWindow compares the auto-tuning level with the links of the plan.
func windowsTCPWindow(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		rate := w.Fastest(h)
		if rate == 0 || !h.Traits().PowerShell {
			continue
		}
		tcpWindow, known := h.Facts.TCP.MaxReceiveWindow.Get()
		if !known || h.Facts.Windows == nil {
			r.NotKnown(h.Name+": receive windows", "neither Get-NetTCPSetting nor netsh int tcp show global is in the "+
				"snapshot, or has no level of auto-tuning")
			continue
		}
		if tcpWindow >= 16776960 {
			continue // the usual level of Windows
		}
		smallTCPWindow(w, r, h, float64(tcpWindow), rate, record.Finding{
			Subject: h.Subject("TCP"), Have: fmt.Sprintf("receive windows of up to %s (auto-tuning)", unit.Bytes(tcpWindow)),
			Want:     "auto-tuning at its normal level",
			Evidence: []record.EvidenceLine{check.Proven(h, h.Facts.Windows.Proofs["window"])},
			Fix:      "netsh int tcp set global autotuninglevel=normal", Undo: "netsh int tcp set global autotuninglevel=" +
				levels[tcpWindow],
		})
	}
}

// levels are the auto-tuning levels by the largest window that each allows.
var levels = map[int64]string{65535: "disabled", 262140: "highlyrestricted", 1048560: "restricted"}

// windowsPower checks the power plan.
func windowsPower(w *check.World, r *check.Report) {
	numbers := map[string]string{"power saver": "a1841308-3541-4fab-bc81-f71556f20b4a",
		"balanced": "381b4222-f694-41f0-9685-ff5bb260df2e"}
	for _, h := range w.Hosts {
		if h.Facts.Windows == nil {
			continue
		}
		name := h.Facts.Windows.PowerPlan.Or("")
		number := numbers[name]
		if number == "" || name == "balanced" && w.Fastest(h) < check.FastLink {
			continue
		}
		f := record.Finding{Severity: record.Warning, Subject: h.Subject("processors"), Have: "the power plan is " + name,
			Want:        "high performance, on a host whose network is to be fast",
			Evidence:    []record.EvidenceLine{check.Proven(h, h.Facts.Windows.Proofs["power"])},
			Consequence: "the clock stays low and cores sleep: all work of the CPUs takes longer",
			Fix:         "powercfg /setactive 8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c", Undo: "powercfg /setactive " + number}
		if name == "balanced" {
			f.Severity = record.Info
			f.Consequence = "latencies scatter more; throughput seldom suffers, as the clock rises under load"
		}
		r.Found(f, h.Subject())
	}
}

// windowsOneQueue reports adapters whose receive side scaling is off.
func windowsOneQueue(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		if v := h.Facts.Windows; v != nil && h.Facts.Windows.RSS.IsKnown() && !v.RSS.Or(true) &&
			w.Fastest(h) >= check.FastLink {
			f := noRSS(h.Subject("all adapters"), check.Proven(h, v.Proofs["rss"]))
			f.Fix, f.Undo = "Set-NetOffloadGlobalSetting -ReceiveSideScaling Enabled",
				"Set-NetOffloadGlobalSetting -ReceiveSideScaling Disabled"
			r.Found(f, h.Subject())
			continue
		}
		for i := range h.Facts.NICs {
			n := &h.Facts.NICs[i]
			if n.Windows == nil || !n.Windows.RSS.IsKnown() || n.Windows.RSS.Or(true) ||
				max(n.Speed.Or(0), planned(w, h, n)) < check.FastLink {
				continue
			}
			f := noRSS(h.Subject(n.Name), check.Proven(h, n.Proofs["rss"]))
			f.Severity = w.There(h, n.Name, f.Severity)
			name := check.Quoted("windows", n.Name)
			f.Fix, f.Undo = "Enable-NetAdapterRss -Name "+name, "Disable-NetAdapterRss -Name "+name
			r.Found(f, h.Subject(n.Name), h.Subject("SMB"))
		}
	}
}

func noRSS(subject record.Subject, e record.EvidenceLine) record.Finding {
	return record.Finding{Severity: record.Warning, Subject: subject, Have: "receive side scaling is off", Want: "on",
		Evidence:    []record.EvidenceLine{e},
		Consequence: "what the NIC receives is bound by what one core does, and SMB opens one connection alone"}
}

// planned returns the rate of an interface's port in the plan; 0: it has none.
func planned(w *check.World, h *check.Host, n *facts.Interface) unit.BitRate {
	for _, p := range w.Plugged(h) {
		if p.Nic.Name == n.Name {
			return p.Port.Speed
		}
	}
	return 0
}

// windowsVirtualQueue reports virtual adapters of Hyper-V that should spread received packets over CPUs, and do not.
func windowsVirtualQueue(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		if h.Facts.Windows == nil {
			continue
		}
		for _, v := range h.Facts.Windows.VirtualRSS {
			if !v.Wanted.Or(false) || v.On.Or(true) {
				continue
			}
			f := record.Finding{
				Severity: record.Warning, Subject: h.Subject(v.Name), Have: "vRSS was asked for and is not in effect",
				Want:        "in effect",
				Evidence:    []record.EvidenceLine{check.Proven(h, v.RSSProof)},
				Consequence: "what it receives is bound by what one virtual CPU does, and SMB opens one connection alone",
				Fix: "the NIC below has to offer queues: Get-NetAdapterVmq and Get-NetAdapterRss say what it has; " +
					"Enable-NetAdapterVmq, and a driver of its maker",
			}
			if pairs, ok := v.WantedPairs.Get(); ok && pairs > 0 && v.Pairs.Or(1) == 0 {
				f.Have += fmt.Sprintf(", and none of %d queue pairs (VMMQ) is", pairs)
				f.Evidence = append(f.Evidence, check.Proven(h, v.VMMQProof))
			}
			r.Found(f, f.Subject)
		}
	}
}

// Cluster checks the networks of a failover cluster.
var Cluster = check.Check{
	ID:    "cluster-partitioned",
	Title: "the networks of a failover cluster",
	Why:   "on a partitioned network some nodes reach some others, and not all",
	Worst: record.Error,
	Source: "Microsoft Learn: failover cluster networking; Azure Stack HCI supportability: cluster network shows as " +
		"partitioned",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if h.Facts.Windows == nil {
				continue
			}
			for _, n := range h.Facts.Windows.ClusterNetworks {
				if n.State != "Partitioned" {
					continue
				}
				r.Found(record.Finding{
					Severity: record.Error, Subject: h.Subject("cluster network " + n.Name), Have: "partitioned",
					Want: "up at all nodes", Evidence: []record.EvidenceLine{check.Proven(h, n.Proof)},
					Consequence: "nodes do not reach each other over it",
					Fix: "look at the cable, the address and the VLAN of the node that is not reached, which " +
						"Get-ClusterNetworkInterface names; to exclude a network that does not belong to the cluster (Remote NDIS): " +
						"(Get-ClusterNetwork NAME).Role = 0",
				}, h.Subject("cluster network "+n.Name))
			}
		}
	},
}
