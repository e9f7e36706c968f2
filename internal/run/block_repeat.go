package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// blockSide is a host of a cell of block in one repeat: with a worker, or one that is watched.
type blockSide struct {
	side
	worker int    // -1: none, it has the storage
	beside bool   // its host is watched by another request
	begin  int64  // when it is to begin, on its clock
	given  *given // how it has its target; nil: by itself
	run    *agent.BlockRun
	out    *agent.BlockOutcome
}

const (
	// blockAhead is how long before the warm-up the start is sent, beside the way to the agents.
	blockAhead = 60 * time.Millisecond
	// perWorker is how much earlier it is for every worker and host that is watched. What takes longer, such as listing tasks, was done before they said that they are ready.
	perWorker = 2 * time.Millisecond
	// layoutRate is the least rate at which a file is taken to be laid out, bytes per second; layoutLeast what opening may take at most.
	layoutRate, layoutLeast = 10 << 20, time.Minute
	// finalSyncMost is how long a target may take to put on its medium what it has in memory.
	finalSyncMost = 2 * time.Minute
	// mostPause bounds the pause between repeats that a file may ask for.
	mostPause = 10 * time.Minute
)

// layoutTime is how long opening and laying out may take.
func layoutTime(span unit.Bytes) time.Duration {
	return layoutLeast + time.Duration(float64(cmp.Or(span, unit.GiB))/layoutRate*1e9)
}

// blockRepeat measures a cell once.
func (s *session) blockRepeat(ctx context.Context, c *Cell, during func()) error {
	b := c.block
	if len(c.Exp.Repeats) > 0 && b.pause > 0 {
		t := time.NewTimer(min(b.pause, mostPause))
		select {
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
	}
	rep, samples, err := s.runBlock(ctx, c, during)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.Exp.Failed = err.Error()
		if keepOff(c, err) {
			index := len(c.Exp.Repeats)
			for i := range samples {
				samples[i].Experiment, samples[i].Repeat = c.Exp.ID, index
			}
			if err := s.cfg.Folder.Samples(samples); err != nil {
				return err
			}
		}
		if e := asMeasure(err); e != nil && e.Code == traffic.CodeUnsafe {
			c.Exp.NotRun, c.Exp.Failed, c.Exp.Refused = c.Exp.Failed, "", true
		}
		return s.lost(c)
	}
	return s.keep(c, rep, samples)
}

// afterWindow is how long a job may take behind its window: until what was written is on the drive, and read back, which block gives as long as the window.
func afterWindow(j block.Job, window time.Duration) time.Duration {
	switch {
	case j.Read == 1:
		return 0
	case j.Verify:
		return finalSyncMost + max(window, time.Second)
	}
	return finalSyncMost
}

