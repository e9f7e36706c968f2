package storage

import (
	"cmp"
	"path/filepath"

	"linerate/internal/agent"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/storage/block"
)

// workerRecord is the configuration and the result of a worker.
func workerRecord(b *workload, x *participant, o *block.Outcome) record.BlockWorker {
	t := x.run.Ready
	w := record.BlockWorker{Host: x.Host, Target: cmp.Or(b.workers[x.worker].target, t.Path), Kind: t.Kind, Path: t.Path,
		Size: int64(t.Size), Span: int64(t.Span), Sector: int64(t.Sector), Way: t.Way, Why: t.Why,
		Cache: cmp.Or(o.Cache, t.Cache), Direct: t.Direct, FileSystem: t.FileSystem, Devices: t.Devices, Created: t.Created,
		Batch: o.Batch, Making: o.Making, Read: o.Read.Operations, Write: o.Write.Operations, ErrorCount: o.ErrorCount,
		Hanging: o.Hanging, Source: t.Source, Found: t.Found}
	if w.Target == agent.TemporaryFolder {
		w.Target = filepath.Dir(t.Path)
	}
	if x.attached != nil {
		how := x.attached.how
		w.Export = &how
	}
	w.Of = b.workers[x.worker].of
	if b.parts != nil {
		w.Load = b.parts[b.workers[x.worker].part].Text
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
		w.Verified = &record.BlockVerified{Right: v.Right, Wrong: v.Wrong, Unknown: v.Unknown,
			ReadBack: v.ReadBack, NotReadBack: v.NotReadBack}
		for _, x := range v.Blocks {
			w.Verified.Blocks = append(w.Verified.Blocks,
				record.WrongBlock{Offset: x.Offset, Kind: x.Kind, Text: x.Text, Seconds: since(x.AtNS)})
		}
	}
	for _, e := range o.Errors {
		w.Errors = append(w.Errors,
			record.BlockError{Op: e.Op, Offset: e.Offset, Errno: e.Errno, Text: e.Text, Seconds: since(e.AtNS)})
	}
	return w
}

// Summarize fills in the figures of the experiment from its repeats.
func (b *workload) Summarize() error {
	e := b.c.Record
	if len(e.Repeats) == 0 {
		return nil
	}
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
	e.IOPS, err = remote.Estimated(xslices.Map(e.Repeats, sum(func(k *record.BlockCount) float64 { return k.IOPS })))
	if err != nil {
		return err
	}
	if e.Bytes, err = remote.Estimated(
		xslices.Map(e.Repeats, sum(func(k *record.BlockCount) float64 { return k.BytesPerSecond })),
	); err != nil {
		return err
	}
	if e.Latency, err = remote.Distribution(
		xslices.Map(e.Repeats, func(r record.Repeat) string { return r.Histogram })...); err != nil {
		return err
	}
	if e.Settings["amount"] != "" {
		e.Seconds, err = remote.Estimated(xslices.Map(e.Repeats, func(r record.Repeat) float64 { return r.Seconds }))
		if err != nil {
			return err
		}
	}
	remote.SummarizeCPU(e)
	return nil
}
