package block

import (
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// series returns the slices that all workers have completed.
func (e *Engine) series(t times) []Slice {
	whole := t.slices()
	for _, w := range e.workers {
		w.tally.lock.Lock()
		whole = min(whole, int(max(0, w.tally.current-t.open)/t.slice))
		w.tally.lock.Unlock()
	}
	out := make([]Slice, whole)
	for _, w := range e.workers {
		w.tally.lock.Lock()
		for i := range out {
			out[i].add(w.tally.series[i], e.job.Size)
		}
		w.tally.lock.Unlock()
	}
	return out
}

func (s *Slice) add(operations [2]int64, size unit.Bytes) {
	s.Reads += operations[OpRead]
	s.Writes += operations[OpWrite]
	s.ReadBytes += operations[OpRead] * int64(size)
	s.WrittenBytes += operations[OpWrite] * int64(size)
}

func (s *Slice) plus(o Slice) {
	s.Reads += o.Reads
	s.Writes += o.Writes
	s.ReadBytes += o.ReadBytes
	s.WrittenBytes += o.WrittenBytes
}

func samples(series []Slice, t times, first int) []traffic.Sample {
	var out []traffic.Sample
	seconds := float64(t.slice) / 1e9
	for i, s := range series {
		at := t.open + int64(first+i+1)*t.slice
		for _, m := range []struct {
			name  string
			value int64
			unit  string
		}{{"reads", s.Reads, "1/s"}, {"writes", s.Writes, "1/s"}, {"read_bytes", s.ReadBytes, "B/s"}, {"written_bytes",
			s.WrittenBytes, "B/s"}} {
			out = append(out,
				traffic.Sample{Stream: -1, TimeNS: at, Metric: m.name, Value: float64(m.value) / seconds, Unit: m.unit})
		}
	}
	return out
}
