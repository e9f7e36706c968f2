package storage

import (
	"testing"

	"linerate/internal/record"
)

// moved returns a drive that moved this many bytes and is made of these drives; nil: not known.
func moved(name string, bytes float64, madeOf []string) record.DriveCount {
	return record.DriveCount{Name: name, ReadBytes: int64(bytes), Busy: 0.5, MadeOf: madeOf}
}

// The bytes of several drives of one storage are added up, but not those of a drive and of its parts, which are the
// same bytes.
func TestSeveralDrives(t *testing.T) {
	none := []string{}
	for _, c := range []struct {
		name    string
		drives  []record.DriveCount
		limiter string
		says    string
	}{
		{"three members of one file system", []record.DriveCount{moved("sda", 200e6, none), moved("sdb", 200e6, none),
			moved("sdc", 200e6, none)}, record.LimiterUnexplained, ""},
		{"three members, and memory in front of them", []record.DriveCount{moved("sda", 20e6, none), moved("sdb", 20e6, none),
			moved("sdc", 20e6, none)}, "page-cache-read", "sda, sdb and sdc of nas moved 60.0 MB"},
		{"a mapped one and its drive", []record.DriveCount{moved("dm-0", 200e6, []string{"sda"}), moved("sda", 200e6, none)},
			"page-cache-read", "dm-0 of nas moved 200 MB"},
		{"a mirror", []record.DriveCount{moved("md0", 600e6, []string{"sda", "sdb"}), moved("sda", 300e6, none),
			moved("sdb", 300e6, none)}, record.LimiterUnexplained, ""},
		{"of which nothing is known", []record.DriveCount{moved("dm-0", 200e6, nil), moved("sda", 200e6, nil)},
			"page-cache-read", "dm-0 of nas moved 200 MB"},
	} {
		e := stored("SEQ1M-Q8T1", "100%", 600e6, func(e *record.Experiment) { e.Block.Hosts[1].Drives = c.drives })
		confidence := "proved"
		if c.limiter == record.LimiterUnexplained {
			confidence = ""
		}
		says(t, c.name, reported(e, nil, nil), c.limiter, confidence, c.says)

		e = copiedOver("1", 500e6, func(e *record.Experiment) {
			e.Copy.Hosts[1].Drives, e.Copy.Legs[0].From.Devices = nil, nil
			for _, d := range c.drives {
				d.ReadBytes = d.ReadBytes * 10 / 6
				e.Copy.Hosts[1].Drives, e.Copy.Legs[0].From.Devices = append(e.Copy.Hosts[1].Drives, d),
					append(e.Copy.Legs[0].From.Devices, d.Name)
			}
		})
		if v := CopyVerdict(CopyCauses(), e, []*record.Experiment{e}); v == nil || v.Limiter != c.limiter {
			t.Errorf("a copy from %s: %+v", c.name, v)
		}
	}
	missing := copiedOver("1", 500e6, func(e *record.Experiment) {
		e.Copy.Hosts[1].Drives[0].ReadBytes /= 3
		e.Copy.Legs[0].From.Devices = []string{"sda", "sdb"}
	})
	if v := CopyVerdict(CopyCauses(), missing, []*record.Experiment{missing}); v == nil || v.Limiter == "page-cache-read" {
		t.Errorf("a drive that nobody counted: %+v", v)
	}
}

// Each of several workers requests a part: the drives of all of them are added up, and a drive that two hosts see
// counts once.
func TestDrivesOfSeveralHosts(t *testing.T) {
	hosts := func(all ...record.BlockHost) func(*record.Experiment) {
		return func(e *record.Experiment) {
			e.Block.Workers, e.Block.Hosts = nil, all
			for _, h := range all {
				if h.Asks {
					w := record.BlockWorker{Host: h.Host}
					if len(h.Drives) > 0 {
						w.Devices = []string{h.Drives[0].Name}
					}
					e.Block.Workers = append(e.Block.Workers, w)
				}
			}
		}
	}
	own := func(name string, bytes float64) record.BlockHost {
		return record.BlockHost{Host: name, Asks: true, Drives: []record.DriveCount{moved("sda", bytes, nil)}}
	}
	far, nas := record.BlockHost{Host: "far", Asks: true}, record.BlockHost{Host: "nas", Stores: true,
		Drives: []record.DriveCount{moved("sdz", 300e6, nil)}}
	says(t, "three hosts, each with its own", reported(stored("SEQ1M-Q8T1", "100%", 600e6,
		hosts(own("a", 200e6), own("b", 200e6), own("c", 200e6))), nil, nil), record.LimiterUnexplained, "")
	says(t, "three hosts, and memory", reported(stored("SEQ1M-Q8T1", "100%", 600e6,
		hosts(own("a", 50e6), own("b", 50e6), own("c", 50e6))), nil, nil), "page-cache-read", "proved",
		"the drives of 3 hosts moved 150 MB")
	says(t, "one drive, seen from both ends",
		reported(stored("SEQ1M-Q8T1", "100%", 800e6, hosts(own("pc", 300e6), nas)), nil, nil), "page-cache-read",
		"proved", "sda of pc moved 300 MB")
	says(t, "one has its own, one another host's", reported(stored("SEQ1M-Q8T1", "100%", 600e6,
		hosts(own("pc", 250e6), far, nas)), nil, nil), record.LimiterUnexplained, "")
	uncounted := func(e *record.Experiment) {
		e.Block.Workers = append(e.Block.Workers, record.BlockWorker{Host: "a", Devices: []string{"sdb"}})
	}
	says(t, "a second drive that nobody counted", reported(stored("SEQ1M-Q8T1", "100%", 600e6, hosts(own("a", 200e6)),
		uncounted), nil, nil), record.LimiterUnexplained, "")
}
