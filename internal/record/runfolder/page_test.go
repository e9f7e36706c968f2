package runfolder

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"linerate/internal/record"
	"linerate/internal/record/recordtest"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const pageHead = `<!DOCTYPE html><html><head><meta name="generator" content="linerate v0"></head><body>figures`

// pageOf returns a page as report writes it around the data of a run.
func pageOf(t testing.TB, r *record.Run) string {
	t.Helper()
	d, err := NewPageData(r)
	if err != nil {
		t.Fatal(err)
	}
	return pageWith(t, d)
}

func pageWith(t testing.TB, d *PageData) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(pageHead)
	sum := sha256.Sum256(b.Bytes())
	if err := d.Write(&b, hex.EncodeToString(sum[:])); err != nil {
		t.Fatal(err)
	}
	return b.String() + "</body></html>\n"
}

// packedPage returns a page that has this text in place of a run.
func packedPage(t testing.TB, text []byte) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return pageWith(t, &PageData{text: []byte(base64.StdEncoding.EncodeToString(packed.Bytes()))})
}

// manyValues returns a run with n experiments, whose repeats have streams, cores and figures over time that do not
// compress.
func manyValues(t testing.TB, n, repeats int) *record.Run {
	r := recordtest.Run(t)
	one := r.Experiments[0]
	r.Experiments = nil
	draw := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		e := *one
		e.Settings = map[string]string{"streams": fmt.Sprint(i)}
		e.ID = record.ExperimentID(&e)
		for k := range repeats {
			p := recordtest.Repeat(k)
			p.CPU = []record.CPU{
				{Host: "desk", Core: -1, User: draw.Float64(), Threads: []record.Thread{{Name: "t"}}},
				{Host: "desk", Core: 0, User: draw.Float64()},
			}
			for range 10 {
				p.SeriesOut = append(p.SeriesOut, draw.Float64())
				p.Streams = append(p.Streams, record.Stream{Goodput: draw.Float64()})
			}
			e.Repeats = append(e.Repeats, p)
		}
		r.Experiments = append(r.Experiments, &e)
	}
	return r
}

// A page has the whole run, or says what it omits.
func TestPageCarriesTheRun(t *testing.T) {
	small := recordtest.Run(t)
	small.Experiments[0].Repeats = []record.Repeat{recordtest.Repeat(0), recordtest.Repeat(1)}
	small.Sentence, small.Files = "</script><script>}}", []record.File{{Name: "x"}}
	r, notes, err := readPage([]byte(pageOf(t, small)), pageLimits, false)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	small.Files = nil
	want, _ := small.JSON()
	have, _ := r.JSON()
	if d := cmp.Diff(string(want), string(have)); d != "" {
		t.Errorf("the run came back changed (-was +is):\n%s", d)
	}

	for _, c := range []struct {
		n                      int
		says                   string
		streams, series, cores int // in each repeat
	}{{140, "without histograms and what each stream's sockets said;", 0, 10, 2},
		{600, "the settings and warnings of each repeat", 0, 0, 1}} {
		run := manyValues(t, c.n, 5)
		text := pageOf(t, run)
		r, notes, err := readPage([]byte(text), pageLimits, false)
		if err != nil || len(notes) != 1 || !strings.Contains(notes[0], c.says) {
			t.Fatalf("%d experiments: %v, %q", c.n, err, notes)
		}
		p := r.Experiments[c.n-1].Repeats[4]
		if len(r.Experiments) != c.n || len(p.Streams) != c.streams || len(p.SeriesOut) != c.series ||
			len(p.CPU) != c.cores ||
			p.Goodput == 0 {
			t.Errorf("%d experiments: %d, with %+v", c.n, len(r.Experiments), p)
		}
		if o := run.Experiments[0]; len(o.Repeats[0].Streams) != 11 || o.Repeats[0].CPU[0].Threads == nil ||
			o.Latency.Histogram == "" {
			t.Error("the run itself was changed")
		}
		if c.n == 140 && len(text) > PageLimit+1000 {
			t.Errorf("%d bytes", len(text))
		}
	}
	for _, r := range []*record.Run{{}, {Experiments: []*record.Experiment{{ID: "x"}}}} {
		if back, notes, err := readPage([]byte(pageOf(t, r)), pageLimits, false); err != nil || len(notes) > 0 ||
			len(back.Experiments) != len(r.Experiments) {
			t.Errorf("%v %v", err, notes)
		}
	}
	odd := recordtest.Run(t)
	odd.Experiments[0].Goodput.Median = math.NaN()
	if _, err := NewPageData(odd); err == nil || !strings.Contains(err.Error(), "experiments[0]") ||
		!strings.Contains(err.Error(), "NaN") {
		t.Errorf("not a figure: %v", err)
	}
}

