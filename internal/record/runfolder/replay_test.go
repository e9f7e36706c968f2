package runfolder

import (
	"bytes"
	"linerate/internal/record/recordtest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func replay(t *testing.T, journal string) *Replayed {
	t.Helper()
	p, err := Replay(strings.NewReader(journal))
	if err != nil {
		t.Fatalf("%v in\n%s", err, journal)
	}
	return p
}

func TestReplay(t *testing.T) {
	dir, r := finished(t)
	p := replay(t, string(read(t, filepath.Join(dir, JournalName))))
	if !p.Ended || !p.Run.Complete || p.Run.ID != r.ID || len(p.Snapshots) != 1 || p.Run.Sentence != r.Sentence ||
		len(p.Run.Goals) != 2 {
		t.Errorf("%+v", p)
	}
	if w := p.Run.Warnings; len(w) != 1 || w[0] != "the clock stepped" {
		t.Errorf("warnings %q", w)
	}
	p.Run.Started, p.Run.Ended, p.Run.Files, p.Run.Warnings = r.Started, r.Ended, r.Files, r.Warnings
	want, _ := r.JSON()
	got, _ := p.Run.JSON()
	if string(got) != string(want) {
		t.Errorf("the journal gives\n%s\nwant\n%s", got, want)
	}
}

// TestTorn cuts a journal at both sides of every line break and at every 13th byte: all whole events before the cut are
// read and nothing else, and the first event is enough to open it.
func TestTorn(t *testing.T) {
	dir, _ := finished(t)
	whole := read(t, filepath.Join(dir, JournalName))
	first := bytes.IndexByte(whole, '\n') + 1
	for cut := range whole {
		if cut%13 != 0 && whole[cut] != '\n' && (cut == 0 || whole[cut-1] != '\n') {
			continue
		}
		for _, tail := range []string{"", "\x00\x00\x00\x00", "\x00\n\x00\n"} {
			p, err := Replay(strings.NewReader(string(whole[:cut]) + tail))
			if cut < first {
				if err == nil && cut < first-1 {
					t.Fatalf("cut at %d, before the end of the first event: readable", cut)
				}
				continue
			}
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			good := int64(bytes.LastIndexByte(whole[:cut], '\n') + 1)
			if p.Good != good && !strings.HasSuffix(tail, "\n") {
				t.Fatalf("cut at %d: good up to %d; want %d", cut, p.Good, good)
			}
			repeats := 0
			if len(p.Run.Experiments) > 0 {
				repeats = len(p.Run.Experiments[0].Repeats)
			}
			if want := bytes.Count(whole[:good], []byte(`{"event":"repeat"`)); repeats != want {
				t.Fatalf("cut at %d: %d repeats; want %d", cut, repeats, want)
			}
		}
	}
}

const (
	begin   = `{"event":"run-started","time":"2026-09-20T10:00:00Z","body":{"schema":"linerate/journal/2","run":{"fabric":"f","id":"abcd"}}}` + "\n"
	repeat0 = `{"event":"repeat","time":"2026-09-20T10:00:01Z","body":{"experiment":"e1","repeat":{"index":0,"goodput":5}}}` + "\n"
	repeat2 = `{"event":"repeat","body":{"experiment":"e1","repeat":{"index":2,"goodput":7}}}` + "\n"
	again0  = `{"event":"repeat","body":{"experiment":"e1","repeat":{"index":0,"goodput":6}}}` + "\n"
	planned = `{"event":"experiment","body":{"id":"e1","name":"line-rate","repeats":[{"index":9}]}}` + "\n"
)

func TestReplayOrder(t *testing.T) {
	p := replay(t, begin+repeat2+repeat0+planned+again0)
	e := p.Run.Experiments[0]
	if len(p.Run.Experiments) != 1 || e.Name != "line-rate" || len(e.Repeats) != 2 ||
		e.Repeats[0].Goodput != 6 || e.Repeats[1].Goodput != 7 {
		t.Errorf("%+v", e)
	}
}

