package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/golden"
	"linerate/internal/record"
	"linerate/internal/report/reporttest"
)

func chain(rate float64) *record.Chain {
	return &record.Chain{Limit: unit.BitRate(rate), Component: "link",
		Hops: []record.Hop{
			{Component: "link", Kind: "cable", Layer: record.LayerWire, Rate: unit.Known(unit.BitRate(rate)),
				Inputs: []record.Input{{Name: "rate", Value: rate, Origin: record.Declared}}},
		}}
}

func estimate(v float64) *record.Estimate {
	return &record.Estimate{Median: v, Low: v * .99, High: v * 1.01, Interval: "range", Repeats: 3}
}

func busy(a, b float64) []record.CPU {
	return []record.CPU{
		{Host: "nas", Core: 0, System: a / 2},
		{Host: "nas", Core: 1, User: a / 2},
		{Host: "nas", Core: -1, User: a},
		{Host: "pc", Core: 0, SoftIRQ: b},
		{Host: "pc", Core: -1, User: b},
	}
}

// pairRun is a run of the shape that linerate run records of two hosts, with every experiment that a summary has rows
// for. Its figures are invented.
func pairRun() *record.Run {
	const link = "nas.cx3.1--pc.cx3.1"
	r := &record.Run{ID: "kxzp", Version: "0.1.0", Started: time.Date(2026, 11, 21, 18, 30, 0, 0, time.UTC),
		Fabric: "nas-40g", FabricText: "fabric: nas-40g\n",
		Sentence: "One core of pc (97.0 %) holds nas -> pc back with 1 stream; with 8 streams it runs at 94.0 % of its " +
			"ceiling, which is the link's.",
		Hosts: []record.HostState{
			{Name: "nas", OS: "freebsd", Kernel: "14.3-RELEASE", CPU: "Intel Xeon E3-1231 v3", Cores: 8},
			{Name: "pc", OS: "windows", Kernel: "10.0.26100", CPU: "Intel Core i7-4790K", Cores: 8},
		},
		Plan: record.Picture{Hosts: []record.PictureHost{
			{Name: "nas", OS: "freebsd",
				Ports: []record.PicturePort{{ID: "nas.cx3.1", Interface: "mlxen0", Part: "MCX354A-FCCT"}},
				NICs:  []record.PictureNIC{{Name: "cx3", Part: "MCX354A-FCCT", Slot: "pcie3x8"}}},
			{Name: "pc", OS: "windows",
				Ports: []record.PicturePort{{ID: "pc.cx3.1", Interface: "Ethernet 3", Part: "MCX354A-FCCT"}},
				NICs:  []record.PictureNIC{{Name: "cx3", Part: "MCX354A-FCCT", Slot: "pcie3x8"}}},
		},
			Links: []record.PictureLink{
				{Name: link, Ends: [2]string{"nas.cx3.1", "pc.cx3.1"}, Rate: 40e9, Cable: "dac 2 m"},
			}}}
	ends := []record.End{{Host: "nas", Port: "nas.cx3.1"}, {Host: "pc", Port: "pc.cx3.1"}}
	add := func(e *record.Experiment) *record.Experiment {
		e.From, e.To, e.Ends, e.Links = "nas", "pc", ends, []string{link}
		e.InEffect = map[string]string{"mtu": "9000"}
		r.Experiments = append(r.Experiments, e)
		return e
	}
	for _, x := range []struct {
		streams, direction string
		rate, a, b         float64
	}{{"1", "out", 21.43e9, .81, .97}, {"1", "in", 18.92e9, .88, .79}, {"8", "out", 37.21e9, 2.61, 3.12},
		{"8", "in", 36.84e9, 2.9, 2.7}} {
		e := add(&record.Experiment{Name: "line-rate", Method: "throughput", Direction: x.direction,
			Settings: map[string]string{"streams": x.streams}, Goodput: estimate(x.rate), Ceiling: chain(39.6e9),
			CPU: busy(x.a, x.b)})
		e.Verdict = &record.Verdict{Sentence: "the link", ShareOfCeiling: new(x.rate / 39.6e9)}
	}
	both := add(
		&record.Experiment{Name: "both", Method: "throughput", Direction: "both", Settings: map[string]string{"streams": "8"},
			Goodput: estimate(61.2e9), Ceiling: chain(78.6e9), CPU: busy(4.01, 5.2)},
	)
	both.Forward, both.Backward = estimate(31.0e9), estimate(30.2e9)
	add(&record.Experiment{Name: "answer", Method: "latency", Direction: "out", Settings: map[string]string{"size": "64B"},
		Latency: &record.Latency{P50: 14.2e-6, P99: 22.8e-6, P999: 61e-6}, CPU: busy(.4, .5)})
	add(&record.Experiment{Name: "answer-loaded", Method: "latency", Direction: "out",
		Settings: map[string]string{"load_streams": "4", "load_direction": "both"},
		Latency:  &record.Latency{P50: 95e-6, P99: 412e-6},
		Load: &record.Load{Streams: 4, Direction: "both", Goodput: estimate(58.3e9),
			Idle: &record.Latency{P50: 15e-6, P99: 23e-6}},
		CPU: busy(3.9, 5)})
	block := func(load, read string, mb float64, size int64, depth, a, b float64, over string) {
		bytes := mb * 1e6
		count := &record.BlockCount{BytesPerSecond: bytes, IOPS: bytes / float64(size)}
		e := add(&record.Experiment{Name: "drive", Method: method.Storage, Direction: "out",
			Settings: map[string]string{"load": load, "read": read, "profile": "cdm", "transport": over},
			Bytes:    estimate(bytes), Ceiling: chain(39.4e9)})
		e.From, e.To, e.InEffect = "pc", "nas.tank", map[string]string{"window": "5 s"}
		for i := range 3 {
			k := *count
			k.BytesPerSecond *= 1 - float64(i)*.02 // the first is the best
			k.IOPS *= 1 - float64(i)*.02
			b := &record.Block{Depth: depth,
				Workers: []record.BlockWorker{
					{Host: "pc", Span: 1 << 30, Export: &record.BlockExport{Protocol: over, Kernel: true}},
				},
				Hosts: []record.BlockHost{
					{Host: "pc", Asks: true, Cores: new(b + float64(i))},
					{Host: "nas", Stores: true, Cores: new(a)},
				}}
			if b.Read = &k; read == "0%" {
				b.Read, b.Write = nil, &k
			}
			e.Repeats = append(e.Repeats, record.Repeat{Index: i, Block: b})
		}
	}
	for i, read := range []string{"100%", "0%"} {
		k := 1 - .2*float64(i)
		block("SEQ1M-Q8T1", read, 3520.1*k, 1<<20, 8, 1.2, 1.7, "smb")
		block("SEQ1M-Q1T1", read, 1804.3*k, 1<<20, 1, .9, 1.1, "smb")
		block("RND4K-Q32T1", read, 412.6*k, 4096, 32, 2.2, 3.1, "smb")
		block("RND4K-Q1T1", read, 62*k, 4096, 1, .5, .7, "smb")
	}
	return r
}

