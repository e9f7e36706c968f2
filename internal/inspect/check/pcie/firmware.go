package pcie

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse/rdma"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Pending checks for firmware settings that need a restart.
var Pending = check.Check{
	ID:    "config-pending",
	Title: "firmware settings that wait for a restart",
	Why: "a NIC takes its settings when the machine starts: what was set since is not so yet, and everything else " +
		"is read as if it were",
	Worst:  record.Info,
	Source: "NVIDIA, MFT: mlxconfig -e query (default, current, next boot)",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			var order []string
			waiting := map[string][]facts.FirmwareSetting{}
			for _, s := range h.Facts.Firmware {
				if before := cmp.Or(s.Current, s.Was); before == "" || before == s.Next {
					continue
				}
				if waiting[s.Device] == nil {
					order = append(order, s.Device)
				}
				waiting[s.Device] = append(waiting[s.Device], s)
			}
			for _, device := range order {
				pending(h, device, waiting[device], r)
			}
		}
	},
}

func pending(h *check.Host, device string, list []facts.FirmwareSetting, r *check.Report) {
	name := device
	if name == "" || name == "unnamed" {
		name = "DEVICE"
	}
	first := list[0]
	f := record.Finding{Severity: record.Info, Subject: h.Subject("NIC " + name), Want: "all that was set in effect",
		Have:        fmt.Sprintf("%s is %s until the next restart, then %s", first.Name, first.Current, first.Next),
		Consequence: "nothing else: what depends on it behaves as before",
		Fix:         "restart the machine, or mlxfwreset -d " + name + " reset (its links go down)",
		Undo:        "mlxconfig -d " + name + " set"}
	if first.Current == "" {
		f.Have = fmt.Sprintf("%s was set from %s to %s, which is so from the next restart on", first.Name, first.Was,
			first.Next)
	}
	if len(list) > 1 {
		f.Have += fmt.Sprintf("; %d more", len(list)-1)
	}
	for i, s := range list {
		if i < 8 {
			f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: s.Source, Line: s.Line})
			f.Undo += " " + s.Name + "=" + settingValue(cmp.Or(s.Current, s.Was))
		}
	}
	r.Found(f, f.Subject)
}

// settingValue returns the value that mlxconfig takes: 1 for IB(1).
func settingValue(shown string) string {
	if _, number, ok := strings.Cut(strings.TrimSuffix(shown, ")"), "("); ok {
		return number
	}
	return shown
}

// FirmwareAvailable compares an adapter's firmware with the one that its tool offers.
var FirmwareAvailable = check.Check{
	ID:     "firmware-available",
	Title:  "firmware of a NIC against the one that its tool has at hand",
	Why:    "a later release mends faults of links and of RDMA; whether one of them is here its notes say",
	Worst:  record.Info,
	Source: "NVIDIA, MFT manual: mlxfwmanager",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for _, c := range h.Facts.NICFirmware {
				if c.Current == "" || c.Available == "" || !rdma.NewerFirmware(c.Available, c.Current) {
					continue
				}
				name := "NIC " + c.Type
				f := record.Finding{
					Severity: record.Info, Have: "firmware " + c.Current,
					Want:     c.Available + ", which the tool has at hand",
					Evidence: []record.EvidenceLine{{Host: h.Name, Source: c.Source, Line: c.Line}},
					Consequence: "nothing that is known; look into the notes of the releases between for what is wrong here, and " +
						"leave a NIC that does what it should",
					Fix:  "mlxfwmanager -u, then restart the machine or mlxfwreset reset (the NIC's links go down)",
					Undo: fmt.Sprintf("mlxfwmanager -u -f -i with the image of %s", c.Current),
				}
				if c.Device != "" {
					name += " at " + c.Device
					device := check.Quoted("linux", c.Device)
					f.Fix = fmt.Sprintf("mlxfwmanager -d %s -u, then restart the machine or mlxfwreset -d %s reset (the NIC's "+
						"links go down)", device, device)
					f.Undo = fmt.Sprintf("mlxfwmanager -d %s -u -f -i with the image of %s", device, c.Current)
				}
				if c.Status.Line != "" {
					f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: c.Status.Source, Line: c.Status.Line})
				}
				f.Subject = h.Subject(name)
				r.Found(f, f.Subject)
			}
		}
	},
}
