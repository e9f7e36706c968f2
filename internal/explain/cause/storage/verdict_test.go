package storage

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/record"
)

// stored returns a combination of storage over a network, changed by what a case needs.
func stored(load, read string, bytes float64, change ...func(*record.Experiment)) *record.Experiment {
	cores, own := 0.6, 0.3
	count := &record.BlockCount{Bytes: int64(bytes), Operations: int64(bytes / 4096), IOPS: bytes / 4096,
		BytesPerSecond: bytes}
	e := &record.Experiment{Name: "x", Method: "storage", From: "pc", To: "nas.tank", Direction: "out",
		Settings: map[string]string{"load": load, "read": read},
		Bytes:    &record.Estimate{Median: bytes}, IOPS: &record.Estimate{Median: bytes / 4096},
		Latency: &record.Latency{P50: 200e-6},
		Ceiling: &record.Chain{Limit: 8e9, Component: "link pc.a--nas.a",
			Hops: []record.Hop{{Component: "link pc.a--nas.a", Kind: "cable", Rate: unit.Known(unit.BitRate(8e9))}}},
		Block: &record.Block{Workers: []record.BlockWorker{{Host: "pc"}},
			Hosts: []record.BlockHost{{Host: "pc", Asks: true, Cores: &cores, Own: &own, Of: 4},
				{Host: "nas", Stores: true, Cores: &cores, Own: &own, Of: 4, Drives: []record.DriveCount{{Name: "sda",
					ReadBytes: int64(bytes), WrittenBytes: int64(bytes), Busy: 0.5}}}}}}
	if read == "0%" {
		e.Block.Write = count
	} else {
		e.Block.Read = count
	}
	for _, f := range change {
		f(e)
	}
	return e
}

func drive(busy, share float64) func(*record.Experiment) {
	return func(e *record.Experiment) {
		d := &e.Block.Hosts[1].Drives[0]
		d.Busy, d.ReadBytes, d.WrittenBytes = busy, int64(float64(d.ReadBytes)*share), int64(float64(d.WrittenBytes)*share)
	}
}

func TestStorageVerdict(t *testing.T) {
	own := func(v float64) func(*record.Experiment) {
		return func(e *record.Experiment) { e.Block.Hosts[0].Own = &v }
	}
	cores := func(v float64) func(*record.Experiment) {
		return func(e *record.Experiment) { e.Block.Hosts[1].Cores = &v }
	}
	deep := stored("RND4K-Q32T1", "100%", 400e6)
	for _, c := range []struct {
		name                string
		e                   *record.Experiment
		others              []*record.Experiment
		limiter, confidence string
		says                string
	}{
		{"the network is full", stored("SEQ1M-Q8T1", "100%", 970e6), nil, "link", "proved", "970 MB/s of 1.00 GB/s"},
		{"the network is full, and all of it came from memory", stored("SEQ1M-Q8T1", "100%", 970e6, drive(0, 0)), nil, "link",
			"proved", "reaches what link"},
		{"read from memory", stored("SEQ1M-Q8T1", "100%", 600e6, drive(0.01, 0.02)), nil, "page-cache-read", "proved",
			"sda of nas moved 12.0 MB"},
		{"written into memory", stored("SEQ1M-Q8T1", "0%", 600e6, drive(0.4, 0.3)), nil, "page-cache-write", "proved",
			"600 MB that were written"},
		{"half of it from memory is the drive's", stored("SEQ1M-Q8T1", "100%", 600e6, drive(0.99, 0.6)), nil, "media-limit",
			"likely", "sda of nas"},
		{"the drive is busy", stored("SEQ1M-Q8T1", "100%", 500e6, drive(0.99, 1)), nil, "media-limit", "likely",
			"99.0 % of the time, and gave 500 MB/s"},
		{"and more requests give no more", stored("SEQ1M-Q8T1", "100%", 500e6, drive(0.99, 1)),
			[]*record.Experiment{stored("SEQ1M-Q32T1", "100%", 510e6)}, "media-limit", "proved", "sda of nas"},
		{"more requests give more, however busy the drive is", stored("RND4K-Q1T1", "100%", 40e6, drive(1, 1)),
			[]*record.Experiment{deep}, "one-connection", "proved", "RND4K-Q32T1, read) it gives 400 MB/s"},
		{"those of another block, or that write, say nothing of it", stored("RND4K-Q1T1", "100%", 40e6, drive(1, 1)),
			[]*record.Experiment{stored("RND8K-Q32T1", "100%", 400e6), stored("RND4K-Q32T1", "0%", 400e6)}, "one-connection",
			"likely", "one request under way at a time, and each takes 200 us"},
		{"the thread that asks", stored("RND4K-Q32T1", "100%", 400e6, own(0.97)), nil, "cpu-per-request", "likely",
			"1 thread on pc had no time left"},
		{"two threads have two cores", stored("RND4K-Q32T2", "100%", 400e6, own(0.97)), nil, record.LimiterUnexplained, "",
			"no CPU, drive or link"},
		{"the host that stores", stored("RND4K-Q32T1", "100%", 400e6, cores(3.95)), nil, "cpu-per-request", "likely",
			"CPU of nas"},
		{"nothing is full", stored("RND4K-Q32T1", "100%", 400e6), nil, record.LimiterUnexplained, "", "is not explained"},
	} {
		v := Verdict(Causes(), c.e, append([]*record.Experiment{c.e}, c.others...), nil)
		if v == nil || v.Limiter != c.limiter || v.Confidence != c.confidence || !strings.Contains(v.Sentence, c.says) {
			t.Errorf("%s: %+v, want %s (%s), %q", c.name, v, c.limiter, c.confidence, c.says)
		}
	}
	for _, id := range []string{"link", "page-cache-read", "media-limit", "one-connection", "cpu-per-request"} {
		if !slices.Contains(causeIDs(), id) {
			t.Errorf("%s is in no table", id)
		}
	}
	e := stored("RND4K-Q1T1", "100%", 0)
	if v := Verdict(Causes(), e, nil, nil); v != nil {
		t.Errorf("nothing was read: %+v", v)
	}
}

