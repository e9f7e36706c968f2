package tables

import (
	"math"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/claims"
	"linerate/internal/report/compare"
	"linerate/internal/report/format"
	"linerate/internal/report/reporttest"
)

func TestAppTables(t *testing.T) {
	tables := AppTables(reporttest.AppFixture())
	if len(tables) != 2 || tables[0].Title != "lammps on n[1-2]" || tables[1].Title != "sort on n1" {
		t.Fatalf("%+v", tables)
	}
	var rows []string
	for _, r := range tables[0].Rows {
		rows = append(rows, strings.Join(r, " | "))
	}
	want := []string{"8 | new | 2.50 s | 2.40 .. 2.60 s, range of 3 | 3.50 s | 3.00 | 2.00 Gb/s sent",
		"8 | old | 5.00 s | 4.90 .. 5.10 s, range of 3 | 6.00 s | 3.00 | 2.00 Gb/s sent",
		"16 | new | 1.50 s | 1.40 .. 1.60 s, range of 3 | 2.50 s | 3.00 | 2.00 Gb/s sent"}
	if strings.Join(rows, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	said := strings.Join(tables[0].Said, "\n")
	reporttest.Has(t, said, "command: mpirun -n {processes} lmp", "Loop time of 2.5 on 8 procs", "output/x-1.txt",
		"n1 c1 counted 3 packets dropped")
	if row := tables[1].Rows[0]; row[2] != "" || row[3] != format.NotKnown || row[4] != "" ||
		!strings.Contains(tables[1].Said[1], "is the time") {
		t.Errorf("of a command without a figure: %q, %q", row, tables[1].Said)
	}
}

// Figures of two NICs of one run are compared.
func TestAppCompared(t *testing.T) {
	list, err := compare.By(reporttest.AppFixture(), "via")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Metric != "figure" || list[0].Ratio == nil || *list[0].Ratio < 1.99 ||
		*list[0].Ratio > 2.01 {
		t.Errorf("%+v", list)
	}
}

// The certificate says which sensor came nearest to its own limit, and what is not known of the heat.
func TestHeatText(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	end := func(heat ...record.AcceptanceHeat) []record.AcceptanceEnd {
		return []record.AcceptanceEnd{{Host: "a"}, {Host: "b", Heat: heat}}
	}
	nic := record.AcceptanceHeat{Sensor: "temperature of the NIC (asic)", Now: [3]*float64{at(60), at(98), at(97)},
		Limit: at(105)}
	module := record.AcceptanceHeat{Sensor: "temperature of the module", Now: [3]*float64{at(41), nil, at(69)},
		Limit: at(75)}
	bare := record.AcceptanceHeat{Sensor: "temperature of the NIC (temp1)", Now: [3]*float64{at(90), at(91), at(92)}}
	for want, ends := range map[string][]record.AcceptanceEnd{
		"No temperature was read":                                                        end(),
		"Of 1 sensor of temperature none names its own limit.":                           end(bare),
		"nearest to it was b: temperature of the module: 69 °C, its own limit is 75 °C.": end(bare, nic, module),
		"Of 1 sensor of temperature that name their own limit the nearest to it was b: temperature of the NIC (asic): " +
			"98 °C": end(nic),
	} {
		if got := heatText(ends); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The text in CrystalDiskMark's form is read back by the reader of CrystalDiskMark's own, with the same figures.
func TestCrystalReadsBack(t *testing.T) {
	tables := BlockTables(reporttest.StorageFixture())
	if len(tables) != 1 {
		t.Fatalf("%d tables", len(tables))
	}
	text := tables[0].Crystal
	if !strings.Contains(text, "measured by linerate") || !strings.Contains(text, "[Write]") {
		t.Fatalf("the text is\n%s", text)
	}
	figures, err := claims.Read("crystaldiskmark", []byte("CrystalDiskMark\n"+text))
	if err != nil || len(figures) != 4 {
		t.Fatalf("%d figures, %v, of\n%s", len(figures), err, text)
	}
	for i, want := range []float64{500 * 1.1 * (1 << 20) * 8, 10000 * 4096 * 8, 400 * (1 << 20) * 8, 20000 * 4096 * 8} {
		if got := float64(figures[i].Rate); math.Abs(got-want) > 1e-4*want {
			t.Errorf("figure %d: %.0f bit/s, not %.0f", i, got, want)
		}
	}
	if l := figures[0].Latency; math.Abs(l.Or(0)-8/550.) > 1e-6 {
		t.Errorf("mean latency %v of 8 requests under way and 550 a second", l)
	}
}

func TestVerbsTables(t *testing.T) {
	tables := VerbsTables(reporttest.VerbsRun())
	if len(tables) != 2 {
		t.Fatalf("%d tables, want one for writes and one for reads", len(tables))
	}
	w := tables[0]
	if got := strings.Join(w.Headers, " | "); got != "size | 1 pair | 8 pairs" {
		t.Error(got)
	}
	var rows []string
	for _, row := range w.Rows {
		rows = append(rows, strings.Join(row, " | "))
	}
	if got := strings.Join(rows,
		"\n"); got != "64 B | 1.20 us | 1.83 us\n128 B | 1.30 us | 1.86 us\n256 B | 1.90 us | 5.87 us" {
		t.Error(got)
	}
	if len(w.Tails) != 6 || len(w.Tails[0]) != len(w.TailHeaders()) || w.Tails[1][2] != "1.83 us" {
		t.Errorf("tails %v under %v", w.Tails, w.TailHeaders())
	}
	said := strings.Join(w.Said, "\n")
	reporttest.Has(t, said, "p50, half of a round trip; RoCE v2 RC over mlx5_0 port 1, path MTU 4096, inline up "+
		"to 128 B", "release skew: pairs left the barrier together, 8 within 2.50 us of each other",
		"a post takes the thread 300 ns", "8 pairs are more than there are cores for", "8 pairs: between 128 B and 256 B")
	if said := strings.Join(tables[1].Said, "\n"); !strings.Contains(said, "from post to completion") ||
		strings.Contains(said, "released") {
		t.Errorf("of one pair that reads:\n%s", said)
	}
}

// A copy's table has its time and what is in it, and says how it was copied.
func TestCopyTables(t *testing.T) {
	sync, cores := 0.5, 2.0
	one := func(streams string, seconds float64) *record.Experiment {
		return &record.Experiment{ID: streams, Name: "video", Method: "copy", From: "nas.tank", To: "pc.disk",
			Direction: "out", Settings: map[string]string{"streams": streams},
			Seconds: &record.Estimate{Median: seconds, Low: seconds, High: seconds, Interval: "range", Repeats: 3},
			Bytes: &record.Estimate{Median: 3.2e9 / seconds, Low: 3.2e9 / seconds, High: 3.2e9 / seconds,
				Interval: "range", Repeats: 3},
			Copy: &record.Copy{Over: "smb", Tool: "smbclient", On: "pc", Server: "Samba's smbd", Command: "smbclient //nas/x",
				Bytes: 3.2e9, Files: 1,
				Legs: []record.CopyLeg{
					{From: record.CopyPlace{Host: "nas", Path: "/mnt/tank", FileSystem: "ext4", Devices: []string{"sda"}},
						To: record.CopyPlace{Host: "pc", Path: "/home"}, Bytes: 3.2e9, Files: 1, Seconds: seconds,
						Sync: &sync, Cache: "cold: dropped from the cache, nothing of it is left there", Verified: true},
				},
				Threads: []record.CopyThread{{Name: "smbclient", CPU: 0.9 * seconds, Seconds: seconds}},
				Hosts: []record.BlockHost{
					{Host: "pc", Asks: true, Cores: &cores, Of: 8},
					{Host: "nas", Stores: true, Drives: []record.DriveCount{{Name: "sda", ReadBytes: 3.2e9, Busy: 0.8}}},
				}}}
	}
	r := &record.Run{Experiments: []*record.Experiment{one("1", 4), one("3", 2)}}
	all := CopyTables(r)
	if len(all) != 1 || len(all[0].Rows) != 2 {
		t.Fatalf("%+v", all)
	}
	row := strings.Join(all[0].Rows[1], " | ")
	if want := "3 | 3.20 GB | 2.00 s | 500 ms | 1.60 GB/s | "; !strings.HasPrefix(row, want) ||
		!strings.HasSuffix(row, " | 25 % | 80 %") {
		t.Errorf("%s, want %s", row, want)
	}
	said := strings.Join(all[0].Said, "\n")
	reporttest.Has(t, said, "smbclient on pc over smb, from and to Samba's smbd", "command: smbclient //nas/x",
		"from nas /mnt/tank on ext4 (sda), to pc /home: 1 file", "source: cold: dropped",
		"nas (streams 1): sda read 3.20 GB and wrote 0 B by its own counters",
		"the busiest thread of the tools (streams 3): smbclient, 90 % of a core", "size and SHA-256 are the same")
	if text := CopyText(r.Experiments[0]); text != "3.20 GB in 4.00 s, 800 MB/s" {
		t.Error(text)
	}
	for _, e := range r.Experiments {
		e.Copy.Legs[0].Verified = false
	}
	if said := strings.Join(CopyTables(r)[0].Said, "\n"); strings.Contains(said, "SHA-256") {
		t.Error("what was not compared is said to be the same")
	}
}

// Two NICs are compared by the time of an exchange, with a factor and its interval.
func TestHaloCompared(t *testing.T) {
	all, err := compare.By(reporttest.HaloRun(), "via")
	if err != nil || len(all) != 3 {
		t.Fatalf("%d comparisons, %v", len(all), err)
	}
	for _, c := range all {
		if c.Metric != "seconds" || c.Ratio == nil || c.Low == nil || *c.Low > *c.Ratio ||
			c.Interval != "95%" && c.Different == nil {
			t.Errorf("%+v", c)
		}
	}
	if r := *all[1].Ratio; r < 4.9 || r > 5.1 || !*all[1].Different {
		t.Errorf("2 words: %v", r)
	}
}

func TestHaloTables(t *testing.T) {
	tables := HaloTables(reporttest.HaloRun())
	if len(tables) != 2 {
		t.Fatalf("%d tables, want one for tiles and one for processes", len(tables))
	}
	w := tables[0]
	var rows []string
	for _, row := range append([][]string{w.Headers}, w.Rows...) {
		rows = append(rows, strings.Join(row, " | "))
	}
	want := "tiles | via new | via old | second / first\n2 | 10.0 us | 50.0 us | 5.00\n64 | 12.0 us | 48.0 us | " +
		"4.00\n1024 | 40.0 us | 100 us | 2.50"
	if got := strings.Join(rows, "\n"); got != want || w.Title != "halo-tiles, 32 processes" {
		t.Errorf("%s\n%s", w.Title, got)
	}
	said := strings.Join(w.Said, "\n")
	reporttest.Has(t, said, "two-phase over TCP, processes sleep",
		"32 processes as 16 x 2 on 4 hosts: 64 of 128 neighbours are remote, 64 on the same host (memory)",
		"within 10.0 us", "32 processes are more than there are cores for")
	h := *tables[0].Values[[2]string{"2", "via new"}].Halo
	h.Transport, h.Link, h.Soft, h.Wait = "rdma", "rocev2", true, "polling, a turn is given up after 64 looks in vain"
	if got := HaloWay(&h) + ", " + Waits(
		h.Wait,
	); got != "RoCE v2 (the kernel does what a NIC would), processes poll for their halos, a turn is given up after "+
		"64 looks in vain" {
		t.Error(got)
	}
	r := reporttest.HaloRun()
	for _, e := range r.Experiments {
		if e.Settings["via"] == "new" {
			e.Halo.Transport, e.Halo.Link, e.Halo.Wait = "rdma", "rocev2", "polling"
		}
	}
	if said := strings.Join(HaloTables(r)[0].Said, "\n"); !strings.Contains(said,
		"via new: two-phase over RoCE v2, processes poll for their halos\nvia old: two-phase over TCP") {
		t.Errorf("two NICs over two transports:\n%s", said)
	}
	if got := strings.Join(tables[1].Rows[0], " "); tables[1].Headers[0] != "processes" || got != "4 20.0 us" ||
		tables[1].Title != "halo-scale, 2 tiles" {
		t.Errorf("%s: %v %s", tables[1].Title, tables[1].Headers, got)
	}
	if !strings.Contains(string(w.Draw()), "less is better") || tables[1].Draw() != "" {
		t.Error("a chart of three values, and none of two")
	}
}
