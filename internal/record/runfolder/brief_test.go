package runfolder

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"linerate/internal/record"
	"linerate/internal/record/recordtest"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/testenv"
)

// full returns a run in which no field of an experiment and of its repeats is empty.
func full(t testing.TB) *record.Run {
	r := recordtest.Run(t)
	r.Hosts[0].Unknown = []record.Unknown{{Subject: "accounts", Reason: "kept"}}
	r.Warnings = []string{"kept"}
	for i := range 3 {
		e := *r.Experiments[0]
		fill(reflect.ValueOf(&e).Elem(), 0)
		e.ID, e.Name = fmt.Sprint("e", i), `a "cpu": [ name`
		e.CPU = append(e.CPU, record.CPU{Host: "desk", Core: 3, User: 1},
			record.CPU{Host: "nas", Core: -1, User: 2, Threads: []record.Thread{{Name: "x"}}})
		e.Repeats = append(e.Repeats, e.Repeats[0])
		for k := range e.Repeats {
			e.Repeats[k].CPU = []record.CPU{
				{Host: "desk", Core: 0},
				{Host: "desk", Core: -1, User: 0.5, Threads: []record.Thread{{Name: "{"}}},
				{Host: "nas", Core: 1},
			}
		}
		e.FollowUp = []*record.Experiment{{ID: "c", Repeats: []record.Repeat{recordtest.Repeat(0)}}}
		r.Experiments = append(r.Experiments, &e)
	}
	return r
}

// fill sets every field.
func fill(v reflect.Value, deep int) {
	if deep > 5 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("]")
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		if v.IsNil() && v.Type().Elem() != reflect.TypeFor[record.Experiment]() &&
			v.Type().Elem().PkgPath() == reflect.TypeFor[record.Experiment]().PkgPath() {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), deep+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().PkgPath() == reflect.TypeFor[record.Experiment]().PkgPath() {
				fill(v.Field(i), deep+1)
			}
		}
	case reflect.Slice:
		if v.Len() == 0 && v.Type().Elem().Kind() != reflect.Pointer {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), deep+1)
			fill(v.Index(1), deep+1)
		}
	}
}

// A skimmed manifest gives the same as the whole one without these parts, in whatever form it is written.
func TestBrief(t *testing.T) {
	r := full(t)
	written, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, written); err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string][]byte{"as written": written, "in one line": line.Bytes(),
		"with CR LF": bytes.ReplaceAll(written, []byte("\n"), []byte("\r\n")),
		"by tabs":    bytes.ReplaceAll(written, []byte("  "), []byte("\t"))} {
		want, _, err := readRun(bytes.NewReader(text), false)
		if err != nil {
			t.Fatal(form, err)
		}
		for i, e := range want.Experiments {
			want.Experiments[i] = thin(e, true)
		}
		have, _, err := readRun(newSkimmer(bytes.NewReader(text)), true)
		if err != nil {
			t.Fatal(form, err)
		}
		a, _ := want.JSON()
		b, _ := have.JSON()
		if d := cmp.Diff(string(a), string(b)); d != "" {
			t.Errorf("%s (-whole +skimmed):\n%s", form, d)
		}
		if p := have.Experiments[1].Repeats[0]; len(p.CPU) != 1 || p.CPU[0].User != 0.5 || p.Goodput == 0 ||
			len(have.Hosts[0].Unknown) != 1 ||
			len(have.Experiments[1].FollowUp) != 1 {
			t.Errorf("%s: %+v", form, have)
		}
	}
	again, _, err := readRun(
		bytes.NewReader(
			bytes.Replace(written, []byte(`"experiments": [`),
				[]byte(`"experiments": [null, {"method": "latency", "ceiling": null, "settings": 7, "ends": []}, {},`), 1),
		),
		true,
	)
	if odd := new(json.UnmarshalTypeError); !errors.As(err, &odd) || len(again.Experiments) != len(r.Experiments)+1 {
		t.Errorf("with others: %v, %d experiments", err, len(again.Experiments))
	}
	var skimmed bytes.Buffer
	if _, err := bufio.NewReader(newSkimmer(bytes.NewReader(written))).WriteTo(&skimmed); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(skimmed.Bytes(), []byte(`"name": "{"`)) || skimmed.Len() > len(written)*2/3 {
		t.Errorf("too much is still there: %d of %d bytes", skimmed.Len(), len(written))
	}
}

