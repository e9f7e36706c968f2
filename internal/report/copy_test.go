package report

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// A copy's table has its time and what is in it, and says how it was copied.
func TestCopyTables(t *testing.T) {
	sync, cores := 0.5, 2.0
	one := func(streams string, seconds float64) *record.Experiment {
		return &record.Experiment{ID: streams, Name: "video", Method: "copy", From: "nas.tank", To: "pc.disk", Direction: "out", Settings: map[string]string{"streams": streams},
			Seconds: &record.Estimate{Median: seconds, Low: seconds, High: seconds, Interval: "range", Repeats: 3}, Bytes: &record.Estimate{Median: 3.2e9 / seconds, Low: 3.2e9 / seconds, High: 3.2e9 / seconds, Interval: "range", Repeats: 3},
			Copy: &record.Copy{Over: "smb", Tool: "smbclient", On: "pc", Server: "Samba's smbd", Command: "smbclient //nas/x", Bytes: 3.2e9, Files: 1,
				Legs:    []record.CopyLeg{{From: record.CopyPlace{Host: "nas", Path: "/mnt/tank", FileSystem: "ext4", Devices: []string{"sda"}}, To: record.CopyPlace{Host: "pc", Path: "/home"}, Bytes: 3.2e9, Files: 1, Seconds: seconds, Sync: &sync, Cache: "cold: dropped from the cache, nothing of it is left there", Verified: true}},
				Threads: []record.CopyThread{{Name: "smbclient", CPU: 0.9 * seconds, Seconds: seconds}},
				Hosts:   []record.BlockHost{{Host: "pc", Asks: true, Cores: &cores, Of: 8}, {Host: "nas", Stores: true, Drives: []record.DriveCount{{Name: "sda", ReadBytes: 3.2e9, Busy: 0.8}}}}}}
	}
	r := &record.Run{Experiments: []*record.Experiment{one("1", 4), one("3", 2)}}
	all := copyTables(r)
	if len(all) != 1 || len(all[0].Rows) != 2 {
		t.Fatalf("%+v", all)
	}
	row := strings.Join(all[0].Rows[1], " | ")
	if want := "3 | 3.20 GB | 2.00 s | 500 ms | 1.60 GB/s | "; !strings.HasPrefix(row, want) || !strings.HasSuffix(row, " | 25.0 % | 80.0 %") {
		t.Errorf("%s, want %s", row, want)
	}
	said := strings.Join(all[0].Said, "\n")
	for _, want := range []string{"smbclient on pc over smb, from and to Samba's smbd", "command: smbclient //nas/x", "from nas /mnt/tank on ext4 (sda), to pc /home: 1 file", "source: cold: dropped", "nas (streams 1): sda read 3.20 GB and wrote 0 B by its own counters",
		"the busiest thread of the tools (streams 3): smbclient, 90.0 % of a core", "size and SHA-256 are the same"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
	if text := CopyText(r.Experiments[0]); text != "3.20 GB in 4.00 s, 800 MB/s" {
		t.Error(text)
	}
	for _, e := range r.Experiments {
		e.Copy.Legs[0].Verified = false
	}
	if said := strings.Join(copyTables(r)[0].Said, "\n"); strings.Contains(said, "SHA-256") {
		t.Error("what was not compared is said to be the same")
	}
}