// fullRun has RDMA, too, and two lines of notes.
func fullRun() *record.Run {
	r := pairRun()
	first := r.Experiments[0]
	for _, op := range []string{"write", "read", "send"} {
		for i, direction := range []string{"out", "in"} {
			r.Experiments = append(r.Experiments,
				&record.Experiment{Name: "rdma", Method: method.RDMA, From: "nas", To: "pc", Links: first.Links,
					Direction: direction, Goodput: estimate(38.1e9 - float64(i)*1e9), Ceiling: chain(38.8e9),
					Settings: map[string]string{"op": op, "metric": "goodput", "size": "64KiB"}, CPU: busy(.1, .2)})
		}
		r.Experiments = append(r.Experiments,
			&record.Experiment{Name: "rdma-latency", Method: method.RDMA, From: "nas", To: "pc",
				Links: first.Links, Direction: "out", Latency: &record.Latency{P50: 1.31e-6, P99: 2.02e-6, P999: 3.4e-6},
				Settings: map[string]string{"op": op}, CPU: busy(1, 1)})
	}
	first.Repeats = []record.Repeat{{Noisy: true}, {}, {}}
	return r
}

// bareRun has little: no CPU of the second host, no ceiling, one direction, one that failed.
func bareRun() *record.Run {
	return &record.Run{ID: "abcd", Version: "0.1.0", Started: time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC),
		Lab: &record.Lab{Scale: .1},
		Experiments: []*record.Experiment{
			{Name: "stream", Method: "throughput", From: "local", To: "nas", Direction: "out",
				Settings: map[string]string{"streams": "1", "size": "1MiB"}, Goodput: estimate(941e6)},
			{Name: "stream", Method: "throughput", From: "local", To: "nas", Direction: "in",
				Settings: map[string]string{"streams": "1"}, Failed: "10.0.0.2:41234: connection refused"},
			{Name: "stream", Method: "throughput", From: "local", To: "nas", Direction: "out",
				Settings: map[string]string{"streams": "8", "pace": "10M"}, Goodput: estimate(80e6)},
		}}
}