// Skimming ends wherever the manifest is cut off.
func TestBriefCut(t *testing.T) {
	written, err := full(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	step := 397
	if testenv.Wanted(testenv.Live) {
		step = 97
	}
	for n := range len(written) {
		if n%step == 0 {
			if _, _, err := readRun(newSkimmer(bytes.NewReader(written[:n])), true); err == nil {
				t.Errorf("%d bytes of %d are read as a whole run", n, len(written))
			}
		}
	}
}

// Only a large run is read in brief, and LeftOut says so.
func TestOpenBrief(t *testing.T) {
	dir, _ := finished(t)
	if o, err := OpenBrief(dir, ""); err != nil || o.LeftOut != "" || o.Run.Experiments[0].Repeats[0].Streams == nil {
		t.Errorf("%+v %v", o, err)
	}
	if o, err := open(dir, "",
		100); err != nil || o.LeftOut != briefly || o.Run.Experiments[0].Repeats[0].Streams != nil ||
		o.Run.Experiments[0].Repeats[0].Goodput == 0 {
		t.Errorf("%+v %v", o, err)
	}
	newer := filepath.Join(dir, ManifestName)
	if err := os.WriteFile(newer, []byte(`{"schema": "linerate/run/3"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := open(dir, "", 0); !errors.Is(err, ErrInput) {
		t.Error(err)
	}
}

// Experiments of a very large run share equal values, and are otherwise unchanged.
func TestShared(t *testing.T) {
	run := manyValues(t, 40, 3)
	run.Files = nil
	var text bytes.Buffer
	if err := writeRun(&text, run, briefly,
		func(e *record.Experiment) *record.Experiment { return thin(e, true) }); err != nil {
		t.Fatal(err)
	}
	apart, _, err := readRun(bytes.NewReader(text.Bytes()), false)
	if err != nil {
		t.Fatal(err)
	}
	together, leftOut, err := readRun(bytes.NewReader(text.Bytes()), true)
	if err != nil || leftOut != briefly || !reflect.DeepEqual(apart, together) {
		t.Errorf("left out %q, %v: %s", leftOut, err, cmp.Diff(apart.Experiments[1], together.Experiments[1]))
	}
	one, other := together.Experiments[0], together.Experiments[1]
	if one.Ceiling == nil || one.Ceiling != other.Ceiling || &one.Ends[0] != &other.Ends[0] {
		t.Error("each experiment has a ceiling and ends of its own")
	}
}

// The short form of a storage experiment with many hosts has no histograms, no hosts of single repeats, and no
// meaningless digits. The original stays unchanged.
func TestBriefBlock(t *testing.T) {
	third := 1.0 / 3
	block := func() *record.Block {
		b := &record.Block{Read: &record.BlockCount{Operations: 12345, Histogram: "HIST"}}
		for range fewHosts + 1 {
			b.Workers = append(
				b.Workers,
				record.BlockWorker{Path: "/mnt/x.tmp", Created: true, Read: 12345, LastSeconds: third,
					FirstSeconds: &third, Making: third},
			)
			b.Hosts = append(b.Hosts, record.BlockHost{Cores: &third, Seconds: third})
		}
		b.Workers[0].Created = false
		return b
	}
	e := &record.Experiment{Block: block(), Repeats: []record.Repeat{{Block: block()}}}
	for _, more := range []bool{false, true} {
		c := thin(e, more)
		if c.Block.Read.Histogram != "" || c.Repeats[0].Block.Read.Histogram != "" || c.Block.Read.Operations != 12345 {
			t.Errorf("%v: a histogram stayed, or a count went: %+v", more, c.Block.Read)
		}
		w, h := c.Block.Workers, c.Block.Hosts
		if len(w) != fewHosts+1 || len(h) != fewHosts+1 || w[0].Read != 12345 || w[0].Path == "" {
			t.Fatalf("%v: %d workers, %d hosts", more, len(w), len(h))
		}
		want, path := third, "/mnt/x.tmp"
		if more {
			want, path = 0.3333, ""
		}
		if w[1].LastSeconds != want || *w[1].FirstSeconds != want || *h[0].Cores != want || h[0].Seconds != want ||
			w[1].Path != path ||
			(w[1].Making == 0) != more {
			t.Errorf("%v: %+v, %+v", more, w[1], h[0])
		}
		if (c.Repeats[0].Block.Hosts == nil) != more || (c.Repeats[0].Block.Workers == nil) != more {
			t.Errorf("%v: of the repeat %d hosts and %d workers", more, len(c.Repeats[0].Block.Hosts),
				len(c.Repeats[0].Block.Workers))
		}
	}
	if e.Block.Workers[1].LastSeconds != third || *e.Block.Hosts[0].Cores != third || e.Block.Read.Histogram == "" {
		t.Error("the experiment itself was changed")
	}
}