// badPages returns damaged pages with the message that is expected for each. n is the number of experiments that can
// still be shown, -1 if none.
func badPages(t testing.TB) map[string]struct {
	text, says string
	n          int
} {
	whole := pageOf(t, recordtest.Run(t))
	many := pageOf(t, manyValues(t, 60, 5))
	data := strings.Index(many, "\n") + 1
	object := func(text string) string { return packedPage(t, []byte(text)) }
	return map[string]struct {
		text, says string
		n          int
	}{
		"empty": {"", "is not a page that linerate wrote", -1},
		"not ours": {"<!DOCTYPE html><html><body><script type=\"application/gzip\"></script></body></html>",
			"is not a page that linerate wrote", -1},
		"no html":          {"linerate v0 summary 1", "is not a page that linerate wrote", -1},
		"no data":          {pageHead + "</body></html>", "carries no run (as plans, labels", -1},
		"cut before":       {pageHead, "cut off before the run's data", -1},
		"cut in the tag":   {whole[:strings.Index(whole, "data-before")], "cut off before the run's data", -1},
		"cut at once":      {many[:data+4], "cut off or changed", -1},
		"cut in the midst": {many[:data+(len(many)-data)*2/3], "cut off or changed (unexpected EOF): ", 10},
		"cut behind":       {whole[:strings.Index(whole, "</script>")], "", 1},
		"edited":           {strings.Replace(whole, "figures", "figure", 1), "was changed since it was written", 1},
		"edited data":      {many[:data+9000] + "AAAA" + many[data+9004:], "cut off or changed", 0},
		"no base64": {whole[:strings.Index(whole, "\n")+1] + "?" + whole[strings.Index(whole, "\n")+2:], "illegal base64",
			-1},
		"other form": {strings.Replace(whole, `type="application/gzip"`, `type="application/zstd"`, 1), "does not know",
			-1},
		"newer":        {object(`{"schema":"linerate/run/3","experiments":[]}`), "linerate/run/3 is of a newer linerate", -1},
		"newer, minor": {object(`{"schema":"linerate/run/2.7","new":[1],"experiments":[{"id":"a","new":{}}]}`), "", 1},
		"other schema": {object(`{"schema":"linerate/summary/2","experiments":[]}`), `"linerate/summary/2" is not linerate/run/2`,
			-1},
		"no schema": {object(`{"experiments":[]}`), `schema "" is not`, -1},
		"a list":    {object(`[]`), "not one JSON object", -1},
		"no JSON":   {object(`run`), "cannot be read (invalid character", -1},
		"of another type": {object(`{"schema":"linerate/run/2","experiments":[{"id":"a"},7,null,{"id":"b"}]}`),
			"2 experiments can be read", 2},
		"experiments a word": {object(`{"schema":"linerate/run/2","experiments":"many"}`), "not one JSON object", -1},
		"deep": {object(`{"schema":"linerate/run/2","x":` + strings.Repeat("[", 20000)), "exceeded max depth",
			-1},
		"bomb": {object(`{"schema":"linerate/run/2","sentence":"` + strings.Repeat(" ", 3<<20)),
			"unpack to more than a run has", -1},
		"bomb of objects": {
			object(`{"schema":"linerate/run/2","experiments":[{"repeats":[` + strings.Repeat("{},", 20000) + `{}]}]}`),
			"unpack to more than a run has",
			-1,
		},
	}
}

func TestBadPages(t *testing.T) {
	for name, c := range badPages(t) {
		limits := pageLimits
		if strings.HasPrefix(name, "bomb") { // the smaller bound has less to unpack
			limits = unpacked{bytes: 2 << 20, objects: 10000}
		}
		r, notes, err := readPage([]byte(c.text), limits, false)
		said := strings.Join(notes, "; ")
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, c.says) || strings.Contains(said, "\n") ||
			(err == nil) != (c.n >= 0) && name != "edited data" {
			t.Errorf("%s: %v, %q; want %q", name, err, notes, c.says)
			continue
		}
		if err == nil && (len(r.Experiments) < c.n || strings.Contains(said, "can be read") && r.Complete) {
			t.Errorf("%s: %d experiments, complete %v; want %d", name, len(r.Experiments), r.Complete, c.n)
		}
		if name == "cut behind" && len(notes) > 0 {
			t.Errorf("%q", notes)
		}
	}
}