// docs/causes.md has a line for every cause of storage, in the order in which they are tried.
func TestDocumentedStorageCauses(t *testing.T) {
	b, err := os.ReadFile("../../../../docs/causes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), "\n## Of storage\n")
	if !ok {
		t.Fatal("docs/causes.md has no table of storage")
	}
	last := 0
	for _, id := range causeIDs() {
		at := strings.Index(text, "\n| `"+id+"`")
		if at < last {
			t.Errorf("docs/causes.md: %s is not where it is asked", id)
		}
		last = at
	}
}

// reported returns the verdict on a combination, with the snapshots of its hosts.
func reported(e *record.Experiment, others []*record.Experiment, snapshots map[string]judge.Shots) *record.Verdict {
	return Verdict(Causes(), e, append([]*record.Experiment{e}, others...),
		func(host string) judge.Shots { return snapshots[host] })
}

func says(t *testing.T, name string, v *record.Verdict, limiter, confidence string, texts ...string) {
	t.Helper()
	if v == nil || v.Limiter != limiter || v.Confidence != confidence {
		t.Errorf("%s: %+v, want %s (%s)", name, v, limiter, confidence)
		return
	}
	for _, text := range texts {
		if !strings.Contains(v.Sentence, text) {
			t.Errorf("%s: %q does not say %q", name, v.Sentence, text)
		}
	}
	if confidence != "" && limiter != "link" && (v.Fix == "" && v.NextExperiment == "" && limiter != "cpu-per-request") {
		t.Errorf("%s: nothing to do: %+v", name, v)
	}
}

// Threads that spend their time on generating data are the bottleneck, however much of it a cache took.
func TestSourceGenerator(t *testing.T) {
	making := func(made, own float64) func(*record.Experiment) {
		return func(e *record.Experiment) { e.Block.Workers[0].Making, e.Block.Hosts[0].Own = made, &own }
	}
	says(t, "one thread makes data all the time", reported(stored("SEQ1M-Q8T1", "0%", 600e6, making(0.8, 0.99),
		drive(0.3, 0.2)), nil, nil), "source-generator", "likely", "1 thread on pc spent 80 % of the time",
		"not a figure of the storage")
	says(t, "two of two", reported(stored("SEQ1M-Q8T2", "0%", 600e6, making(1.7, 1.96)), nil, nil), "source-generator",
		"likely", "85 %")
	says(t, "the time went elsewhere", reported(stored("SEQ1M-Q8T1", "0%", 600e6, making(0.2, 0.99)), nil, nil),
		"cpu-per-request", "likely", "the CPU that asks")
	v := reported(stored("SEQ1M-Q8T1", "0%", 600e6, making(0.6, 0.6)), nil, nil)
	says(t, "and it had time left", v, record.LimiterUnexplained, "")
	if v != nil && (len(v.Candidates) != 1 || v.Candidates[0].Limiter != "source-generator") {
		t.Errorf("%+v", v.Candidates)
	}
	says(t, "the network is full all the same", reported(stored("SEQ1M-Q8T1", "0%", 970e6, making(0.9, 0.99)), nil, nil),
		"link", "proved")
}

// Writes whose rate drops once: the verdict has both rates and the time of the drop. A slow decline, a recovery, or
// reads do not count.
func TestBurstCache(t *testing.T) {
	series := func(all ...float64) func(*record.Experiment) {
		return func(e *record.Experiment) {
			r := record.Repeat{Slice: 0.5}
			for _, v := range all {
				r.SeriesOut = append(r.SeriesOut, v*8e6)
			}
			e.Repeats = []record.Repeat{r}
		}
	}
	burst := series(450, 452, 448, 451, 180, 81, 80, 79, 82, 80, 40)
	v := reported(stored("SEQ1M-Q8T1", "0%", 250e6, drive(0.99, 1), burst), nil, nil)
	says(t, "a burst", v, "burst-cache", "likely", "wrote 450 MB/s for 2", "80.4 MB/s from then on",
		"the mean, 250 MB/s, is the figure of neither")
	v = reported(stored("SEQ1M-Q8T1", "0%", 250e6, drive(0.5, 1), burst), nil, nil)
	says(t, "of a drive that has time left", v, record.LimiterUnexplained, "")
	if v != nil && (len(v.Candidates) != 1 || v.Candidates[0].Limiter != "burst-cache") {
		t.Errorf("%+v", v.Candidates)
	}
	for name, e := range map[string]*record.Experiment{
		"a rate that stands still": stored("SEQ1M-Q8T1", "0%", 250e6, drive(0.99, 1),
			series(250, 255, 245, 250, 240, 250, 251, 249)),
		"a rate that falls slowly": stored("SEQ1M-Q8T1", "0%", 250e6, drive(0.99, 1),
			series(400, 350, 300, 260, 220, 180, 140, 100)),
		"a rate that goes up": stored("SEQ1M-Q8T1", "0%", 250e6, drive(0.99, 1), series(80, 80, 81, 80, 450, 451, 450, 449)),
		"a rate that comes and goes": stored("SEQ1M-Q8T1", "0%", 250e6, drive(0.99, 1),
			series(450, 80, 450, 80, 450, 80, 450, 80)),
		"too short": stored("SEQ1M-Q8T1", "0%", 250e6, drive(0.99, 1), series(450, 80, 80)),
		"no series": stored("SEQ1M-Q8T1", "0%", 250e6, drive(0.99, 1)),
	} {
		says(t, name, reported(e, nil, nil), "media-limit", "likely")
	}
}

// The comparison with writes that do not wait shows that writes wait for the drive. Alone they are a candidate.
func TestSyncWrites(t *testing.T) {
	sync := func(e *record.Experiment) { e.Settings["sync"] = "true" }
	waits := stored("RND4K-Q1T1", "0%", 2e6, sync, drive(0.97, 1))
	free := stored("RND4K-Q1T1", "0%", 90e6, drive(0.97, 1))
	deep := stored("RND4K-Q32T1", "0%", 30e6, sync, drive(0.97, 1))
	v := reported(waits, []*record.Experiment{free, deep}, nil)
	says(t, "with both next to it", v, "sync-writes", "proved", "90.0 MB/s in place of 2.00 MB/s")
	if v != nil && (len(v.Evidence) != 2 || !strings.Contains(v.Evidence[1].Text, "which share a flush")) {
		t.Errorf("%+v", v.Evidence)
	}
	says(t, "the free ones themselves", reported(free, []*record.Experiment{waits}, nil), "one-connection", "likely")
	says(t, "they are as fast without", reported(stored("RND4K-Q32T1", "0%", 85e6, sync, drive(0.97, 1)),
		[]*record.Experiment{stored("RND4K-Q32T1", "0%", 90e6)}, nil), "media-limit", "likely")
	says(t, "others than the same say nothing", reported(waits, []*record.Experiment{stored("RND8K-Q1T1", "0%", 90e6),
		stored("RND4K-Q1T1", "100%", 90e6)}, nil), "one-connection", "likely")
	if v := reported(waits, nil, nil); v == nil || len(v.Candidates) != 1 || v.Candidates[0].Limiter != "sync-writes" {
		t.Errorf("alone: %+v", v)
	}
}

// A control group's quota that limits the client, or the exporting process, precedes memory as the cause.
func TestStorageQuota(t *testing.T) {
	quota := func(periods, throttled uint64) *facts.Facts {
		return &facts.Facts{Quotas: []facts.Quota{{Group: "/sys/fs/cgroup/cpu/x", CPUs: 0.3, Periods: periods,
			Throttled: throttled}}}
	}
	snapshots := map[string]judge.Shots{"pc": {Before: quota(100, 10), After: quota(200, 100)}}
	e := stored("SEQ1M-Q8T1", "100%", 300e6, drive(0.01, 0.01)) // own is 0.3
	says(t, "the host that asks", reported(e, nil, snapshots), "cpu-quota", "proved", "held back by pc",
		"30 % of a CPU core")
	says(t, "the host that stores", reported(e, nil, map[string]judge.Shots{"nas": snapshots["pc"]}), "cpu-quota",
		"proved", "held back by nas")
	says(t, "it waits now and then", reported(e, nil, map[string]judge.Shots{"pc": {Before: quota(100, 10),
		After: quota(200, 20)}}), "page-cache-read", "proved")
}

// The measured share, and a core that is full while others are not.
func TestStorageSMB(t *testing.T) {
	const from = "//10.0.1.2/tank"
	mounted := func(options string, channels int) map[string]judge.Shots {
		m := facts.Mount{From: from, At: "/mnt", Kind: "cifs", Options: map[string]string{},
			Server: netip.MustParseAddr("10.0.1.2")}
		for o := range strings.SplitSeq(options, ",") {
			k, v, _ := strings.Cut(o, "=")
			m.Options[k] = v
		}
		f := &facts.Facts{}
		f.Storage.Mounts = []facts.Mount{m}
		f.Storage.SMB = &facts.SMBClient{Servers: []facts.SMBServer{{Address: m.Server, Channels: channels}}}
		return map[string]judge.Shots{"pc": {Before: f}}
	}
	thread := func(host, name string, used float64, count int) func(*record.Experiment) {
		return func(e *record.Experiment) {
			e.Block.Workers[0].Source = from
			e.Repeats = []record.Repeat{{CPU: []record.CPU{{Host: host, Core: -1,
				Threads: []record.Thread{{Kind: record.OtherProcess, Name: name, User: 0.2, System: used - 0.2, Count: count}}}}}}
		}
	}
	busy := func(change ...func(*record.Experiment)) *record.Experiment {
		return stored("SEQ1M-Q8T1", "100%", 400e6, append(change, func(e *record.Experiment) {
			used := 1.4
			e.Block.Hosts[1].Cores = &used
		})...)
	}
	says(t, "signed", reported(busy(thread("nas", "smbd", 0.98, 1)), nil, mounted("vers=3.1.1,sec=ntlmsspi", 1)),
		"smb-signing", "likely", "one core of nas", "smbd had 98 % of a core")
	says(t, "encrypted", reported(busy(thread("pc", "cifsd", 0.97, 1)), nil, mounted("seal,sign", 4)), "smb-encryption",
		"likely", "is encrypted")
	says(t, "one connection", reported(busy(thread("nas", "smbd", 0.98, 1)), nil, mounted("vers=3.1.1", 1)),
		"smb-single-channel", "likely", "goes over one connection")
	for name, v := range map[string]*record.Verdict{
		"several connections": reported(busy(thread("nas", "smbd", 0.98, 1)), nil, mounted("vers=3.1.1", 4)),
		"another share": reported(busy(thread("nas", "smbd", 0.98, 1),
			func(e *record.Experiment) { e.Block.Workers[0].Source = "//10.0.1.3/x" }), nil, mounted("sign", 1)),
		"it has time left":       reported(busy(thread("nas", "smbd", 0.6, 1)), nil, mounted("sign", 1)),
		"several share the work": reported(busy(thread("nas", "smbd", 0.98, 8)), nil, mounted("sign", 1)),
		"another program":        reported(busy(thread("nas", "backup", 0.98, 1)), nil, mounted("sign", 1)),
	} {
		says(t, name, v, record.LimiterUnexplained, "")
	}
}

// The hosts' own reports, and not the mount's options, show whether shares are signed or encrypted, and the number of
// connections.
func TestStorageSMBPrinted(t *testing.T) {
	printed := func(name string, replace ...string) map[string]judge.Shots {
		text, err := os.ReadFile(filepath.Join("testdata", "smb", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := read.Parse([]byte(strings.NewReplacer(replace...).Replace(string(text))))
		if len(replace) > 0 && strings.NewReplacer(replace...).Replace(string(text)) == string(text) {
			t.Fatalf("%q is not in %s", replace[0], name)
		}
		if err != nil || len(f.Unknown) > 0 {
			t.Fatal(err, f.Unknown)
		}
		return map[string]judge.Shots{"pc": {Before: f}}
	}
	busy := func(source, target string) *record.Experiment {
		return stored("SEQ1M-Q8T1", "100%", 400e6, func(e *record.Experiment) {
			used := 1.4
			e.Block.Hosts[1].Cores = &used
			if e.Block.Workers[0].Source = source; target != "" {
				e.Block.Workers[0].Target = target
			}
			e.Repeats = []record.Repeat{{CPU: []record.CPU{{Host: "nas", Core: -1,
				Threads: []record.Thread{{Kind: record.OtherProcess, Name: "smbd", User: 0.2, System: 0.78, Count: 1}}}}}}
		})
	}
	linux := printed("linux")
	v := reported(busy("//10.0.1.2/tank", ""), nil, linux)
	says(t, "the server wants signing", v, "smb-signing", "likely", "one core of nas")
	if v.Evidence[0].Source != "proc/fs/cifs/DebugData" || !strings.HasSuffix(v.Evidence[0].Text,
		"SessionId: 0xda27df9a signed") {
		t.Errorf("%+v", v.Evidence[0])
	}
	says(t, "the share is encrypted", reported(busy("//10.0.1.2/safe/below", ""), nil,
		printed("linux", "//10.0.1.2/safe ", "//10.0.1.2/safe/below ")), "smb-encryption", "likely", "is encrypted")
	says(t, "neither, one connection", reported(busy("//10.0.1.3/plain", ""), nil, linux), "smb-single-channel", "likely")
	says(t, "the session is encrypted", reported(busy("//10.0.1.3/plain", ""), nil,
		printed("linux", "SessionId: 0x3819634e", "SessionId: 0x3819634e encrypted(gcm256) signed")), "smb-encryption",
		"likely")
	says(t, "a release that does not say it", reported(busy("//10.0.1.2/tank", ""), nil,
		printed("linux", "Security type: RawNTLMSSP", "Security: RawNTLMSSP")), "smb-single-channel", "likely")

	says(t, "Windows, one connection", reported(busy("", `\\NAS\tank\file`), nil, printed("windows")),
		"smb-single-channel", "likely")
	says(t, "Windows, several", reported(busy("", `\\NAS\tank\file`), nil,
		printed("windows", "False              False", "True               False")), record.LimiterUnexplained, "")
	signing := printed("windows", "RequireSecuritySignature               : False",
		"RequireSecuritySignature               : True")
	says(t, "Windows wants signing", reported(busy("", `\\nas\tank`), nil, signing), "smb-signing", "likely")
	says(t, "another share that begins alike", reported(busy("", `\\nas\tank2`), nil, signing),
		record.LimiterUnexplained, "")
	sealed, err := read.Parse([]byte("os windows\n-- Get-SmbConnection --\nDialect               : 3.1.1 \nEncrypted  " +
		"           : True \nNumOpens              : 1 \nServerName            : nas \nShareName             : tank \n" +
		"Signed                : False \n"))
	if err != nil {
		t.Fatal(err)
	}
	says(t, "Windows, encrypted", reported(busy("", `\\nas\tank\a`), nil, map[string]judge.Shots{"pc": {Before: sealed}}),
		"smb-encryption", "likely")
}

// A shaper of an end is not called the link. Drives that were not observed are a candidate where more requests are not
// faster.
func TestStorageElsewhere(t *testing.T) {
	shaped := func(e *record.Experiment) { e.Ceiling.Hops[0].Kind = "shaper" }
	says(t, "shaped", reported(stored("SEQ1M-Q8T1", "100%", 970e6, shaped), nil, nil), "local-shaper", "proved")
	if v := reported(stored("SEQ1M-Q8T1", "100%", 1200e6), nil, nil); v == nil || v.Limiter != record.LimiterUnexplained ||
		len(v.Candidates) != 1 || v.Candidates[0].Limiter != "above-ceiling" ||
		!strings.Contains(v.Candidates[0].Text, "120 % of what link") {
		t.Errorf("%+v", v)
	}
	unseen := func(e *record.Experiment) { e.Block.Hosts[1].Drives = nil }
	v := reported(stored("SEQ1M-Q8T1", "100%", 400e6, unseen),
		[]*record.Experiment{stored("SEQ1M-Q32T1", "100%", 405e6)}, nil)
	if v == nil || v.Limiter != record.LimiterUnexplained || len(v.Candidates) != 1 ||
		v.Candidates[0].Limiter != "media-limit" || !strings.Contains(v.NextExperiment, "--storage") {
		t.Errorf("%+v", v)
	}
}

// Where the drives of the storage are not known, all drives of the host are counted. Together they show a cache, and a
// drive that is busy with something else is not the bottleneck.
func TestStorageOnSomeDrives(t *testing.T) {
	drives := func(all ...record.DriveCount) func(*record.Experiment) {
		return func(e *record.Experiment) { e.Block.Hosts[1].Drives, e.Block.Hosts[1].AllDrives = all, true }
	}
	part := func(name string, busy, bytes float64) record.DriveCount {
		return record.DriveCount{Name: name, ReadBytes: int64(bytes), Busy: busy}
	}
	four := []record.DriveCount{part("sda", 0.95, 100e6), part("sdb", 0.95, 100e6), part("sdc", 0.95, 100e6),
		part("sdd", 0.95, 100e6)}
	says(t, "a stripe that nobody named", reported(stored("SEQ1M-Q8T1", "100%", 400e6, drives(four...)), nil, nil),
		"media-limit", "likely", "sda of nas")
	says(t, "memory in front of it", reported(stored("SEQ1M-Q8T1", "100%", 400e6,
		drives(part("sda", 0.1, 20e6), part("sdb", 0.1, 30e6))), nil, nil), "page-cache-read", "proved",
		"all 2 drives of nas moved 50.0 MB")
	says(t, "another drive is busy with something else", reported(stored("SEQ1M-Q8T1", "100%", 400e6,
		drives(part("sda", 0.5, 400e6), part("sdb", 0.99, 1e6))), nil, nil), record.LimiterUnexplained, "")
}

// On a host whose cores other programs fill, the storage's own work is not the bottleneck. A program that exports
// storage belongs to that work.
func TestStorageNextToOthers(t *testing.T) {
	full := func(name string, used float64) *record.Experiment {
		return stored("RND4K-Q32T1", "100%", 400e6, func(e *record.Experiment) {
			cores := 3.95
			e.Block.Hosts[1].Cores = &cores
			e.Repeats = []record.Repeat{{CPU: []record.CPU{{Host: "pc+nas", Core: -1, User: 0.4, System: 1.5,
				Threads: []record.Thread{{Kind: record.OtherProcess, Name: name, User: used},
					{Kind: record.KernelThread, Name: "ksoftirqd/0", System: 0.3}}}}}}
		})
	}
	v := reported(full("compile", 2.2), nil, nil)
	if v == nil || v.Limiter != record.LimiterUnexplained || len(v.Candidates) != 1 ||
		!strings.Contains(v.Candidates[0].Text, "2.20 of them by programs that have nothing to do with it (compile most)") ||
		!strings.Contains(v.NextExperiment, "when nothing else runs on nas") {
		t.Errorf("%+v", v)
	}
	if v != nil && (strings.Contains(v.Sentence, "no CPU") || !strings.Contains(v.Sentence,
		"3.95 of the 4 cores of nas were in use, 2.20 of them by programs that have nothing to do with it (compile most)")) {
		t.Errorf("the sentence contradicts its figure: %s", v.Sentence)
	}
	says(t, "a server of shares", reported(full("smbd", 2.2), nil, nil), "cpu-per-request", "likely", "CPU of nas")
	gone := full("cron", 0.1) // a process that ended meanwhile is not listed
	gone.Repeats[0].CPU[0].System = 0.2
	if v := reported(gone, nil, nil); v == nil || v.Limiter != record.LimiterUnexplained || len(v.Candidates) != 1 ||
		!strings.Contains(v.Candidates[0].Text, "had only 0.900 of them") {
		t.Errorf("%+v", v)
	}
	gone.Repeats[0].CPU[0].Host = "nas" // a machine of its own, whose programs are not known
	says(t, "another machine", reported(gone, nil, nil), "cpu-per-request", "likely", "CPU of nas")
	says(t, "something small next to it", reported(full("cron", 0.1), nil, nil), "cpu-per-request", "likely",
		"CPU of nas")
}

// The sentence of an unexplained figure names what the figures next to it show: a full core, drive or link.
func TestStorageUnexplainedHasWhatWasFull(t *testing.T) {
	core := func(busy float64) func(*record.Experiment) {
		return func(e *record.Experiment) {
			e.CPU = []record.CPU{{Host: "pc", Core: -1, User: 1.3}, {Host: "pc", Core: 0, User: busy},
				{Host: "pc", Core: 1, User: 0.3}}
		}
	}
	for _, c := range []struct {
		name      string
		e         *record.Experiment
		says, not string
	}{
		{"one core", stored("RND4K-Q32T1", "100%", 400e6, core(0.99)), "a core of pc was full", "no CPU"},
		{"a drive of many", stored("SEQ1M-Q8T1", "100%", 400e6, func(e *record.Experiment) {
			e.Block.Hosts[1].AllDrives = true
			e.Block.Hosts[1].Drives = append(e.Block.Hosts[1].Drives, record.DriveCount{Name: "sdb", ReadBytes: 1e6, Busy: 0.99})
		}), "sdb of nas was busy 99.0 % of the time", "no CPU, drive"},
		{"above the link", stored("SEQ1M-Q8T1", "100%", 1200e6), "120 % of what link", "or link of it was full"},
		{"nothing", stored("RND4K-Q32T1", "100%", 400e6, core(0.8)), "no CPU, drive or link of it was full",
			"a core of"},
	} {
		if v := reported(c.e, nil, nil); v == nil || v.Limiter != record.LimiterUnexplained ||
			!strings.Contains(v.Sentence, c.says) || strings.Contains(v.Sentence, c.not) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// Recorded experiments of a lab, and of a loop device, one part of which was made slow (cmd/linerate,
// TestStorageVerdicts -record; burst-cache: a control group whose limit was lowered in the middle; sync-writes: the
// machine's own drive): the verdict on the first experiment of each file is its name, up to a plus sign.
// link+read-from-memory is page-cache-read with other figures: those of a lab on a faster machine, where memory filled
// the link. The link is then the bottleneck, wherever the data came from.
func TestRecordedStorage(t *testing.T) {
	all := recordedStorage(t)
	if len(all) < 7 {
		t.Fatalf("%d files", len(all))
	}
	for _, c := range all {
		if v := c.verdict(Causes()); v == nil || v.Limiter != c.truth || v.Confidence == "" {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// causeIDs returns the IDs of the causes, each once, in their order.
func causeIDs() []string {
	var ids []string
	for _, c := range Causes() {
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}
