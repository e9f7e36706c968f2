package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/facts"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/record/claims"
)

// onlyCandidates are the causes that are no verdict at any time: what they cost stands in no counter.
var onlyCandidates = []string{iommu.ID, storageAbove.ID, storageBehind.ID}

// names reports whether a verdict has an id among its candidates.
func names(v *record.Verdict, id string) bool {
	return v != nil && slices.ContainsFunc(v.Candidates, func(c record.Candidate) bool { return c.Limiter == id })
}

// worse reports whether a run is judged worse by tables in which an entry of that id is missing: a verdict is no longer true or no longer proved, it
// names another place, or, of a cause that is a candidate at most, the candidate is gone.
func (x examined) worse(was, now *record.Run, id string) bool {
	for i, e := range was.Experiments {
		truth := x.of.TruthOf(i)
		if e.Verdict == nil || !slices.Contains(truth, e.Verdict.Limiter) {
			continue
		}
		v := now.Experiments[i].Verdict
		if v == nil || !slices.Contains(truth, v.Limiter) || e.Verdict.Limiter == id && (v.Component != e.Verdict.Component || e.Verdict.Confidence == "proved" && v.Confidence != "proved") ||
			slices.Contains(onlyCandidates, id) && names(e.Verdict, id) && !names(v, id) {
			return true
		}
	}
	return false
}

// Every entry of the tables of causes counts: without it at least one recorded run is judged worse. Other runs are judged as before, because causes
// are asked one after another.
func TestWithoutACause(t *testing.T) {
	t.Parallel()
	type judgedRun struct {
		examined
		was *record.Run
	}
	by := map[string][]judgedRun{}
	for _, x := range recordedRuns(t, "") {
		j := judgedRun{x, x.judged(t, known())}
		var ids []string
		for _, e := range j.was.Experiments {
			if e.Verdict == nil {
				continue
			}
			ids = append(ids, e.Verdict.Limiter)
			for _, c := range e.Verdict.Candidates {
				ids = append(ids, c.Limiter)
			}
		}
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			by[id] = append(by[id], j)
		}
	}
	try := func(table, title, id string, without tables) {
		var lost []string
		for _, j := range by[id] {
			if j.worse(j.was, j.judged(t, without), id) {
				lost = append(lost, j.name)
				if !testing.Verbose() {
					break
				}
			}
		}
		if len(lost) == 0 {
			t.Errorf("without %s (%s, %s) every recorded run is judged as rightly as with it", id, table, title)
		}
		t.Logf("| %s `%s` (%s) | %s |", table, id, title, strings.Join(lost, ", "))
	}
	for i, c := range causes {
		all := known()
		all.causes = slices.Delete(slices.Clone(causes), i, i+1)
		try(fmt.Sprintf("causes[%d]", i), c.Title, c.ID, all)
	}
	for i, c := range chaseCauses {
		all := known()
		all.chase = slices.Delete(slices.Clone(chaseCauses), i, i+1)
		try(fmt.Sprintf("chaseCauses[%d]", i), c.Title, c.ID, all)
	}
}

// storedCase is a cell of storage with what is true of it.
type storedCase struct {
	name, truth string
	all         []*record.Experiment // the first is judged
	shots       func(host string) Shots
}

// recordedStorage are recorded cells of storage. A file is called by its truth, with what it is a case of behind a plus sign.
func recordedStorage(t *testing.T) (out []storedCase) {
	t.Helper()
	files, err := filepath.Glob("testdata/storage/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		truth, _, _ := strings.Cut(name, "+")
		c := storedCase{name: name, truth: truth}
		if err := json.Unmarshal(readFile(t, file), &c.all); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, c)
	}
	return out
}

func (c storedCase) verdict(table []storageCause) *record.Verdict {
	return storageVerdictOf(table, c.all[0], c.all, c.shots)
}

// Every entry of the table of storage counts.
func TestWithoutAStorageCause(t *testing.T) {
	t.Parallel()
	cases := append(recordedStorage(t), storageCases(t)...)
	for i, cause := range storageCauses {
		without := slices.Delete(slices.Clone(storageCauses), i, i+1)
		var lost []string
		for _, c := range cases {
			was, now := c.verdict(storageCauses), c.verdict(without)
			if was == nil || was.Limiter != c.truth {
				continue // the tests of these cases say it
			}
			if now == nil || now.Limiter != c.truth || slices.Contains(onlyCandidates, cause.ID) && names(was, cause.ID) && !names(now, cause.ID) {
				lost = append(lost, c.name)
			}
		}
		if len(lost) == 0 {
			t.Errorf("without %s (storageCauses[%d], %s) every case of storage is judged as rightly as with it", cause.ID, i, cause.Title)
		}
		t.Logf("| storageCauses[%d] `%s` (%s) | %s |", i, cause.ID, cause.Title, strings.Join(lost, ", "))
	}
}