// hostileRun has names that try to end every form.
func hostileRun() *record.Run {
	bad := []string{
		"nas`\n```\n[/code]|<script>alert(1)</script>\x1b[31m",
		"\u202eevil\u200f" + strings.Repeat("x", 5000) + ";,\"=cmd()\r\nVerdict: none",
		"日本→\u0000\u0007\u009b[2J",
	}
	r := fullRun()
	r.ID, r.Version = "a b\nc", "1 summary 9"+strings.Repeat("→", 90)
	r.Sentence = strings.Repeat("→",
		900) + bad[0] + bad[1] + "\nlinerate 0.1.0  summary 7  x  run y\n" + strings.Repeat("long ", 900)
	for i := range r.Hosts {
		r.Hosts[i].OS, r.Hosts[i].CPU = bad[i], bad[1-i]
	}
	for i := range r.Plan.Hosts {
		r.Plan.Hosts[i].NICs[0].Part, r.Plan.Hosts[i].NICs[0].Slot = bad[2], "=1+1"
	}
	r.Plan.Links[0].Cable = bad[0] + bad[1]
	rename := strings.NewReplacer("nas", "n`s", "pc", "=pc|[/code]")
	for i := range r.Hosts {
		r.Hosts[i].Name = rename.Replace(r.Hosts[i].Name)
	}
	for i := range r.Plan.Hosts {
		r.Plan.Hosts[i].Name = rename.Replace(r.Plan.Hosts[i].Name)
	}
	for _, e := range r.Experiments {
		e.Name, e.From, e.To = bad[0], rename.Replace(e.From), rename.Replace(e.To)
		e.Variant = bad[2]
		for k := range e.Settings {
			if k == "size" {
				e.Settings[k] = bad[1]
			}
		}
	}
	return r
}

var runs = map[string]func() *record.Run{"pair": pairRun, "full": fullRun, "bare": bareRun, "hostile": hostileRun}

var endings = map[string]string{"text": ".txt", "markdown": ".md", "bbcode": ".bbcode", "csv": ".csv", "json": ".json"}