// Whatever part of a folder is missing, cut off or from a newer version, one line says so, and what can still be shown.
func TestBrokenFolder(t *testing.T) {
	remove := func(names ...string) func(string) error {
		return func(dir string) error {
			for _, n := range names {
				if err := os.Remove(filepath.Join(dir, n)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	cut := func(name string, part float64) func(string) error {
		return func(dir string) error {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, name), b[:int(float64(len(b))*part)], 0o666)
		}
	}
	both := func(a, b func(string) error) func(string) error {
		return func(dir string) error { return errors.Join(a(dir), b(dir)) }
	}
	newer := func(dir string) error {
		name := filepath.Join(dir, ManifestName)
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, bytes.Replace(b, []byte(record.RunSchema), []byte("linerate/run/3"), 1), 0o666)
	}
	for name, c := range map[string]struct {
		spoil    func(dir string) error
		says     string
		shown    bool
		complete bool
		page     bool
	}{
		"whole":       {func(string) error { return nil }, "", true, true, false},
		"no manifest": {remove(ManifestName), "", true, false, false},
		"no journal":  {remove(JournalName), "", true, true, false},
		"no page":     {remove(ReportName), "", true, true, false},
		"manifest cut": {cut(ManifestName, 0.5),
			"was cut off or changed: the run is shown from its journal", true, false, false},
		"manifest empty": {cut(ManifestName, 0), "was cut off or changed: the run is shown from its journal",
			true, false, false},
		"journal cut": {both(remove(ManifestName), cut(JournalName, 0.9)), "", true, false, false},
		"manifest cut, no journal": {both(cut(ManifestName, 0.9), remove(JournalName)), "1 experiments can be read",
			true, true, false},
		"page alone": {remove(ManifestName, JournalName), "the run is shown from its page", true, true, true},
		"manifest and journal cut": {both(cut(ManifestName, 0.1), cut(JournalName, 0.001)),
			"the run is shown from its page", true, true, true},
		"page alone, cut": {both(remove(ManifestName, JournalName), cut(ReportName, 0.2)),
			"report.html has data that cannot be read (unexpected EOF); a browser shows", false, false, true},
		"newer": {newer,
			"is of a newer linerate; this one reads up to linerate/run/2: update linerate to read it; a browser shows ", false,
			false, false},
		"journal without a first event": {both(remove(ManifestName, ReportName), cut(JournalName, 0.001)),
			"cut off before its first event", false, false, false},
	} {
		dir, run := finished(t)
		if err := os.WriteFile(filepath.Join(dir, ReportName), []byte(pageOf(t, run)), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := c.spoil(dir); err != nil {
			t.Fatal(name, err)
		}
		o, err := Open(dir, "")
		said := ""
		if err != nil {
			said = err.Error()
			if !errors.Is(err, ErrInput) {
				t.Errorf("%s: the input is to blame: %v", name, err)
			}
		} else {
			said = strings.Join(o.Notes, "\n")
			if len(o.Run.Experiments) == 0 || o.Complete != c.complete || o.Page != c.page {
				t.Errorf("%s: %d experiments, %+v", name, len(o.Run.Experiments), o)
			}
		}
		if (err == nil) != c.shown || !strings.Contains(said, c.says) || c.says == "" && said != "" ||
			strings.Contains(said, "\n") {
			t.Errorf("%s: %v, %q; want %q", name, err, said, c.says)
		}
	}
}

// Snapshots in the manifest that are missing or cut off are named.
func TestMissing(t *testing.T) {
	dir, _ := finished(t)
	o, err := Open(dir, "")
	if err != nil || len(o.Missing()) > 0 {
		t.Fatal(err, o.Missing())
	}
	names, err := filepath.Glob(filepath.Join(dir, SnapshotsName, "*"))
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	if err := os.Truncate(names[0], 3); err != nil {
		t.Fatal(err)
	}
	if gone := o.Missing(); len(gone) != 1 || gone[0] != SnapshotsName+"/"+filepath.Base(names[0]) {
		t.Errorf("%q", gone)
	}
}

// Whatever a page contains, reading ends within its limits, and the error is one line.
func FuzzPage(f *testing.F) {
	for name, c := range badPages(f) {
		if !strings.HasPrefix(name, "bomb") {
			f.Add([]byte(c.text), []byte(nil))
		}
	}
	b, _ := recordtest.Run(f).JSON()
	f.Add([]byte(nil), b)
	f.Fuzz(func(t *testing.T, text, packed []byte) {
		if len(packed) > 0 { // a well-formed page around other data
			text = []byte(packedPage(t, packed))
		}
		r, notes, err := readPage(text, pageLimits, false)
		for _, n := range notes {
			if strings.ContainsAny(n, "\r\n") && !bytes.ContainsAny(packed, "\r\n\\") {
				t.Errorf("%q", n)
			}
		}
		if err != nil {
			return
		}
		if back, _, err := readPage([]byte(pageOf(t, r)), pageLimits, false); err != nil ||
			len(back.Experiments) != len(r.Experiments) {
			t.Errorf("it does not read back: %v", err)
		}
	})
}