// runBlock prepares all workers, starts them at one moment, and joins what they counted. With an error nothing of it is left on any host.
func (s *session) runBlock(ctx context.Context, c *Cell, during func()) (rep record.Repeat, rows []record.Sample, err error) {
	b, window := c.block, s.window(c)
	var sides []*blockSide
	watched := map[string]bool{}
	add := func(host string, worker int) {
		sides = append(sides, &blockSide{side: side{host: host, client: s.clients[host]}, worker: worker, beside: watched[host]})
		watched[host] = true
	}
	for i, w := range b.workers {
		add(w.host, i)
	}
	for _, h := range b.stores {
		add(h, -1)
	}
	limit := time.Duration(len(b.workers))*layoutTime(b.job.Span) + b.job.Warmup + window + afterWindow(b.job, window) + answerDeadline
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	all := &collector{now: traffic.Now(), wall: time.Now(), live: s.cfg.Live}
	each := func(f func(*blockSide) error) {
		var wg sync.WaitGroup
		for _, x := range sides {
			wg.Go(func() {
				if x.err = f(x); x.err != nil {
					cancel() // without one of them it is another experiment
				}
			})
		}
		wg.Wait()
	}
	var ends []*side
	for _, x := range sides {
		ends = append(ends, &x.side)
	}
	failed := func() error { return firstCause(ctx, ends) } // it names the host
	defer func() {
		for _, x := range sides {
			if x.run != nil && x.out == nil {
				x.run.Close()
			}
		}
	}()
	served := make([]given, len(b.workers))
	for i, w := range b.workers {
		if w.served != nil {
			if served[i], err = s.give(limited, w, cmp.Or(b.job.Span, unit.GiB)); err != nil {
				return rep, nil, err
			}
			sides[i].given = &served[i]
		}
	}
	defer func() {
		if err != nil && isLost(err) {
			s.forget(b)
		}
	}()
	each(func(x *blockSide) (err error) {
		if err := x.client.Sync(limited); err != nil {
			return err
		}
		q := agent.Block{Warmup: b.job.Warmup, Window: window, Samples: c.Samples, Unwatched: x.beside}
		if at := b.locals[x.host]; len(at) > 0 && !x.beside {
			q.Local, q.Locals = at[0], at[1:]
		}
		if s.cfg.Lab == nil { // whose hosts share one machine's drives
			q.Storage, q.Physical = b.places[x.host], x.worker < 0
		}
		if x.worker >= 0 {
			j := b.job
			if b.parts != nil {
				takeLoad(&j, b.parts[b.workers[x.worker].part], c.Exp.Settings["rate"])
			}
			j.Destroy = b.workers[x.worker].destroy
			j.Target, j.Window, j.Seed = b.workers[x.worker].target, window, j.Seed+uint64(x.worker)
			if g := x.given; g != nil {
				if j.Target, j.HostName = g.target, g.hostName; j.Read < 1 {
					j.Destroy = g.destroy
				}
			}
			q.Job = &j
		} else {
			for i, w := range b.workers {
				if w.served != nil && w.served.owner == x.host {
					q.Drives = append(q.Drives, served[i].devices...)
				}
			}
			slices.Sort(q.Drives) // those of several targets of one host are often the same
			q.Drives = slices.Compact(q.Drives)
		}
		q.Processes = !x.beside && s.cfg.Lab != nil && slices.Contains(b.owners, x.host)
		if x.run, err = x.client.Block(limited, q, all.from(&x.side, 0)); err != nil {
			return err
		}
		return x.mounted(b)
	})
	if err := failed(); err != nil {
		return rep, nil, err
	}
	var rtt time.Duration
	early := blockAhead + time.Duration(b.job.Threads)*perStream + time.Duration(len(sides))*perWorker
	for _, x := range sides {
		if !x.beside {
			if err := x.client.Sync(limited); err != nil { // laying out may have taken minutes
				return rep, nil, err
			}
		}
		rtt = max(rtt, x.client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(early+2*rtt)
	open := begin + int64(b.job.Warmup)
	each(func(x *blockSide) error {
		x.begin = begin + x.client.Clock().Nanoseconds
		return x.run.Start(limited, x.begin)
	})
	if err := failed(); err != nil {
		return rep, nil, err
	}
	whole := b.job.Amount > 0 || b.job.Steady
	looking, over := context.WithCancel(limited)
	defer over()
	seen := lookHere(looking, open, open+int64(window), whole, ends...)
	var beside sync.WaitGroup
	if during != nil {
		look := window
		if whole {
			look = min(window, 3*looksAfter)
		}
		beside.Go(func() { inWindow(looking, open, look, during) })
	}
	awaitBlock(sides, whole, over)
	over()
	beside.Wait()
	here := seen()
	if off := lostBlock(ctx, sides); off != nil {
		off.keepBlock(c, sides, here)
		off.sampled(sides, all.all, wall.Add(time.Duration(open-now)).UnixNano())
		return rep, all.all, off
	}
	rep, err = joinBlock(c, sides, here)
	rep.Start = wall.Add(time.Duration(open - now))
	if err == nil {
		err = wrongData(&rep)
	}
	return rep, all.all, err
}

// mostApart is how far apart workers may begin, in seconds, without its being said.
const mostApart = 0.010

// joinBlock is the repeat that the outcomes of all hosts make.
func joinBlock(c *Cell, sides []*blockSide, here *traffic.Work) (record.Repeat, error) {
	r := record.Repeat{Block: &record.Block{}}
	b := r.Block
	var pairs []*pairSides
	var reads, writes []string
	var read, write record.BlockCount
	var outs []*block.Outcome
	for _, x := range sides {
		x.outcome = &x.out.Watch
		if !x.beside {
			pairs = append(pairs, &pairSides{a: &x.side, b: &x.side})
		}
		o := x.out.Engine
		if o == nil {
			continue
		}
		outs = append(outs, o)
		r.Seconds = max(r.Seconds, float64(o.CloseNS-o.OpenNS)/1e9)
		read.Operations, read.Bytes = read.Operations+o.Read.Operations, read.Bytes+o.Read.Bytes
		write.Operations, write.Bytes = write.Operations+o.Write.Operations, write.Bytes+o.Write.Bytes
		reads, writes = append(reads, o.Read.Histogram), append(writes, o.Write.Histogram)
		b.Depth += o.MeanDepth
		b.Workers = append(b.Workers, blockWorkerOf(c, x, o))
		for _, w := range o.Warnings {
			r.Warnings = once(r.Warnings, x.host+": "+w)
		}
		addSeries(&r, o)
		if name := c.block.volume; name != "" {
			r.Warnings = once(r.Warnings, fmt.Sprintf("volume %s is GlusterFS of this machine here, with three copies in memory: the figure says nothing of the drives and the software that it is planned with", name))
		}
		if x.given != nil {
			if text := standsIn(&x.given.how); text != "" && !slices.Contains(r.Warnings, text) {
				r.Warnings = append(r.Warnings, text)
			}
		}
	}
	if r.Seconds <= 0 {
		return r, errors.New("nothing was measured")
	}
	b.Steady = steadyTogether(outs)
	if c.amount() > 0 {
		r.Bytes = read.Bytes + write.Bytes
	}
	within, readWithin, writeWithin, ok := shared(outs)
	if ok {
		b.SharedSeconds = within
	} else {
		within, readWithin, writeWithin = r.Seconds, read, write
	}
	for _, k := range []struct {
		count *record.BlockCount
		in    record.BlockCount
		texts []string
		to    **record.BlockCount
		asked bool
	}{{&read, readWithin, reads, &b.Read, c.block.job.Read > 0}, {&write, writeWithin, writes, &b.Write, c.block.job.Read < 1}} {
		if !k.asked {
			continue
		}
		k.count.IOPS, k.count.BytesPerSecond = float64(k.in.Operations)/within, float64(k.in.Bytes)/within
		h, err := addUp(k.texts...)
		if err != nil {
			return r, err
		}
		if h.Count() > 0 {
			if k.count.Histogram, err = h.Encode(); err != nil {
				return r, err
			}
		}
		*k.to = k.count
	}
	h, err := addUp(slices.Concat(reads, writes)...)
	if err != nil {
		return r, err
	}
	if r.Trips = h.Count(); r.Trips > 0 {
		r.P50 = h.Quantile(0.5)
		if r.Histogram, err = h.Encode(); err != nil {
			return r, err
		}
	}
	groupCPU(&r, pairs, here)
	for _, x := range sides {
		if !x.beside {
			b.Hosts = append(b.Hosts, blockHostOf(x))
		}
	}
	if b.Start = startOf(sides, b.Workers); b.Start != nil && b.Start.Spread > mostApart {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the workers began %s apart, %s last: more than %s", unit.Seconds(b.Start.Spread), b.Start.Host, unit.Seconds(mostApart)))
	}
	b.PerPercentAsking, b.PerPercentStoring = perPercent(b, true), perPercent(b, false)
	return r, nil
}

// perPercent is the work of all workers over the processors of the hosts that ask, or of those that store.
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

func blockWorkerOf(c *Cell, x *blockSide, o *block.Outcome) record.BlockWorker {
	t := x.run.Ready
	w := record.BlockWorker{Host: x.host, Target: cmp.Or(c.block.workers[x.worker].target, t.Path), Kind: t.Kind, Path: t.Path, Size: int64(t.Size), Span: int64(t.Span), Sector: int64(t.Sector),
		Way: t.Way, Why: t.Why, Cache: cmp.Or(o.Cache, t.Cache), Direct: t.Direct, FileSystem: t.FileSystem, Devices: t.Devices, Created: t.Created, Batch: o.Batch, Making: o.Making,
		Read: o.Read.Operations, Write: o.Write.Operations, ErrorCount: o.ErrorCount, Hanging: o.Hanging, Source: t.Source, Found: t.Found}
	if w.Target == agent.TemporaryFolder {
		w.Target = filepath.Dir(t.Path)
	}
	if x.given != nil {
		how := x.given.how
		w.Export = &how
	}
	w.Of = c.block.workers[x.worker].of
	if c.block.parts != nil {
		w.Load = c.block.parts[c.block.workers[x.worker].part].Text
	}
	if o.FirstNS != 0 && x.begin != 0 {
		v := float64(o.FirstNS-x.begin) / 1e9
		w.FirstSeconds = &v
	}
	since := func(ns int64) float64 { return float64(ns-o.OpenNS) / 1e9 }
	if o.LastNS != 0 {
		w.LastSeconds = since(o.LastNS)
	}
	if o.LostNS != 0 {
		v := since(o.LostNS)
		w.LostSeconds = &v
	}
	if o.FinalSync > 0 {
		w.FinalSync = &o.FinalSync
	}
	if v := o.Verified; v != nil {
		w.Verified = &record.BlockVerified{Right: v.Right, Wrong: v.Wrong, Unknown: v.Unknown, ReadBack: v.ReadBack, NotReadBack: v.NotReadBack}
		for _, b := range v.Blocks {
			w.Verified.Blocks = append(w.Verified.Blocks, record.WrongBlock{Offset: b.Offset, Kind: b.Kind, Text: b.Text, Seconds: since(b.AtNS)})
		}
	}
	for _, e := range o.Errors {
		w.Errors = append(w.Errors, record.BlockError{Op: e.Op, Offset: e.Offset, Errno: e.Errno, Text: e.Text, Seconds: since(e.AtNS)})
	}
	return w
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

// blockHostOf is what a host did in the window.
func blockHostOf(x *blockSide) record.BlockHost {
	w := x.out.Watch
	h := record.BlockHost{Host: x.host, Asks: x.worker >= 0, Stores: x.worker < 0, Seconds: float64(w.EndNS-w.StartNS) / 1e9, Of: x.out.Cores, Drives: w.Drives, AllDrives: x.out.Physical}
	h.Cores = coresInUse(w.CPU)
	if w.CPU.User != nil && w.CPU.System != nil {
		own := *w.CPU.User + *w.CPU.System
		h.Own = &own
	}
	h.Processes = w.Processes
	if !blind(&w) && len(w.Work.Threads) > 0 {
		kernel := 0.0
		for _, t := range w.Work.Threads {
			if t.Kind == record.KernelThread {
				kernel += t.User + t.System
			}
		}
		h.Kernel = &kernel
	}
	if w.Link != nil {
		h.Interface = w.Link.Interface
		for name, to := range map[string]**int64{"rx_bytes": &h.Received, "tx_bytes": &h.Sent} {
			if v, ok := w.Link.Counters[name]; ok {
				*to = &v
			}
		}
	}
	return h
}

// summarizeBlock fills the figures of an experiment from its repeats.
func summarizeBlock(e *record.Experiment) error {
	e.Block = ofAllRepeats(e.Repeats)
	sum := func(f func(*record.BlockCount) float64) func(record.Repeat) float64 {
		return func(r record.Repeat) float64 {
			v := 0.0
			for _, k := range []*record.BlockCount{r.Block.Read, r.Block.Write} {
				if k != nil {
					v += f(k)
				}
			}
			return v
		}
	}
	var err error
	if e.IOPS, err = estimate(each(e.Repeats, sum(func(k *record.BlockCount) float64 { return k.IOPS }))); err != nil {
		return err
	}
	if e.Bytes, err = estimate(each(e.Repeats, sum(func(k *record.BlockCount) float64 { return k.BytesPerSecond }))); err != nil {
		return err
	}
	if e.Latency, err = distribution(each(e.Repeats, func(r record.Repeat) string { return r.Histogram })...); err != nil {
		return err
	}
	if e.Settings["amount"] != "" {
		if e.Seconds, err = estimate(each(e.Repeats, func(r record.Repeat) float64 { return r.Seconds })); err != nil {
			return err
		}
	}
	summarizeCPU(e)
	return nil
}
