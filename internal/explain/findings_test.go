package explain

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"

	"linerate/internal/record/runfolder"
)

// Faults of the hosts before the measurement are in the record of the run, with the same id as in the verdict.
func TestFindings(t *testing.T) {
	for name, want := range map[string]string{"healthy": "", "local-shaper": "local-shaper",
		"offloads-off": "offloads-off", "wrong-nic": "wrong-nic", "receive-window-cap": "receive-window-cap"} {
		r := load(t, name)
		r.verdict(t)
		ids := r.findings()
		if want == "" && len(ids) > 0 || want != "" && !slices.Contains(ids, want) {
			t.Errorf("%s: found %v, want %q; not looked at: %v", name, ids, want, r.run.Unchecked)
		}
	}
}

// What is wrong on a host is found also where nothing could be measured, and leads.
func TestFindingsWithoutAFigure(t *testing.T) {
	r := from(t, "healthy", "exp Failed = no way there ; exp Repeats = nil, Goodput = nil",
		`edit host2. "ifname":"cardp1","flags":\["BROADCAST","MULTICAST","UP","LOWER_UP"\] => "ifname":"cardp1","flags":["BROADCAST","MULTICAST"]`)
	r.verdict(t)
	if ids := r.findings(); !slices.Contains(ids, "link-down") ||
		!strings.Contains(r.run.Sentence, "Nothing could be measured: host2: cardp1: switched off") {
		t.Errorf("found %v; %s", ids, r.run.Sentence)
	}
}

// A host whose snapshots are lost is reported, not taken for a healthy one.
func TestFindingsOfALostSnapshot(t *testing.T) {
	r := load(t, "healthy")
	host := r.exp.Ends[0].Host
	r.do(t, "without /"+host+".").verdict(t)
	if len(r.run.Unchecked) == 0 || r.run.Unchecked[0].Subject != host {
		t.Errorf("%+v", r.run.Unchecked)
	}
}

// A run reads PCI Express under load: a link that is slow only when idle is not a fault, one that stays slow is.
func TestFindingsUnderLoad(t *testing.T) {
	const link, width = `\n-- grep -r . /sys/bus/pci/devices/0000:41:00.0 --\n` +
		`/sys/bus/pci/devices/0000:41:00.0/current_link_speed`,
		` GT/s PCIe\n/sys/bus/pci/devices/0000:41:00.0/current_link_width:8\n`
	for during, want := range map[string]string{"16.0": "pcie-idle-downclock", "2.5": "pcie-degraded"} {
		r := load(t, "healthy")
		end := r.exp.Ends[0]
		r.do(t, "add "+end.Host+".before "+link+":2.5"+width+`/sys/bus/pci/devices/0000:41:00.0/class:0x020000\n`+
			`/sys/bus/pci/devices/0000:41:00.0/max_link_speed:16.0 GT/s PCIe\n`+
			`/sys/bus/pci/devices/0000:41:00.0/max_link_width:8\n`+
			`-- readlink -f /sys/class/net/`+end.Interface+`/device --\n/sys/devices/pci0000:40/0000:41:00.0\n`)
		r.files[runfolder.SnapshotName(end.Host, record.At(record.During, r.exp.ID))] =
			[]byte("schema linerate/snapshot/1\nhost " + end.Host + "\nos linux\nlevel counters")
		r.do(t, "add "+end.Host+".during "+link+":"+during+width).verdict(t)
		for _, f := range r.run.Findings {
			if !slices.ContainsFunc(f.Evidence, func(e record.EvidenceLine) bool {
				return strings.HasPrefix(e.Line, "link "+strings.TrimSuffix(during, ".0")+" GT/s x8, under throughput ")
			}) {
				t.Errorf("%s GT/s under load: the reading is not in the evidence: %+v", during, f.Evidence)
			}
		}
		if ids := r.findings(); !slices.Equal(ids, []string{want}) {
			t.Errorf("%s GT/s under load: found %v, want %s; not looked at: %v", during, ids, want, r.run.Unchecked)
		}
	}
}

// An MTU that the run itself had set for an experiment is not a finding about the host, whose own MTU is then not
// known.
func TestFindingsOfAnOwnMTU(t *testing.T) {
	for own, want := range map[bool]bool{false: true, true: false} {
		r := load(t, "healthy")
		r.run.FabricText = strings.Replace(r.run.FabricText, "fabric: three\n", "fabric: three\nmtu: 9000\n", 1)
		if own {
			r.exp.Settings["mtu"] = "1500"
		}
		r.verdict(t)
		found := slices.ContainsFunc(r.run.Findings, func(f record.Finding) bool { return f.ID == "mtu" })
		said := slices.ContainsFunc(r.run.Unchecked, func(u record.Unknown) bool {
			return strings.Contains(u.Reason, "the run had set MTU 1500")
		})
		if found != want || said == want {
			t.Errorf("set by the run: %v: found %+v, not looked at %+v", own, r.run.Findings, r.run.Unchecked)
		}
	}
}