func TestForms(t *testing.T) {
	names, _ := Forms()
	for name, make := range runs {
		all := Of(make())
		if len(all) != 1 {
			t.Fatalf("%s: %d summaries", name, len(all))
		}
		for _, form := range names {
			got, err := Write(Set{Summaries: all}, form)
			if err != nil {
				t.Fatal(err)
			}
			if (form == "text" || name == "pair" || name == "hostile") && endings[form] != "" {
				golden.Compare(t, "testdata/"+name+endings[form], got)
			}
			for i, line := range strings.Split(got, "\n") {
				if n := len([]rune(line)); (form == "text" || form == "bbcode") && n > Width &&
					!strings.HasPrefix(line, dataStart) {
					t.Errorf("%s as %s: line %d has %d columns: %s", name, form, i+1, n, line)
				}
			}
			for _, r := range got {
				if r < ' ' && r != '\n' && !(r == '\r' && form == "csv") ||
					r >= 0x7f && (form == "text" || form == "bbcode") || r >= 0x7f && r < 0xa0 || r == 0x202e {
					t.Fatalf("%s as %s has the character %U", name, form, r)
				}
			}
		}
	}
	if _, err := Write(Set{}, "yaml"); err == nil || !strings.Contains(err.Error(), "bbcode") {
		t.Errorf("a form that is not there: %v", err)
	}
}

// Hostile names can end no form: there is one fence, one end of a block of code, no tag, no additional row, no formula.
func TestHostileNames(t *testing.T) {
	s := Set{Summaries: Of(hostileRun())}
	text := func(form string) string {
		out, err := Write(s, form)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if md := text(
		"markdown",
	); strings.Count(md, "```") != 2 || strings.Contains(md, "<script") != strings.Contains(s.Summaries[0].Text(),
		"<script") || strings.Count(md, "<details>") != 1 || strings.Contains(strings.Split(md, "<details>")[0], "<script") {
		t.Errorf("markdown:\n%s", md)
	}
	for _, line := range strings.Split(strings.Split(text("markdown"), "<details>")[0], "\n") {
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "| RTT") && n != 6 {
			t.Errorf("a row with %d bars: %s", n, line)
		}
	}
	if code := text("bbcode"); strings.Count(code, "[/code]") != 1 || !strings.HasSuffix(code, "[/code]\n") {
		t.Errorf("bbcode:\n%s", code)
	}
	for _, value := range strings.Split(strings.ReplaceAll(text("csv"), "\r\n", ","), ",") {
		if strings.HasPrefix(strings.TrimPrefix(value, `"`), "=") {
			t.Errorf("a formula: %s", value)
		}
	}
	for _, form := range []string{"text", "markdown", "bbcode", "json"} {
		back, problems := ParseAll(text(form))
		if len(back) != 1 || len(problems) > 0 {
			t.Fatalf("%s: %d summaries, %v", form, len(back), problems)
		}
		if form != "json" && back[0].data() != s.Summaries[0].data() {
			t.Errorf("%s reads back as\n%s", form, back[0].Text())
		}
	}
}

// What a run does not have is not known, never 0.
func TestWhatIsMissing(t *testing.T) {
	text := Of(bareRun())[0].Text()
	reporttest.Has(t, strings.Join(strings.Fields(text), " "),
		"local -> nas 941 Mb/s (link not known) Lab on one machine, rates at 1/10: not real hardware. local not known nas "+
			"not known 1 stream of ceiling local -> nas 941 Mb/s not known note: TCP 1 stream A -> B: size 1MiB",
		"note: TCP 1 stream B -> A: not measured: 10.0.0.2:41234: connection refused linerate 0.1.0, run abcd, 2026-11-21")
	for _, word := range []string{"RDMA", "RTT", "8 streams", "nas -> local", "MB/s"} {
		if strings.Contains(text, word) {
			t.Errorf("%s was not measured:\n%s", word, text)
		}
	}
}