// Every entry of the table of copies counts.
func TestWithoutACopyCause(t *testing.T) {
	t.Parallel()
	for i, cause := range copyCauses {
		without := slices.Delete(slices.Clone(copyCauses), i, i+1)
		var lost []string
		for _, c := range copyCases() {
			if v := copyVerdictOf(without, c.e, append([]*record.Experiment{c.e}, c.beside...)); v == nil || v.Limiter != c.limiter {
				lost = append(lost, c.name)
			}
		}
		if len(lost) == 0 {
			t.Errorf("without copyCauses[%d] (%s) every case of a copy is judged as rightly as with it", i, cause.Title)
		}
		t.Logf("| copyCauses[%d] (%s) | %s |", i, cause.Title, strings.Join(lost, ", "))
	}
}

// Every entry of the tables of pasted figures counts.
func TestWithoutAFigureCause(t *testing.T) {
	t.Parallel()
	lost := func(alone []figureCause, grouped []figureGroupCause) (out []string) {
		for _, c := range figureCases(t) {
			all := c.claims(t)
			judgeClaims(alone, grouped, all)
			if all[0].Verdict.Limiter != c.limiter {
				out = append(out, c.name)
			}
		}
		return out
	}
	if wrong := lost(figureCauses, figureGroupCauses); len(wrong) > 0 {
		t.Fatalf("with every cause: %v", wrong)
	}
	for i, cause := range figureCauses {
		names := lost(slices.Delete(slices.Clone(figureCauses), i, i+1), figureGroupCauses)
		if len(names) == 0 {
			t.Errorf("without figureCauses[%d] (%s) every figure is judged as rightly as with it", i, cause.Title)
		}
		t.Logf("| figureCauses[%d] (%s) | %s |", i, cause.Title, strings.Join(names, ", "))
	}
	for i, cause := range figureGroupCauses {
		names := lost(figureCauses, slices.Delete(slices.Clone(figureGroupCauses), i, i+1))
		if len(names) == 0 {
			t.Errorf("without figureGroupCauses[%d] (%s) every figure is judged as rightly as with it", i, cause.Title)
		}
		t.Logf("| figureGroupCauses[%d] (%s) | %s |", i, cause.Title, strings.Join(names, ", "))
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// storageCases are cells that were made up, for causes that no recorded cell is of. What hosts print of their shares is recorded (testdata/smb).
func storageCases(t *testing.T) []storedCase {
	own := func(v float64) func(*record.Experiment) {
		return func(e *record.Experiment) { e.Block.Hosts[0].Own = &v }
	}
	cores := func(v float64) func(*record.Experiment) {
		return func(e *record.Experiment) { e.Block.Hosts[1].Cores = &v }
	}
	making := func(e *record.Experiment) { e.Block.Workers[0].Making = 0.8 }
	unseen := func(e *record.Experiment) { e.Block.Hosts[1].Drives = nil }
	share := func(source string) func(*record.Experiment) {
		return func(e *record.Experiment) {
			e.Block.Workers[0].Source = source
			e.Repeats = []record.Repeat{{CPU: []record.CPU{{Host: "nas", Core: -1, Threads: []record.Thread{{Kind: record.OtherProcess, Name: "smbd", User: 0.2, System: 0.78, Count: 1}}}}}}
		}
	}
	printed, err := facts.Parse(bytes.ReplaceAll(readFile(t, "testdata/smb/linux.txtar"), []byte("//10.0.1.2/safe "), []byte("//10.0.1.2/safe/below ")))
	if err != nil {
		t.Fatal(err)
	}
	of := func(host string, s Shots) func(string) Shots {
		return func(name string) Shots {
			if name == host {
				return s
			}
			return Shots{}
		}
	}
	quota := func(periods, throttled uint64) *facts.Facts {
		return &facts.Facts{Quotas: []facts.Quota{{Group: "/sys/fs/cgroup/cpu/x", CPUs: 0.3, Periods: periods, Throttled: throttled}}}
	}
	linux := of("pc", Shots{Before: printed})
	one := func(name, truth string, shots func(string) Shots, all ...*record.Experiment) storedCase {
		return storedCase{"made up: " + name, truth, all, shots}
	}
	return []storedCase{
		one("more than the ceiling", Unexplained, nil, stored("SEQ1M-Q8T1", "100%", 1200e6)),
		one("a group's quota", "cpu-quota", of("pc", Shots{Before: quota(100, 10), After: quota(200, 100)}), stored("SEQ1M-Q8T1", "100%", 300e6, drive(0.01, 0.01))),
		one("data that is made", "source-generator", nil, stored("SEQ1M-Q8T1", "0%", 600e6, making, own(0.99), drive(0.3, 0.2))),
		one("written into memory", "page-cache-write", nil, stored("SEQ1M-Q8T1", "0%", 600e6, drive(0.4, 0.3))),
		one("the thread that asks", "cpu-per-request", nil, stored("RND4K-Q32T1", "100%", 400e6, own(0.97))),
		one("the host that stores", "cpu-per-request", nil, stored("RND4K-Q32T1", "100%", 400e6, cores(3.95))),
		one("a share that is encrypted", "smb-encryption", linux, stored("SEQ1M-Q8T1", "100%", 400e6, cores(1.4), share("//10.0.1.2/safe/below"))),
		one("a share that is signed", "smb-signing", linux, stored("SEQ1M-Q8T1", "100%", 400e6, cores(1.4), share("//10.0.1.2/tank"))),
		one("a share over one connection", "smb-single-channel", linux, stored("SEQ1M-Q8T1", "100%", 400e6, cores(1.4), share("//10.0.1.3/plain"))),
		one("few requests, and what more of them give", "one-connection", nil, stored("RND4K-Q4T1", "100%", 40e6), stored("RND4K-Q32T1", "100%", 400e6)),
		one("one request at a time", "one-connection", nil, stored("RND4K-Q1T1", "100%", 40e6)),
		one("drives that nobody saw", Unexplained, nil, stored("SEQ1M-Q8T1", "100%", 400e6, unseen), stored("SEQ1M-Q32T1", "100%", 405e6)),
	}
}

// figureCase is a figure with what is true of it.
type figureCase struct {
	name, limiter string
	claims        func(t *testing.T) []*Claim // the first is judged
}

func figureCases(t *testing.T) []figureCase {
	t.Helper()
	said := func(rate unit.BitRate, a path.Asked, over string) func(*testing.T) []*Claim {
		return func(t *testing.T) []*Claim { return []*Claim{heldClaim(t, claims.Said(rate, "said"), a, over)} }
	}
	streams := func(t *testing.T) []*Claim {
		return []*Claim{claim(t, claims.Figure{Tool: "iperf3", Rate: 12e9, Streams: []unit.BitRate{3e9, 3e9, 3e9, 2.99e9}, OneThread: unit.Known(true), SenderCPU: unit.Known(0.99)}, 40e9, 1500)}
	}
	row := func(t *testing.T, depth, threads int, latency, bytes float64) *Claim {
		f := claims.Said(unit.BitRate(8*bytes), "row")
		f.Tool, f.Row, f.Way, f.Block, f.Pattern = "crystaldiskmark", "RND", "read", 4096, "random"
		f.Depth, f.Threads, f.Latency = unit.Known(depth), unit.Known(threads), unit.Known(latency)
		return heldClaim(t, f, path.Asked{Drive: "pcie4x4", WithoutLink: true}, "")
	}
	return []figureCase{
		{"less than a rate that the bus does not reach", "pcie", func(t *testing.T) []*Claim {
			c, errs := NewClaim(claims.Said(20e9, "said"), Said{Name: "<20G", LessThan: true}, path.Asked{Rate: 100e9, PCIe: "1.1x8", Frame: ceiling.Ethernet{MTU: 1500}}, transport(t, "rocev2"))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			return []*Claim{c}
		}},
		{"line rate of 25GbE", "layer-mixed", said(25e9, path.Asked{Rate: 25e9}, "tcp")},
		{"frames of 10GbE", "layer-mixed", said(9.6e9, path.Asked{Rate: 10e9}, "tcp")},
		{"two functions of one port, added", "above-ceiling", said(189.85e9, path.Asked{Rate: 200e9, PathMTU: 1024}, "rocev2")},
		{"QL41212 in 3.0x2, MaxPayload not known", "pcie", said(13e9, path.Asked{Rate: 25e9, PCIe: "3.0x2"}, "rocev2")},
		{"ib_send_bw on 100GbE", "link", said(97e9, path.Asked{Rate: 100e9, PathMTU: 4096}, "rocev2")},
		{"four streams of one thread", "tool-single-thread", streams},
		{"one request at a time, and 512", oneConnection, func(t *testing.T) []*Claim {
			return []*Claim{row(t, 1, 1, 48.38e-6, 84.503e6), row(t, 32, 16, 494.56e-6, 4094.649e6)}
		}},
	}
}
