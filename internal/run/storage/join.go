package storage

import (
	"errors"
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// maxStartSpread is how far apart workers may begin, in seconds, without a warning.
const maxStartSpread = 0.010

// join makes the repeat from the outcomes of all hosts.
func join(w *workload, sides []*participant, here *traffic.Work) (record.Repeat, error) {
	r := record.Repeat{Block: &record.Block{}}
	b := r.Block
	var watched []*remote.End
	var sum total
	for _, x := range sides {
		x.Outcome = &x.out.Watch
		if !x.watchedByAnother {
			watched = append(watched, &x.End)
		}
		if o := x.out.Engine; o != nil {
			sum.add(o)
			joinWorker(&r, w, x, o)
		}
	}
	if r.Seconds <= 0 {
		return r, errors.New("nothing was measured")
	}
	b.Steady = steadyOfAll(sum.outs)
	if w.c.Amount() > 0 {
		r.Bytes = sum.read.Bytes + sum.write.Bytes
	}
	if err := sum.rates(&r, w.job.Read); err != nil {
		return r, err
	}
	remote.JoinCPU(&r, watched, here, true)
	for _, x := range sides {
		if !x.watchedByAnother {
			b.Hosts = append(b.Hosts, remote.StorageHost(x.Host, x.worker >= 0, x.out))
		}
	}
	if b.Start = startOf(sides, b.Workers); b.Start != nil && b.Start.Spread > maxStartSpread {
		r.Warnings = append(
			r.Warnings,
			fmt.Sprintf("the workers began %s apart, %s last: more than %s", unit.Seconds(b.Start.Spread), b.Start.Host,
				unit.Seconds(maxStartSpread)),
		)
	}
	b.PerPercentAsking, b.PerPercentStoring = perPercent(b, true), perPercent(b, false)
	return r, nil
}

// joinWorker adds one worker to a repeat, with the warnings of its record.
func joinWorker(r *record.Repeat, w *workload, x *participant, o *block.Outcome) {
	r.Seconds = max(r.Seconds, float64(o.CloseNS-o.OpenNS)/1e9)
	r.Block.Depth += o.MeanDepth
	r.Block.Workers = append(r.Block.Workers, workerRecord(w, x, o))
	for _, text := range o.Warnings {
		r.Warnings = xslices.AppendNew(r.Warnings, x.Host+": "+text)
	}
	addSeries(r, o)
	if w.volume != "" {
		r.Warnings = xslices.AppendNew(
			r.Warnings,
			fmt.Sprintf(
				"volume %s is GlusterFS of this machine here, with three copies in memory: the figure says nothing of the "+
					"drives and the software that it is planned with",
				w.volume,
			),
		)
	}
	if x.attached != nil {
		if text := substituteText(&x.attached.how); text != "" {
			r.Warnings = xslices.AppendNew(r.Warnings, text)
		}
	}
}

// total is the sum of all workers.
type total struct {
	outs          []*block.Outcome
	read, write   record.BlockCount
	reads, writes []string // histograms
}

func (s *total) add(o *block.Outcome) {
	s.outs = append(s.outs, o)
	s.read.Operations, s.read.Bytes = s.read.Operations+o.Read.Operations, s.read.Bytes+o.Read.Bytes
	s.write.Operations, s.write.Bytes = s.write.Operations+o.Write.Operations, s.write.Bytes+o.Write.Bytes
	s.reads, s.writes = append(s.reads, o.Read.Histogram), append(s.writes, o.Write.Histogram)
}

// rates fills in the rates over the part of the interval that all workers share, and the latencies. share is the one of
// reads.
func (s *total) rates(r *record.Repeat, share float64) (err error) {
	b := r.Block
	within, readWithin, writeWithin, ok := sharedPart(s.outs)
	if ok {
		b.SharedSeconds = within
	} else {
		within, readWithin, writeWithin = r.Seconds, s.read, s.write
	}
	for _, k := range []struct {
		count    *record.BlockCount
		in       record.BlockCount
		texts    []string
		to       **record.BlockCount
		measured bool
	}{{&s.read, readWithin, s.reads, &b.Read, share > 0}, {&s.write, writeWithin, s.writes, &b.Write, share < 1}} {
		if !k.measured {
			continue
		}
		k.count.IOPS, k.count.BytesPerSecond = float64(k.in.Operations)/within, float64(k.in.Bytes)/within
		h, err := remote.AddHistograms(k.texts...)
		if err != nil {
			return err
		}
		if h.Count() > 0 {
			if k.count.Histogram, err = h.Encode(); err != nil {
				return err
			}
		}
		*k.to = k.count
	}
	h, err := remote.AddHistograms(slices.Concat(s.reads, s.writes)...)
	if err != nil {
		return err
	}
	if r.RTTSamples = h.Count(); r.RTTSamples > 0 {
		r.P50 = h.Quantile(0.5)
		r.Histogram, err = h.Encode()
	}
	return err
}

// perPercent is the work of all workers divided by the CPU use of the clients, or of the storage hosts.
func perPercent(b *record.Block, asks bool) *record.WorkPerPercent {
	cores, of := 0.0, 0
	for _, h := range b.Hosts {
		if asks && !h.Asks || !asks && !h.Stores {
			continue
		}
		if h.Cores == nil || h.Of == 0 {
			return nil
		}
		cores, of = cores+*h.Cores, of+h.Of
	}
	if of == 0 || cores <= 0 {
		return nil
	}
	p := &record.WorkPerPercent{Percent: cores / float64(of) * 100}
	for _, k := range []*record.BlockCount{b.Read, b.Write} {
		if k != nil {
			p.IOPS, p.BytesPerSecond = p.IOPS+k.IOPS/p.Percent, p.BytesPerSecond+k.BytesPerSecond/p.Percent
		}
	}
	return p
}

// addSeries adds a worker's bytes over time, as bits per second: reads come in, writes go out.
func addSeries(r *record.Repeat, o *block.Outcome) {
	if o.Slice <= 0 {
		return
	}
	r.Slice = o.Slice
	add := func(to *[]float64, i int, bytes int64) {
		for len(*to) <= i {
			*to = append(*to, 0)
		}
		(*to)[i] += float64(bytes) * 8 / o.Slice
	}
	for i, x := range o.Series {
		add(&r.SeriesIn, i, x.ReadBytes)
		add(&r.SeriesOut, i, x.WrittenBytes)
	}
}
