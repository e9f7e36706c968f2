package storage

import (
	"slices"

	"linerate/internal/record"
	"linerate/internal/storage/block"
)

// startOf is how far apart the workers began; nil: there is only one, or one has no start time.
func startOf(sides []*participant, workers []record.BlockWorker) *record.BlockStart {
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
		for _, x := range sides { // a clock is known to within half of a round trip
			if !x.watchedByAnother && (x.Host == workers[first].Host || x.Host == workers[last].Host) {
				s.Within += x.Client.Clock().RTT.Seconds() / 2
			}
		}
	}
	return s
}

// sharedPart is the part of the interval that all workers share, in whole slices, with its reads and writes and their
// bytes. It is not ok if all ended together, or one of them had no whole slice.
func sharedPart(outs []*block.Outcome) (seconds float64, read, write record.BlockCount, ok bool) {
	if len(outs) < 2 {
		return 0, read, write, false
	}
	length := func(o *block.Outcome) float64 { return float64(o.CloseNS-o.OpenNS) / 1e9 }
	shortest := slices.MinFunc(outs,
		func(a, b *block.Outcome) int { return int(a.CloseNS - a.OpenNS - (b.CloseNS - b.OpenNS)) })
	longest := slices.MaxFunc(outs,
		func(a, b *block.Outcome) int { return int(a.CloseNS - a.OpenNS - (b.CloseNS - b.OpenNS)) })
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

// steadyOfAll applies the rule of the steady state to the sum of all workers over the slices that all of them have.
func steadyOfAll(outs []*block.Outcome) *record.Steady {
	if len(outs) == 1 {
		return steadyRecord(outs[0].Steady)
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
	return steadyRecord(block.Steady(sum, outs[0].Slice))
}

func steadyRecord(s *block.SteadyState) *record.Steady {
	if s == nil {
		return nil
	}
	return &record.Steady{Is: s.Is, Slices: s.Slices, Seconds: s.Interval, Range: s.Range, Slope: s.Slope, Why: s.Why}
}