// The bottleneck is that of the direction with the lowest share; a full link is none.
func TestBottleneck(t *testing.T) {
	r := pairRun()
	for _, e := range r.Experiments[:4] {
		e.Verdict.Limiter = record.LimiterLink
	}
	if c := Of(r)[0]; c.Bottleneck != "" || c.Fix != "" {
		t.Errorf("full links: %q, %q", c.Bottleneck, c.Fix)
	}
	v := r.Experiments[1].Verdict
	v.Limiter, v.Component, v.Confidence, v.Fix = "cpu-per-packet", "nas: core 5", "likely", "MTU 9000"
	c := Of(r)[0]
	if c.Bottleneck != "pc -> nas: CPU, per packet of nas (likely)" || c.Fix != "MTU 9000" {
		t.Errorf("%q, %q", c.Bottleneck, c.Fix)
	}
	reporttest.Has(t, c.Text(), "Bottleneck pc -> nas: CPU, per packet of nas (likely).\nFix: MTU 9000\n")
	if back, _ := Parse(c.Text()); back.Bottleneck != c.Bottleneck || back.Fix != c.Fix {
		t.Errorf("read back: %q, %q", back.Bottleneck, back.Fix)
	}
	v.Limiter, v.Component, v.Fix = record.LimiterLocalShaper, "tbf on eth0 of pc", "tc qdisc del dev eth0 root\n"+
		"on nas: ip link set eth1 mtu 9000\nthen measure again"
	if c, want := Of(r)[0], "on pc: tc qdisc del dev eth0 root; on nas: ip link set eth1 mtu 9000; then measure "+
		"again"; c.Fix != want {
		t.Errorf("%q, want %q", c.Fix, want)
	}
}

// A ceiling of one direction is not printed as that of the link.
func TestCeilingOfEachDirection(t *testing.T) {
	c := Of(pairRun())[0]
	for _, s := range []struct {
		ab, ba float64
		want   string
	}{
		{1e10, 1e10, "nas -> pc 9.00 Gb/s, pc -> nas 8.00 Gb/s (link, ceiling 10.0 Gb/s)"},
		{1e10, 8e9, "nas -> pc 9.00 Gb/s of 10.0 Gb/s, pc -> nas 8.00 Gb/s of 8.00 Gb/s (link)"},
		{0, 8e9, "nas -> pc 9.00 Gb/s, pc -> nas 8.00 Gb/s of 8.00 Gb/s (link)"},
		{0, 0, "nas -> pc 9.00 Gb/s, pc -> nas 8.00 Gb/s (link)"},
	} {
		c.Link = "link"
		a, b, _ := c.Headline()
		a.Goodput, a.Ceiling, b.Goodput, b.Ceiling = new(9e9), nil, new(8e9), nil
		if s.ab > 0 {
			a.Ceiling = &s.ab
		}
		if s.ba > 0 {
			b.Ceiling = &s.ba
		}
		if got := c.carried(); got != s.want {
			t.Errorf("%q, want %q", got, s.want)
		}
	}
}

// Hosts of a lab that were reached one by one are not hardware either, and guests among them are emulated.
func TestHostsOfALab(t *testing.T) {
	for _, c := range []struct {
		connection string
		emulated   bool
		want       string
	}{{"ssh nas", false, ""}, {"lab ab12/nas", false, "on one machine"}, {"lab ab12/nas", true, "emulated machines"},
		{"ssh nas", true, "emulated machines"}} {
		r := bareRun()
		r.Lab, r.Hosts, r.Experiments[0].Emulated = nil, []record.HostState{
			{Name: "local", Connection: "local"},
			{Name: "nas", Connection: c.connection},
		}, c.emulated
		summary := Of(r)[0]
		if summary.Lab != c.want || summary.Emulated() != c.emulated ||
			strings.Contains(summary.Text(), "not real hardware") != (c.want != "") {
			t.Errorf("%+v: %q", c, summary.Lab)
		}
	}
}

// A storage row is the best repeat, with the CPU time of that one.
func TestBest(t *testing.T) {
	c := Of(pairRun())[0]
	if len(c.Storage) != 1 || len(c.Storage[0].Rows) != 8 {
		t.Fatalf("%+v", c.Storage)
	}
	row := c.Storage[0].Rows[0]
	if row.Key != "read-SEQ1M-Q8T1" || *row.BytesPerSecond != 3520.1e6 || *row.CoresB != 1.7 || *row.CoresA != 1.2 ||
		fmt.Sprintf("%.3f", *row.Mean*1e3) != "2.383" || c.Storage[0].AskedBy != "B" {
		t.Errorf("%+v", row)
	}
}

