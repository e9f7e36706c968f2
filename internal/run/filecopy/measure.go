package filecopy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// watchedHost is an observed host of a copy in one repeat.
type watchedHost struct {
	remote.End
	watch *agent.BlockRun
	out   *agent.BlockOutcome
}

const (
	// startAhead is how long before the first byte the start is sent, in addition to the delay to the agents: the tool's
	// files are written meanwhile.
	startAhead = 300 * time.Millisecond
	// minCopyRate is the lowest rate that a copy may have, bytes per second, and minCopyTime the minimum of its time
	// limit; the key time: overrides both.
	minCopyRate, minCopyTime = 1 << 20, time.Minute
	// maxLabCopy is the largest copy in a lab, all of whose hosts are one machine, and labCopyTime the seconds that its
	// link may take.
	maxLabCopy, labCopyTime = 64 * unit.MiB, 1.0
)

// Measure copies once. The first try finds a substitute for a protocol that a lab's machine is missing.
func (b *copying) Measure(ctx context.Context, s experiment.Session, during func()) error {
	c := b.c
	rep, samples, err := b.run(ctx, s, during)
	if err != nil && s.Lab() != nil && (b.over == overSMB || b.over == overNFS) && len(c.Record.Repeats) == 0 &&
		ctx.Err() == nil &&
		here(s, b.hosts()) {
		b.Close(s)
		b.instead, b.over = fmt.Sprintf("%s (%v)", cmp.Or(b.instead, b.over), err), overHTTP
		rep, samples, err = b.run(ctx, s, during)
	}
	if err == nil {
		return s.Keep(c, rep, samples)
	}
	b.Close(s)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Record.Failed = err.Error()
	c.RefuseUnsafe(err)
	return s.Lost(c)
}

// here reports whether the agents of all hosts run.
func here(s experiment.Session, hosts []string) bool {
	return !slices.ContainsFunc(hosts, func(h string) bool { return s.Client(h) == nil || s.Client(h).Err() != nil })
}

// run copies once in all directions, and compares what arrived.
func (b *copying) run(ctx context.Context, s experiment.Session,
	during func()) (rep record.Repeat, rows []record.Sample, err error) {
	if err := b.prepare(ctx, s); err != nil {
		return rep, nil, err
	}
	limit := minCopyTime + time.Duration(float64(b.made[0].source.Bytes)/minCopyRate*1e9)
	if b.c.Interval != "" {
		limit = b.c.Asked()
	}
	// Preparation and comparison take about as long again.
	limited, cancel := context.WithTimeout(ctx, 4*limit+remote.AnswerDeadline)
	defer cancel()
	r := &repeat{copying: b, s: s, limit: limit,
		rows: &remote.Collector{Now: traffic.Now(), Wall: time.Now(), Live: s.Live()}}
	rep.Copy = &record.Copy{Over: b.over, On: b.client}
	if rep.Copy.Legs, err = r.warm(limited); err != nil {
		return rep, nil, err
	}
	defer r.close()
	if err := r.watchHosts(limited); err != nil {
		return rep, nil, err
	}
	if err := r.copy(ctx, limited, &rep, during); err != nil {
		return rep, r.rows.All, err
	}
	return rep, r.rows.All, nil
}

// Writes is what the copies create and leave at both of their ends in n repeats.
func (b *copying) Writes(s experiment.Session, n int, _ map[string]bool) (out []experiment.Written) {
	amount := b.carried(s)
	names := [2]string{b.c.Record.From, b.c.Record.To}
	place := func(end int, bytes unit.Bytes) {
		out = append(
			out,
			experiment.Written{Place: names[end], Host: b.ends[end].host, Path: b.ends[end].path, Bytes: bytes,
				Room: amount, Reused: true},
		)
	}
	for _, leg := range b.legs {
		if !b.take ||
			b.c.Record.Settings["amount"] != "" { // else the source may be an existing file of its own size
			place(leg[0], amount)
		}
		place(leg[1], amount*unit.Bytes(n))
	}
	return out
}
