package storage

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/record"
)

// storedCase is a combination of storage with its true verdict.
type storedCase struct {
	name, truth string
	all         []*record.Experiment // the first is judged
	shots       func(host string) judge.Shots
}

// recordedStorage returns recorded combinations of storage. The name of a file is its true verdict, with a description
// after a plus sign.
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
		if err := json.Unmarshal(contentOf(t, file), &c.all); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, c)
	}
	return out
}

func (c storedCase) verdict(table []Cause) *record.Verdict {
	return Verdict(table, c.all[0], c.all, c.shots)
}

// isCandidate reports whether a verdict has the id among its candidates.
func isCandidate(v *record.Verdict, id string) bool {
	return v != nil && slices.ContainsFunc(v.Candidates, func(c record.Candidate) bool { return c.Limiter == id })
}

// Every entry of the table of storage is needed.
func TestWithoutAStorageCause(t *testing.T) {
	t.Parallel()
	cases := append(recordedStorage(t), storageCases(t)...)
	for i, cause := range Causes() {
		without := slices.Delete(Causes(), i, i+1)
		var lost []string
		for _, c := range cases {
			was, now := c.verdict(Causes()), c.verdict(without)
			if was == nil || was.Limiter != c.truth {
				continue // the tests of these cases check it
			}
			if now == nil || now.Limiter != c.truth || (cause.ID == storageAbove.ID || cause.ID == storageBehind.ID) &&
				isCandidate(was, cause.ID) && !isCandidate(now, cause.ID) {
				lost = append(lost, c.name)
			}
		}
		if len(lost) == 0 {
			t.Errorf("without %s (storageCauses[%d], %s) every case of storage is judged as rightly as with it", cause.ID, i,
				cause.Title)
		}
		t.Logf("| storageCauses[%d] `%s` (%s) | %s |", i, cause.ID, cause.Title, strings.Join(lost, ", "))
	}
}

// Every entry of the table of copies is needed.
func TestWithoutACopyCause(t *testing.T) {
	t.Parallel()
	for i, cause := range CopyCauses() {
		without := slices.Delete(CopyCauses(), i, i+1)
		var lost []string
		for _, c := range copyCases() {
			if v := CopyVerdict(without, c.e, append([]*record.Experiment{c.e}, c.others...)); v == nil ||
				v.Limiter != c.limiter {
				lost = append(lost, c.name)
			}
		}
		if len(lost) == 0 {
			t.Errorf("without copyCauses[%d] (%s) every case of a copy is judged as rightly as with it", i, cause.Title)
		}
		t.Logf("| copyCauses[%d] (%s) | %s |", i, cause.Title, strings.Join(lost, ", "))
	}
}

func contentOf(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// storageCases returns invented combinations for the causes without a recorded one. The outputs of hosts about their
// shares are recorded (testdata/smb).
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
			e.Repeats = []record.Repeat{{CPU: []record.CPU{{Host: "nas", Core: -1,
				Threads: []record.Thread{{Kind: record.OtherProcess, Name: "smbd", User: 0.2, System: 0.78, Count: 1}}}}}}
		}
	}
	printed, err := read.Parse(bytes.ReplaceAll(contentOf(t, "testdata/smb/linux.txtar"), []byte("//10.0.1.2/safe "),
		[]byte("//10.0.1.2/safe/below ")))
	if err != nil {
		t.Fatal(err)
	}
	of := func(host string, s judge.Shots) func(string) judge.Shots {
		return func(name string) judge.Shots {
			if name == host {
				return s
			}
			return judge.Shots{}
		}
	}
	quota := func(periods, throttled uint64) *facts.Facts {
		return &facts.Facts{Quotas: []facts.Quota{{Group: "/sys/fs/cgroup/cpu/x", CPUs: 0.3, Periods: periods,
			Throttled: throttled}}}
	}
	linux := of("pc", judge.Shots{Before: printed})
	one := func(name, truth string, shots func(string) judge.Shots, all ...*record.Experiment) storedCase {
		return storedCase{"made up: " + name, truth, all, shots}
	}
	return []storedCase{
		one("more than the ceiling", record.LimiterUnexplained, nil, stored("SEQ1M-Q8T1", "100%", 1200e6)),
		one("a group's quota", "cpu-quota", of("pc", judge.Shots{Before: quota(100, 10), After: quota(200, 100)}),
			stored("SEQ1M-Q8T1", "100%", 300e6, drive(0.01, 0.01))),
		one("data that is made", "source-generator", nil, stored("SEQ1M-Q8T1", "0%", 600e6, making, own(0.99),
			drive(0.3, 0.2))),
		one("written into memory", "page-cache-write", nil, stored("SEQ1M-Q8T1", "0%", 600e6, drive(0.4, 0.3))),
		one("the thread that asks", "cpu-per-request", nil, stored("RND4K-Q32T1", "100%", 400e6, own(0.97))),
		one("the host that stores", "cpu-per-request", nil, stored("RND4K-Q32T1", "100%", 400e6, cores(3.95))),
		one("a share that is encrypted", "smb-encryption", linux, stored("SEQ1M-Q8T1", "100%", 400e6, cores(1.4),
			share("//10.0.1.2/safe/below"))),
		one("a share that is signed", "smb-signing", linux, stored("SEQ1M-Q8T1", "100%", 400e6, cores(1.4),
			share("//10.0.1.2/tank"))),
		one("a share over one connection", "smb-single-channel", linux,
			stored("SEQ1M-Q8T1", "100%", 400e6, cores(1.4), share("//10.0.1.3/plain"))),
		one("few requests, and what more of them give", "one-connection", nil, stored("RND4K-Q4T1", "100%", 40e6),
			stored("RND4K-Q32T1", "100%", 400e6)),
		one("one request at a time", "one-connection", nil, stored("RND4K-Q1T1", "100%", 40e6)),
		one("drives that nobody saw", record.LimiterUnexplained, nil, stored("SEQ1M-Q8T1", "100%", 400e6, unseen),
			stored("SEQ1M-Q32T1", "100%", 405e6)),
	}
}