// What makes another figure of a load of the same name is noted, and keeps its rows apart.
func TestStorageConditions(t *testing.T) {
	r := pairRun()
	for _, e := range slices.Clone(r.Experiments) {
		if e.Method == method.Storage {
			cached := *e
			cached.Settings = maps.Clone(e.Settings)
			cached.Settings["cache"], cached.Settings["sync"] = "through", "true"
			r.Experiments = append(r.Experiments, &cached)
		}
	}
	c := Of(r)[0]
	if len(c.Storage) != 2 || !slices.ContainsFunc(c.Notes, func(n string) bool {
		return strings.Contains(n, "SEQ1M Q8T1 read") && strings.HasSuffix(n,
			": through the system's cache (cache: through), every write is on the medium before it is answered (sync: true)")
	}) {
		t.Errorf("%d storages, %q", len(c.Storage), c.Notes)
	}
}

// A page's short form, whose repeats have no workers, still has what was measured.
func TestStorageOfAShortForm(t *testing.T) {
	r := pairRun()
	for _, e := range r.Experiments {
		if e.Method == method.Storage {
			e.Block = &record.Block{Workers: []record.BlockWorker{
				{Host: "pc", Span: 1 << 30, Export: &record.BlockExport{Protocol: "nvme-tcp", Instead: "smb"}},
			}}
			for i := range e.Repeats {
				e.Repeats[i].Block.Workers = nil
			}
		}
	}
	if s := Of(r)[0].Storage[0]; s.Over != "nvme-tcp instead of smb by programs" || s.Span != "1 GiB" {
		t.Errorf("%+v", s)
	}
}

// A run of several pairs has a summary for each that has figures, and none for an experiment of many hosts. The
// directions are those of the first experiment.
func TestPairs(t *testing.T) {
	r := &record.Run{ID: "mesh", Sentence: "of all of them",
		Plan: record.Picture{Switches: []string{"sw"},
			Links: []record.PictureLink{{Name: "a--sw", Ends: [2]string{"a.n.1", "sw.1"}, Rate: 1e10, Cable: "dac 1 m"},
				{Name: "b--sw", Ends: [2]string{"b.n.1", "sw.2"}, Rate: 1e10, Cable: "dac 1 m"}}}}
	add := func(from, to, direction, streams string, rate float64, links ...string) *record.Experiment {
		e := &record.Experiment{Name: "x", Method: "throughput", From: from, To: to, Direction: direction,
			Links: links, Settings: map[string]string{"streams": streams}}
		if rate > 0 {
			e.Goodput = estimate(rate)
		}
		r.Experiments = append(r.Experiments, e)
		return e
	}
	add("a", "b", "out", "1", 1e9, "a--sw", "b--sw").Verdict = &record.Verdict{Sentence: "near", ShareOfCeiling: new(.9)}
	add("b", "a", "out", "8", 2e9, "b--sw", "a--sw").Verdict = &record.Verdict{Sentence: "far",
		ShareOfCeiling: new(.2)} // from B to A
	add("a", "c", "out", "1", 0)
	add("a", "c", "in", "1", 3e9)
	add("d", "c", "in", "1", 0)
	add("n[1-3]", "n4", "out", "1", 4e9).Pattern = "incast"
	add("a", "b", "out", "1", 5e9, "a--sw", "b--sw").Variant = "ten"
	add("a", "b", "out", "1", 7e9, "a--sw", "b--sw").Settings["size"] = "1KiB" // has a setting of its own
	e := &record.Experiment{Name: "own", Verdict: &record.Verdict{Sentence: "a cache", ShareOfCeiling: new(.1)},
		Method: method.Storage, From: "b", To: "b.nvme", Settings: map[string]string{"load": "RND4K-Q1T1"},
		Repeats: []record.Repeat{
			{Block: &record.Block{Depth: 1, Read: &record.BlockCount{BytesPerSecond: 1e6, IOPS: 244}}},
		}}
	r.Experiments = append(r.Experiments, e,
		&record.Experiment{Name: "own", Method: method.Storage, From: "z", To: "z.nvme", Settings: e.Settings,
			Repeats: e.Repeats})
	var titles []string
	all := Of(r)
	for _, c := range all {
		titles = append(titles, c.Title())
	}
	if got := strings.Join(titles, ", "); got != "a - b, a - c, a - b [ten], z" {
		t.Fatalf("summaries: %s", got)
	}
	ab := all[0]
	if *ab.Row("tcp-1-ab").Goodput != 1e9 || *ab.Row("tcp-8-ba").Goodput != 2e9 || ab.Row("tcp-8-ab").Measured {
		t.Errorf("a - b:\n%s", ab.Text())
	}
	if ab.Verdict != "far a cache" || !strings.Contains(ab.Link, "10.0 Gb/s dac 1 m, through sw, MTU not known") {
		t.Errorf("verdict %q, link %q", ab.Verdict, ab.Link)
	}
	if len(ab.Storage) != 1 || ab.Storage[0].AskedBy != "B" {
		t.Errorf("b's own drive: %+v", ab.Storage)
	}
	if *all[1].Row("tcp-1-ba").Goodput != 3e9 {
		t.Errorf("a - c:\n%s", all[1].Text())
	}
	if len(all[3].Ends) != 1 || strings.Contains(all[3].Text(), "stream") {
		t.Errorf("z:\n%s", all[3].Text())
	}
	for _, c := range all {
		if back, problems := Parse(c.Text()); len(problems) > 0 || back.data() != c.data() {
			t.Errorf("%s: %v\n%s", c.Title(), problems, back.Text())
		}
	}
}