func TestReplayDamage(t *testing.T) {
	for name, x := range map[string]struct{ journal, warning string }{
		"line in the midst": {begin + "garbage\n" + repeat0, "line 2 of the journal was left out"},
		"body in the midst": {begin + `{"event":"repeat","body":{"repeat":7}}` + "\n" + repeat0, "line 2"},
		"second beginning":  {begin + strings.Replace(begin, `"f"`, `"g"`, 1) + repeat0, "line 2"},
		"newer event": {begin + `{"event":"thermal","body":{}}` + "\n" + repeat0,
			"1 events of the journal are of a newer linerate"},
		"newer minor schema": {strings.Replace(begin, "journal/2", "journal/2.7", 1) +
			strings.Replace(repeat0, `"index"`, `"colour":"red","index"`, 1), ""},
	} {
		p := replay(t, x.journal)
		if got := strings.Join(p.Run.Warnings, "|"); !strings.Contains(got, x.warning) || x.warning == "" && got != "" {
			t.Errorf("%s: warnings %q; want %q", name, got, x.warning)
		}
		if p.Run.Fabric != "f" || len(p.Run.Experiments) != 1 || len(p.Run.Experiments[0].Repeats) != 1 {
			t.Errorf("%s: %+v", name, p.Run)
		}
	}
	for want, journal := range map[string]string{
		"update linerate":   strings.Replace(begin, "journal/2", "journal/3", 1) + repeat0,
		"newer linerate":    strings.Replace(begin, "journal/2", "journal/3.1", 1),
		"is not linerate":   strings.Replace(begin, "linerate/journal/2", "other/1", 1),
		"is not linerate/j": strings.Replace(begin, "journal/2", "journal/x", 1),
		"first event":       repeat0 + repeat2,
		"before its first":  "",
	} {
		if _, err := Replay(strings.NewReader(journal)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

func TestLongLine(t *testing.T) {
	long := `{"event":"warning","body":{"text":"` + strings.Repeat("x", longestEvent) + `"}}` + "\n"
	p := replay(t, begin+long+repeat0)
	if len(p.Run.Experiments) != 1 || len(p.Run.Warnings) != 1 {
		t.Errorf("%d experiments, %d warnings", len(p.Run.Experiments), len(p.Run.Warnings))
	}
}

func TestResumeKeepsWhatWasMeasured(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := recordtest.Run(t)
	e := r.Experiments[0]
	for _, err := range []error{
		f.Started(r), f.Experiment(e),
		f.Samples(recordtest.Samples(e.ID, 0, 2)), f.Repeat(e.ID, recordtest.Repeat(0)),
		f.Samples(recordtest.Samples(e.ID, 1, 3)), // its repeat never ends
		f.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	journal := filepath.Join(dir, JournalName)
	torn, _ := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	torn.WriteString(`{"event":"repeat","body":{"exper`)
	torn.Close()
	os.WriteFile(filepath.Join(dir, "snapshots", ".n1.idle.txtar.part"), []byte("half"), 0o666)

	f, p, err := Resume(dir, "v1", []string{"run", "--resume"})
	if err != nil {
		t.Fatal(err)
	}
	if f.ID != r.ID || len(p.Run.Experiments) != 1 || len(p.Run.Experiments[0].Repeats) != 1 || p.Run.Complete {
		t.Errorf("continued with %+v", p.Run)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "snapshots", ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	p.Run.Complete, p.Run.Version = true, "v1"
	for _, err := range []error{f.Samples(recordtest.Samples(e.ID, 1, 4)), f.Repeat(e.ID, recordtest.Repeat(1)),
		f.Finish(p.Run, ""), f.Close(), Verify(dir)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	again := replay(t, string(read(t, journal)))
	if len(again.Run.Experiments[0].Repeats) != 2 || len(again.Run.Warnings) != 0 || !again.Run.Complete {
		t.Errorf("%+v", again.Run)
	}
	perRepeat := map[int32]int{}
	for _, row := range readSamples(t, dir) {
		perRepeat[row.Repeat]++
	}
	if perRepeat[0] != 4 || perRepeat[1] != 8 {
		t.Errorf("samples of each repeat: %v; want 4 and 8: those of the cut off repeat do not count", perRepeat)
	}
}

func TestInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := recordtest.Run(t)
	r.Complete = false
	for _, err := range []error{f.Started(r), f.Repeat("e", recordtest.Repeat(0)), f.Finish(r, "interrupted"), f.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	o, err := Open(dir, "")
	if err != nil || o.Complete || o.Why != "interrupted" || o.Run.Complete || len(o.Run.Experiments) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	if exists(filepath.Join(dir, ManifestName)) {
		t.Error("an incomplete run has a manifest")
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(begin + planned + repeat0 + repeat2 + again0))
	f.Add([]byte(begin + `{"event":"samples","body":{"series":[{"experiment":"e1","time_ns":[1],"value":[2.5]}]}}` + "\n"))
	f.Add(
		[]byte(begin + `{"event":"run-resumed","body":{}}` + "\n" + `{"event":"run-ended","body":{"complete":true}}` + "\n"),
	)
	f.Add([]byte(begin + `{"event":"verdict","body":{"experiment":"e1","verdict":{}}}` + "\n{"))
	f.Add([]byte(begin + `{"event":"host","body":{"name":"a"}}` + "\n" + `{"event":"snapshot","body":{}}` + "\n"))
	f.Fuzz(func(t *testing.T, journal []byte) {
		p, err := Replay(bytes.NewReader(journal))
		if err != nil {
			return
		}
		if p.Good < 1 || p.Good > int64(len(journal)) || journal[p.Good-1] != '\n' {
			t.Fatalf("good up to %d of %d", p.Good, len(journal))
		}
		if _, err := p.Run.JSON(); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		// Without the torn end, only warnings about later lines differ.
		q, err := Replay(bytes.NewReader(journal[:p.Good]))
		if err != nil || q.Good != p.Good {
			t.Fatalf("without the torn end: %v, %v", q, err)
		}
	})
}
