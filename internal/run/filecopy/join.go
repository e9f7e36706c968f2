package filecopy

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// join fills in a repeat from the outcomes of all hosts.
func (run *repeat) join(r *record.Repeat, here *traffic.Work) {
	s, b, x := run.s, run.copying, r.Copy
	for i, l := range x.Legs {
		x.Bytes, x.Files = x.Bytes+l.Bytes, x.Files+l.Files
		r.Seconds = max(r.Seconds, l.Seconds)
		if i == 0 {
			x.Tool, x.Why, x.Command = run.outs[i].Via, run.outs[i].Why, run.outs[i].Command
		}
		for _, t := range run.outs[i].Threads {
			x.Threads = append(x.Threads, record.CopyThread{Name: t.Name, CPU: t.CPU, Seconds: t.Seconds})
		}
		if v := b.made[i].share; v != nil {
			x.Server = v.What
		}
	}
	r.Bytes = x.Bytes
	r.Goodput = float64(r.Bytes) * 8 / r.Seconds
	remote.JoinCPU(r, run.watched(), here, true)
	for _, side := range run.sides {
		x.Hosts = append(x.Hosts, remote.StorageHost(s.Name(side.Host), side.Host == b.client, side.out))
	}
	if b.instead != "" {
		by := map[string]string{overHTTP: "HTTP, linerate's own server", overSMB: "SMB over TCP, Samba's"}[b.over]
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("%s, replaces %s here: the figure says nothing of that protocol", by, b.instead))
	}
	if s.Lab() != nil && unit.Bytes(x.Legs[0].Bytes) < b.amount {
		r.Warnings = append(
			r.Warnings,
			fmt.Sprintf("in a lab %v are copied in place of %v: what its link carries in %s, %v at most",
				unit.Bytes(x.Legs[0].Bytes), b.amount, unit.Seconds(labCopyTime), maxLabCopy),
		)
	}
}

// Summarize fills the figures of the experiment from its repeats.
func (b *copying) Summarize() (err error) {
	e := b.c.Record
	if len(e.Repeats) == 0 {
		return nil
	}
	e.Seconds, err = remote.Estimated(xslices.Map(e.Repeats, func(r record.Repeat) float64 { return r.Seconds }))
	if err != nil {
		return err
	}
	// What is said of a copy is about the repeat whose time is the headline's.
	apart := func(r record.Repeat) float64 { return math.Abs(r.Seconds - e.Seconds.Median) }
	e.Copy = slices.MinFunc(e.Repeats, func(a, b record.Repeat) int { return cmp.Compare(apart(a), apart(b)) }).Copy
	if e.Bytes, err = remote.Estimated(
		xslices.Map(e.Repeats, func(r record.Repeat) float64 { return float64(r.Bytes) / r.Seconds }),
	); err != nil {
		return err
	}
	remote.SummarizeCPU(e)
	return nil
}