// Where too few round trips are behind a percentile, and where the cores have other work in them, the notes have it.
func TestNotesOfWhatIsMissing(t *testing.T) {
	r := pairRun()
	has := func() (few, cores bool) {
		for _, n := range Of(r)[0].Notes {
			few = few || strings.Contains(n, "p99 and p99.9 are not known, because 40 round trips are too few for them") &&
				strings.HasPrefix(n, "Ping, under load")
			cores = cores || n == "the cores count all that a host did, other work too: that had up to 1.9 of them"
		}
		return
	}
	if few, cores := has(); few || cores {
		t.Errorf("nothing is missing: %q", Of(r)[0].Notes)
	}
	for _, e := range r.Experiments {
		if e.Load != nil {
			e.Latency.P99, e.Latency.Count = 0, 40
			e.Repeats = append(e.Repeats, record.Repeat{OtherProcesses: 1.9, Noisy: true})
		}
	}
	if few, cores := has(); !few || !cores {
		t.Errorf("%q", Of(r)[0].Notes)
	}
}

// What checks found wrong on the hosts of a summary is in it; other hosts and warnings are not.
func TestNotesOfChecks(t *testing.T) {
	r := pairRun()
	subject := func(host string) record.Subject { return record.Subject{Host: host, Parts: []string{"xg0"}} }
	wanted := "1500, as the link a--b has"
	r.Findings = []record.Finding{
		{Severity: record.Warning, Subject: subject("nas"), Have: "MTU 4000", Want: wanted},
		{Severity: record.Error, Subject: subject("other"), Have: "MTU 5000", Want: wanted},
		{Severity: record.Error, Subject: subject("nas"), Have: "MTU 9000", Want: wanted},
	}
	notes := strings.Join(Of(r)[0].Notes, "\n")
	if !strings.Contains(notes, "linerate check: nas: xg0: MTU 9000; wanted: 1500\n") ||
		strings.Contains(notes, "4000") || strings.Contains(notes, "5000") {
		t.Error(notes)
	}
}
