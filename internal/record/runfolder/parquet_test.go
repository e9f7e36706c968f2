package runfolder

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"linerate/internal/record"
	"linerate/internal/record/recordtest"
	"linerate/internal/testenv"
)

func readSamples(t *testing.T, dir string) []row {
	t.Helper()
	rows, err := parquet.ReadFile[row](filepath.Join(dir, SamplesName))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestSamples(t *testing.T) {
	dir, r := finished(t)
	rows := readSamples(t, dir)
	var want []record.Sample
	for i := range 3 {
		want = append(want, recordtest.Samples(r.Experiments[0].ID, i, 5)...)
	}
	got := map[record.Sample]int{}
	for _, x := range rows {
		got[record.Sample{Experiment: x.Experiment, Repeat: int(x.Repeat), End: x.End, Stream: int(x.Stream),
			TimeNS: x.TimeNS, Metric: x.Metric, Value: x.Value, Unit: x.Unit}]++
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows; want %d", len(rows), len(want))
	}
	for _, s := range want {
		if got[s] != 1 {
			t.Errorf("%+v is there %d times", s, got[s])
		}
	}
}

func TestNoSamples(t *testing.T) {
	f, err := Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := recordtest.Run(t)
	for _, err := range []error{f.Started(r), f.Samples(nil), f.Finish(r, "")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if rows := readSamples(t, f.Path); len(rows) != 0 {
		t.Errorf("%d rows", len(rows))
	}
}

// TestSamplesElsewhere reads the file with pyarrow, which Python's data tools use.
func TestSamplesElsewhere(t *testing.T) {
	testenv.Need(t, testenv.Live)
	python := os.Getenv("LINERATE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import pyarrow.parquet").CombinedOutput(); err != nil {
		testenv.Missing(t,
			python+" with pyarrow (pip install pyarrow; LINERATE_PYTHON names another python): "+err.Error()+" "+string(out))
	}
	dir, r := finished(t)
	const script = `
import json, sys, pyarrow.parquet as pq
f = pq.ParquetFile(sys.argv[1])
t = f.read()
m = f.schema_arrow.metadata or {}
g = f.metadata.metadata or {}
print(json.dumps({
  "types": {c.name: str(c.type) for c in t.schema},
  "rows": t.num_rows,
  "sum": sum(t.column("value").to_pylist()),
  "ends": sorted(set(t.column("end").to_pylist())),
  "experiments": sorted(set(t.column("experiment").to_pylist())),
  "first": min(t.column("time_ns").to_pylist()),
  "codecs": sorted({f.metadata.row_group(0).column(i).compression for i in range(f.metadata.num_columns)}),
  "dictionary": f.metadata.row_group(0).column(0).has_dictionary_page,
  "schema": g.get(b"linerate.schema", b"").decode(),
  "version": g.get(b"linerate.version", b"").decode()}))
`
	out, err := exec.Command(python, "-c", script, filepath.Join(dir, SamplesName)).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var got struct {
		Types           map[string]string
		Rows            int
		Sum             float64
		Ends            []string
		Experiments     []string
		First           int64
		Codecs          []string
		Dictionary      bool
		Schema, Version string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]string{"experiment": "string", "repeat": "int32", "end": "string",
		"stream": "int32", "time_ns": "int64", "metric": "string", "value": "double", "unit": "string"} {
		if got.Types[name] != kind {
			t.Errorf("column %s is %s; want %s", name, got.Types[name], kind)
		}
	}
	if len(got.Types) != 8 || got.Rows != 30 || got.First != 1e18 || got.Sum != 3*(5*9.4e9+10+5*0.25) ||
		len(
			got.Ends,
		) != 2 || got.Ends[0] != "desk" || len(got.Experiments) != 1 || got.Experiments[0] != r.Experiments[0].ID {
		t.Errorf("pyarrow reads %+v", got)
	}
	if len(got.Codecs) != 1 || got.Codecs[0] != "ZSTD" || !got.Dictionary || got.Schema != record.SamplesSchema ||
		got.Version != "v0" {
		t.Errorf("pyarrow reads %+v", got)
	}
}

// TestMillionSamples bounds the heap that a long run's samples take to 100 MB.
func TestMillionSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("a million samples take seconds; -short was given")
	}
	f, err := Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := recordtest.Run(t)
	if err := f.Started(r); err != nil {
		t.Fatal(err)
	}
	// GOGC may be set in the environment. Users run with the default.
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	runtime.GC()
	stop, most := make(chan struct{}), make(chan uint64)
	go func() { // the highest heap in use, sampled often
		var high uint64
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			high = max(high, m.HeapInuse)
			select {
			case <-stop:
				most <- high
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	batch, n := 1000, 1_000_000
	if underRace {
		n = 20_000
	}
	for i := range n / batch {
		s := make([]record.Sample, batch)
		for k := range s {
			at := i*batch + k
			s[k] = record.Sample{Experiment: record.ExperimentID(&record.Experiment{From: string(rune('a' + i%26))}),
				Repeat: i % 5, End: "nas", Stream: k % 8, TimeNS: int64(1e18) + int64(at)*12_345_678,
				Metric: "goodput", Value: 9.4e9 + float64(at*7919%1_000_003)*1.7, Unit: "bit/s"}
		}
		if err := f.Samples(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Finish(r, ""); err != nil {
		t.Fatal(err)
	}
	close(stop)
	high := <-most
	size := func(name string) int64 { i, _ := os.Stat(filepath.Join(f.Path, name)); return i.Size() }
	t.Logf("%d samples: %d MB of heap, %d MB of journal, %d MB of Parquet", n, high>>20, size(JournalName)>>20,
		size(SamplesName)>>20)
	if i, err := os.Open(filepath.Join(f.Path, SamplesName)); err != nil {
		t.Error(err)
	} else {
		defer i.Close()
		if p, err := parquet.OpenFile(i, size(SamplesName)); err != nil || p.NumRows() != int64(n) {
			t.Errorf("%v rows, %v; want %d", p.NumRows(), err, n)
		}
	}
	if high > 100<<20 {
		t.Errorf("a million samples took %d MB of heap; the limit is 100 MB", high>>20)
	}
}
