package run

import (
	"slices"

	"linerate/internal/record"
	"linerate/internal/storage/block"
)

// startOf is how far apart the workers began; nil: there is one, or one of them does not say.
func startOf(sides []*blockSide, workers []record.BlockWorker) *record.BlockStart {
	if len(workers) < 2 {
		return nil
	}
	first, last := 0, 0
	for i, w := range workers {
		if w.FirstSeconds == nil {
			return nil
		}
		if *w.FirstSeconds < *workers[first].FirstSeconds {
			first = i
		}
		if *w.FirstSeconds > *workers[last].FirstSeconds {
			last = i
		}
	}
	s := &record.BlockStart{Spread: *workers[last].FirstSeconds - *workers[first].FirstSeconds, Host: workers[last].Host}
	if workers[first].Host != workers[last].Host {
		for _, x := range sides { // a clock is known within half of a round trip
			if !x.beside && (x.host == workers[first].Host || x.host == workers[last].Host) {
				s.Within += x.client.Clock().RTT.Seconds() / 2
			}
		}
	}
	return s
}

// shared is the part of the window that all workers have, in whole slices, and what came in it: reads and writes with their bytes. Not ok: all ended together, or one of them
// had no whole slice.
func shared(outs []*block.Outcome) (seconds float64, read, write record.BlockCount, ok bool) {
	if len(outs) < 2 {
		return 0, read, write, false
	}
	length := func(o *block.Outcome) float64 { return float64(o.CloseNS-o.OpenNS) / 1e9 }
	shortest := slices.MinFunc(outs, func(a, b *block.Outcome) int { return int(a.CloseNS - a.OpenNS - (b.CloseNS - b.OpenNS)) })
	longest := slices.MaxFunc(outs, func(a, b *block.Outcome) int { return int(a.CloseNS - a.OpenNS - (b.CloseNS - b.OpenNS)) })
	slice := shortest.Slice
	if slice <= 0 || length(longest)-length(shortest) < slice/2 {
		return 0, read, write, false
	}
	n := int(length(shortest)/slice + 1e-6)
	for _, o := range outs {
		if o.Slice != slice || len(o.Series) < n {
			return 0, read, write, false
		}
		for _, s := range o.Series[:n] {
			read.Operations, read.Bytes = read.Operations+s.Reads, read.Bytes+s.ReadBytes
			write.Operations, write.Bytes = write.Operations+s.Writes, write.Bytes+s.WrittenBytes
		}
	}
	return float64(n) * slice, read, write, n > 0
}

// steadyTogether is the rule of the steady state, held against the sum of all workers over the slices that all of them have.
func steadyTogether(outs []*block.Outcome) *record.Steady {
	if len(outs) == 1 {
		return steadyOf(outs[0].Steady)
	}
	var sum []int64
	for i, o := range outs {
		whole := 0
		if o.Slice > 0 {
			whole = min(len(o.Series), int(float64(o.CloseNS-o.OpenNS)/1e9/o.Slice+1e-6))
		}
		if i == 0 {
			sum = make([]int64, whole)
		}
		sum = sum[:min(len(sum), whole)]
		for k := range sum {
			sum[k] += o.Series[k].Reads + o.Series[k].Writes
		}
	}
	if len(outs) == 0 {
		return nil
	}
	return steadyOf(block.Steady(sum, outs[0].Slice))
}

func steadyOf(s *block.SteadyState) *record.Steady {
	if s == nil {
		return nil
	}
	return &record.Steady{Is: s.Is, Slices: s.Slices, Seconds: s.Window, Range: s.Range, Slope: s.Slope, Why: s.Why}
}
