package runfolder

import (
	"encoding/json"
	"io"
	"linerate/internal/record"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// row is a Sample as a row of samples.parquet (Apache Parquet, flat, no nulls).
type row struct {
	Experiment string  `parquet:"experiment,dict"`
	Repeat     int32   `parquet:"repeat"`
	End        string  `parquet:"end,dict"`
	Stream     int32   `parquet:"stream"`
	TimeNS     int64   `parquet:"time_ns,delta"`
	Metric     string  `parquet:"metric,dict"`
	Value      float64 `parquet:"value"`
	Unit       string  `parquet:"unit,dict"`
}

// rowsAtOnce bounds the memory: the writer holds one row group in memory. Twice as many rows take five times the heap
// (measured: 14 and 79 MB for a million samples).
const rowsAtOnce = 16 << 10

// WriteSamples writes samples.parquet from the journal, a few rows at a time. It omits samples of a repeat that was
// interrupted and measured again.
func (f *Folder) WriteSamples(version string) error {
	journalName := filepath.Join(f.Path, JournalName)
	finished, err := finishedRepeats(journalName)
	if err != nil {
		return err
	}
	return f.WriteFile(SamplesName, func(w io.Writer) error {
		out := parquet.NewGenericWriter[row](w, parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
			parquet.KeyValueMetadata("linerate.schema", record.SamplesSchema),
			parquet.KeyValueMetadata("linerate.version", version), parquet.CreatedBy("linerate", version, ""),
			parquet.MaxRowsPerRowGroup(rowsAtOnce))
		if err := copySamples(out, journalName, finished); err != nil {
			return err
		}
		return out.Close()
	})
}

type value struct {
	experiment string
	repeat     int
}

// repeats has the stretch of the run in which each repeat was finished, and the last stretch. A new stretch begins with
// each resumption.
type repeats struct {
	finished map[value]int
	last     int
}

// counts reports whether samples of c, recorded in the stretch, belong to the run.
func (r repeats) counts(c value, stretch int) bool {
	if c.repeat < 0 {
		return true // idle evidence belongs to no repeat
	}
	if done, ok := r.finished[c]; ok {
		return stretch == done
	}
	return stretch == r.last
}

func finishedRepeats(journalName string) (repeats, error) {
	r := repeats{finished: make(map[value]int)}
	err := eachOf(journalName, func(e written) error {
		switch e.Kind {
		case runResumed:
			r.last++
		case repeatDone:
			return body(e, func(b repeatBody) { r.finished[value{b.Experiment, b.Repeat.Index}] = r.last })
		}
		return nil
	})
	return r, err
}

func copySamples(out *parquet.GenericWriter[row], journalName string, finished repeats) error {
	stretch := 0
	var rows []row
	return eachOf(journalName, func(e written) error {
		if e.Kind == runResumed {
			stretch++
		}
		if e.Kind != samples {
			return nil
		}
		var b samplesBody
		if json.Unmarshal(e.Body, &b) != nil {
			return errBody
		}
		for _, s := range b.Series {
			if !finished.counts(value{s.Experiment, s.Repeat}, stretch) {
				continue
			}
			rows = rows[:0]
			for i := range min(len(s.TimeNS), len(s.Value)) {
				rows = append(rows,
					row{s.Experiment, int32(s.Repeat), s.End, int32(s.Stream), s.TimeNS[i], s.Metric, s.Value[i], s.Unit})
			}
			if _, err := out.Write(rows); err != nil {
				return refused{err}
			}
		}
		return nil
	})
}

func eachOf(journalName string, use func(written) error) error {
	f, err := os.Open(journalName)
	if err != nil {
		return err
	}
	defer f.Close()
	_, _, err = eachEvent(f, use)
	return err
}
