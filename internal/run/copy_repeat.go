package run

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// copySide is a host of a cell of copy in one repeat: it is watched.
type copySide struct {
	side
	watch *agent.BlockRun
	out   *agent.BlockOutcome
}

const (
	// copyAhead is how long before the first byte the start is sent, beside the way to the agents: the tool's files are written meanwhile.
	copyAhead = 300 * time.Millisecond
	// copyLeastRate is the least rate that a copy is waited for, bytes per second, copyLeast what it may take at least; time: says otherwise.
	copyLeastRate, copyLeast = 1 << 20, time.Minute
	// labCopy is the most that is copied in a lab, all of whose hosts are one machine, and labCopyTime how long its link has to do.
	labCopy, labCopyTime = 64 * unit.MiB, 1.0
)

// copyRepeat measures a cell once. What stands in for a protocol that a lab's machine lacks is found at the first try.
func (s *session) copyRepeat(ctx context.Context, c *Cell, during func()) error {
	b := c.copy
	rep, samples, err := s.runCopy(ctx, c, during)
	if err != nil && s.cfg.Lab != nil && (b.over == copySMB || b.over == copyNFS) && len(c.Exp.Repeats) == 0 && ctx.Err() == nil && s.here(b.hosts()) {
		s.removeCopies(c)
		b.instead, b.over = fmt.Sprintf("%s (%v)", cmp.Or(b.instead, b.over), err), copyHTTP
		rep, samples, err = s.runCopy(ctx, c, during)
	}
	if err != nil {
		s.removeCopies(c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.Exp.Failed = err.Error()
		if e := asMeasure(err); e != nil && e.Code == traffic.CodeUnsafe {
			c.Exp.NotRun, c.Exp.Failed, c.Exp.Refused = c.Exp.Failed, "", true
		}
		return s.lost(c)
	}
	return s.keep(c, rep, samples)
}

// here says whether all agents of hosts are there.
func (s *session) here(hosts []string) bool {
	return !slices.ContainsFunc(hosts, func(h string) bool { return s.clients[h] == nil || s.clients[h].Err() != nil })
}

// copyAmount is how much a cell copies: in a lab what its link carries in a moment, for its rates are small.
func (s *session) copyAmount(c *Cell) unit.Bytes {
	b := c.copy
	if s.cfg.Lab == nil {
		return b.amount
	}
	most := labCopy
	if b.path != nil && b.path.Speed() > 0 && s.cfg.Lab.Scale > 0 {
		most = min(most, unit.Bytes(float64(b.path.Speed())*s.cfg.Lab.Scale*labCopyTime/8))
	}
	return max(min(b.amount, most), unit.Bytes(b.files))
}

// makeCopies makes the ends of all legs, once for all repeats.
func (s *session) makeCopies(ctx context.Context, c *Cell) error {
	b := c.copy
	if b.made != nil {
		return nil
	}
	amount := s.copyAmount(c)
	for i, leg := range b.legs {
		from, to := b.ends[leg[0]], b.ends[leg[1]]
		b.made = append(b.made, copyLegState{})
		m := &b.made[i]
		q := agent.CopyEnd{Op: agent.CopySource, Path: from.path, Amount: amount, Files: b.files, Streams: b.streams, Seed: uint64(i + 1), Take: b.take}
		q.Exact = c.Exp.Settings["amount"] != ""
		q.Open = b.share != nil && leg[0] == b.served
		theirs, err := b.theirs()
		if err == nil {
			err = s.refusedBefore(theirs)
		}
		if err != nil {
			return err
		}
		if m.source, err = s.clients[from.host].CopyEnd(ctx, q); err != nil {
			return err
		}
		if m.target, err = s.clients[to.host].CopyEnd(ctx, agent.CopyEnd{Op: agent.CopyTarget, Path: to.path, Amount: m.source.Bytes, Streams: b.streams, Open: b.share != nil && leg[1] == b.served}); err != nil {
			return err
		}
		switch b.over {
		case copySMB, copyHTTP, copyFTP, copyNFS:
			served, owner := m.source, from.host
			if leg[1] == b.served {
				served, owner = m.target, to.host
			}
			if theirs != nil {
				m.share = theirs
				if served.Name == "" { // the user's own file lies where the share begins
					m.share.Prefix = path.Join(m.share.Prefix, filepath.Base(served.Folder))
				}
				continue
			}
			v, err := s.clients[owner].Share(ctx, agent.Share{Kind: b.over, End: served.End, Local: b.at, Peer: b.locals[b.asks]})
			if err != nil {
				return err
			}
			m.share = &v
		}
	}
	return nil
}

// removeCopies removes all that was made for a cell.
func (s *session) removeCopies(c *Cell) {
	b := c.copy
	if b == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hostDeadline)
	defer cancel()
	for i, m := range b.made {
		for k, end := range []uint64{m.source.End, m.target.End} {
			if client := s.clients[b.ends[b.legs[i][k]].host]; client != nil && end != 0 && client.Err() == nil {
				_, _ = client.CopyEnd(ctx, agent.CopyEnd{Op: agent.CopyRemove, End: end}) // else the end of the agent does it
			}
		}
	}
	b.made = nil
}

// runCopy copies once in all directions, and compares what arrived.
func (s *session) runCopy(ctx context.Context, c *Cell, during func()) (rep record.Repeat, rows []record.Sample, err error) {
	b := c.copy
	if err := s.makeCopies(ctx, c); err != nil {
		return rep, nil, err
	}
	limit := copyLeast + time.Duration(float64(b.made[0].source.Bytes)/copyLeastRate*1e9)
	if c.Window != "" {
		limit = c.asked()
	}
	// What is before and behind the copy takes about as long again.
	limited, cancel := context.WithTimeout(ctx, 4*limit+answerDeadline)
	defer cancel()
	rep.Copy = &record.Copy{Over: b.over, On: b.asks}
	for i, leg := range b.legs {
		m := b.made[i]
		client := s.clients[b.ends[leg[0]].host]
		cache, err := client.CopyEnd(limited, agent.CopyEnd{Op: b.cache, End: m.source.End})
		if err != nil {
			return rep, nil, err
		}
		l := record.CopyLeg{From: s.copyPlace(b.ends[leg[0]], m.source), To: s.copyPlace(b.ends[leg[1]], m.target), Cache: cache.Cache, Cold: cache.Cold, Bytes: int64(m.source.Bytes), Files: m.source.Files}
		rep.Copy.Legs = append(rep.Copy.Legs, l)
	}
	all := &collector{now: traffic.Now(), wall: time.Now(), live: s.cfg.Live}
	sides, err := s.watchCopy(limited, c, limit, all)
	defer func() {
		for _, x := range sides {
			if x.watch != nil && x.out == nil {
				x.watch.Close()
			}
		}
	}()
	if err != nil {
		return rep, nil, err
	}
	var rtt time.Duration
	var plain []*side
	for _, x := range sides {
		rtt = max(rtt, x.client.Clock().RTT)
		plain = append(plain, &x.side)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(copyAhead+2*rtt)
	for _, x := range sides {
		if err := x.watch.Start(limited, begin+x.client.Clock().Nanoseconds); err != nil {
			return rep, nil, err
		}
	}
	looking, over := context.WithCancel(limited)
	defer over()
	seen := lookHere(looking, begin, begin+int64(limit), true, plain...)
	var beside sync.WaitGroup
	if during != nil {
		beside.Go(func() { inWindow(looking, begin, min(c.expected(s.scale()), 3*looksAfter), during) })
	}
	outs, errs := make([]*agent.CopyOutcome, len(b.legs)), make([]error, len(b.legs))
	var wg sync.WaitGroup
	for i := range b.legs {
		wg.Go(func() { outs[i], errs[i] = s.copyLeg(limited, c, i, begin, limit, &rep.Copy.Legs[i]) })
	}
	wg.Wait()
	for _, x := range sides {
		x.watch.Close()
		if x.out, x.err = x.watch.Wait(); x.err == nil {
			x.outcome = &x.out.Watch
		}
	}
	over()
	beside.Wait()
	here := seen()
	for i := range b.legs {
		s.keepRefusal(b.made[i].share, errs[i])
		if errs[i] != nil {
			return rep, all.all, s.copyBroke(ctx, c, i, begin, outs[i], errs[i])
		}
	}
	if err := firstCause(ctx, plain); err != nil {
		return rep, all.all, err
	}
	for i := range b.legs {
		if err := s.compareCopy(limited, c, i); err != nil {
			return rep, all.all, err
		}
		rep.Copy.Legs[i].Verified = true
	}
	s.joinCopy(c, &rep, sides, outs, here)
	rep.Start = wall.Add(time.Duration(begin - now))
	return rep, all.all, nil
}

func (s *session) scale() float64 {
	if s.cfg.Lab != nil {
		return s.cfg.Lab.Scale
	}
	return 1
}

func (s *session) copyPlace(e copyPlace, p agent.CopyPlaced) record.CopyPlace {
	named := e.path
	if named == agent.TemporaryFolder {
		named = filepath.Dir(p.Folder)
	}
	return record.CopyPlace{Host: s.nameOf(e.host), Path: named, FileSystem: p.FileSystem, Source: p.Source, Devices: p.Devices}
}

// watchCopy has every host watched: its processors, its interface and the drives under its ends.
func (s *session) watchCopy(ctx context.Context, c *Cell, limit time.Duration, all *collector) (sides []*copySide, err error) {
	b := c.copy
	for _, host := range b.hosts() {
		x := &copySide{side: side{host: host, client: s.clients[host]}}
		sides = append(sides, x)
		if err := x.client.Sync(ctx); err != nil {
			return sides, err
		}
		q := agent.Block{Local: b.locals[host], Window: limit, Samples: c.Samples}
		for i, m := range b.made {
			for k, p := range []agent.CopyPlaced{m.source, m.target} {
				if b.ends[b.legs[i][k]].host == host {
					q.Drives = append(q.Drives, p.Devices...)
				}
			}
		}
		slices.Sort(q.Drives)
		q.Drives = slices.Compact(q.Drives)
		if x.watch, err = x.client.Block(ctx, q, all.from(&x.side, 0)); err != nil {
			return sides, err
		}
	}
	return sides, nil
}

// copyLeg has one direction copied and brought onto the medium.
func (s *session) copyLeg(ctx context.Context, c *Cell, i int, begin int64, limit time.Duration, l *record.CopyLeg) (*agent.CopyOutcome, error) {
	b := c.copy
	client, m := s.clients[b.asks], b.made[i]
	q := agent.Copy{Via: b.tool, Share: m.share, Threads: b.threads, AtNS: begin + client.Clock().Nanoseconds, Limit: limit}
	pull := false // the tool's own end is the target
	if b.over != copyPath {
		pull = b.legs[i][0] == b.served
	}
	if b.over == copySSH {
		q.SSH = s.sshName(b)
	}
	here, there := m.source, m.target
	if pull {
		here, there = there, here
	}
	for n := range b.streams {
		x := agent.CopyStream{Pull: pull, Here: filepath.Join(here.Folder, agent.CopyStreamFolder(n)), There: path.Join(filepath.ToSlash(there.Folder), agent.CopyStreamFolder(n)),
			First: n, Step: b.streams, Files: (m.source.Files + b.streams - 1 - n) / b.streams}
		if b.over == copyPath {
			x.There = filepath.Join(there.Folder, agent.CopyStreamFolder(n))
		}
		if m.share != nil {
			x.There = agent.CopyStreamFolder(n)
		}
		if m.source.Name != "" { // the user's own file, in no stream's folder
			x.Name, x.Files = m.source.Name, 1
			switch {
			case !pull:
				x.Here = m.source.Folder
			case m.share == nil:
				x.There = m.source.Folder
			case b.share != nil:
				x.There = "."
			}
		}
		q.Streams = append(q.Streams, x)
	}
	out, err := client.Copy(ctx, q)
	if err != nil {
		return nil, err
	}
	l.Seconds = float64(out.EndNS-out.BeginNS) / 1e9
	for _, e := range out.Streams {
		l.Streams = append(l.Streams, record.CopyStream{Seconds: e.Seconds, Said: e.Said})
	}
	for n, e := range out.Streams {
		if e.Wrong != "" {
			which := ""
			if b.streams > 1 {
				which = fmt.Sprintf("stream %d: ", n)
			}
			return out, &traffic.Error{Code: cmp.Or(e.Code, traffic.CodeInternal), Subject: out.Via + " on " + s.nameOf(b.asks), Text: fmt.Sprintf("%safter %s: %s", which, unit.Seconds(e.Seconds), e.Wrong)}
		}
	}
	synced, err := s.clients[b.ends[b.legs[i][1]].host].CopyEnd(ctx, agent.CopyEnd{Op: agent.CopySync, End: m.target.End})
	if err != nil {
		return out, err
	}
	l.Sync = &synced.Seconds
	l.Seconds += synced.Seconds
	if fs := m.target.FileSystem; b.over == copyPath && agent.Networked(fs) {
		l.SyncWhy = "over " + fs + ": the server was asked to sync, and whether it waits for its medium is not known"
	}
	return out, nil
}

// sshName is what ssh of the host that copies calls the other: as its reach has it where that is asked from here, else its planned address.
func (s *session) sshName(b *copyCell) string {
	spec, err := s.cfg.Reach(b.ends[b.served].host)
	own, ownErr := s.cfg.Reach(b.asks)
	if err == nil && spec.Kind == connect.SSH {
		if ownErr == nil && own.Kind == connect.Local {
			return spec.Name
		}
		if user, _, ok := strings.Cut(spec.Name, "@"); ok {
			return user + "@" + b.at.String()
		}
	}
	return b.at.String()
}

// copyBroke says of a copy that failed in the middle what had arrived until then.
func (s *session) copyBroke(ctx context.Context, c *Cell, i int, begin int64, out *agent.CopyOutcome, err error) error {
	b, failed := c.copy, traffic.Now()
	if ctx.Err() != nil {
		return err
	}
	e := asMeasure(err)
	code := traffic.CodeInternal
	if e != nil {
		code = e.Code
	}
	if code == traffic.CodeUnsupported || code == traffic.CodeInput || (code == traffic.CodeRefused || code == traffic.CodeUnreachable) && out == nil {
		return err // before anything was copied
	}
	asking, cancel := context.WithTimeout(ctx, finishDeadline)
	defer cancel()
	to := b.ends[b.legs[i][1]]
	have, sizeErr := s.clients[to.host].CopyEnd(asking, agent.CopyEnd{Op: agent.CopySizes, End: b.made[i].target.End})
	lost := fmt.Sprintf("how much of the %v had arrived is not known, because %s does not answer", b.made[i].source.Bytes, s.nameOf(to.host))
	if sizeErr == nil {
		lost = fmt.Sprintf("%v of %v had arrived, which is no copy", have.Bytes, b.made[i].source.Bytes)
	}
	for _, h := range b.hosts() {
		if gone := s.clients[h].Err(); gone != nil {
			lost += fmt.Sprintf("; %s is gone: %v", s.nameOf(h), gone)
		}
	}
	if out == nil { // the tool's own end is what is gone
		lost = "after " + unit.Seconds(float64(max(0, failed-begin))/1e9) + "; " + lost
	}
	return &traffic.Error{Code: code, Text: err.Error() + "; " + lost}
}

// finishDeadline bounds a question about what is broken already.
const finishDeadline = 3 * time.Second

// compareCopy holds what arrived against the source, and makes room for the next.
func (s *session) compareCopy(ctx context.Context, c *Cell, i int) error {
	b := c.copy
	m, to := b.made[i], b.ends[b.legs[i][1]]
	have, err := s.clients[to.host].CopyEnd(ctx, agent.CopyEnd{Op: agent.CopySums, End: m.target.End})
	if err != nil {
		return err
	}
	if have.Sum != m.source.Sum {
		return &traffic.Error{Code: traffic.CodeInternal, Subject: "what arrived on " + s.nameOf(to.host), Text: "it differs from what was copied: " + differs(m.source, have) + "; such a copy has no figure"}
	}
	_, err = s.clients[to.host].CopyEnd(ctx, agent.CopyEnd{Op: agent.CopyClear, End: m.target.End})
	return err
}

// differs names the first file that is not as it should be.
func differs(want, have agent.CopyPlaced) string {
	if want.Files != have.Files || want.Bytes != have.Bytes {
		return fmt.Sprintf("%d files with %v arrived of %d with %v", have.Files, have.Bytes, want.Files, want.Bytes)
	}
	there := map[string]agent.CopySum{}
	for _, f := range have.First {
		there[f.Name] = f
	}
	for _, f := range want.First {
		switch h, ok := there[f.Name]; {
		case !ok:
			return f.Name + " is not there"
		case h.Size != f.Size:
			return fmt.Sprintf("%s has %v of %v", f.Name, unit.Bytes(h.Size), unit.Bytes(f.Size))
		case h.Sum != f.Sum:
			return fmt.Sprintf("%s has the checksum %.16s.. (SHA-256), not %.16s..", f.Name, h.Sum, f.Sum)
		}
	}
	return "the checksums of all files together differ"
}

// joinCopy is the repeat that the outcomes of all hosts make.
func (s *session) joinCopy(c *Cell, r *record.Repeat, sides []*copySide, outs []*agent.CopyOutcome, here *traffic.Work) {
	b, x := c.copy, r.Copy
	for i, l := range x.Legs {
		x.Bytes, x.Files = x.Bytes+l.Bytes, x.Files+l.Files
		r.Seconds = max(r.Seconds, l.Seconds)
		if i == 0 {
			x.Tool, x.Why, x.Command = outs[i].Via, outs[i].Why, outs[i].Command
		}
		for _, t := range outs[i].Threads {
			x.Threads = append(x.Threads, record.CopyThread{Name: t.Name, CPU: t.CPU, Seconds: t.Seconds})
		}
		if v := b.made[i].share; v != nil {
			x.Server = v.What
		}
	}
	r.Bytes = x.Bytes
	r.Goodput = float64(r.Bytes) * 8 / r.Seconds
	var pairs []*pairSides
	for _, side := range sides {
		pairs = append(pairs, &pairSides{a: &side.side, b: &side.side})
	}
	groupCPU(r, pairs, here)
	for _, side := range sides {
		h := blockHostOf(&blockSide{side: side.side, worker: -1, out: side.out})
		h.Host, h.Asks, h.Stores = s.nameOf(side.host), side.host == b.asks, side.host != b.asks
		x.Hosts = append(x.Hosts, h)
	}
	if b.instead != "" {
		by := map[string]string{copyHTTP: "HTTP, linerate's own server", copySMB: "SMB over TCP, Samba's"}[b.over]
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s, stands in for %s here: the figure says nothing of that protocol", by, b.instead))
	}
	if asked := b.amount; s.cfg.Lab != nil && unit.Bytes(x.Legs[0].Bytes) < asked {
		r.Warnings = append(r.Warnings, fmt.Sprintf("in a lab %v are copied in place of %v: what its link carries in %s, %v at most", unit.Bytes(x.Legs[0].Bytes), asked, unit.Seconds(labCopyTime), labCopy))
	}
}

// summarizeCopy fills the figures of an experiment from its repeats.
func summarizeCopy(e *record.Experiment) (err error) {
	e.Copy = e.Repeats[len(e.Repeats)-1].Copy
	if e.Seconds, err = estimate(each(e.Repeats, func(r record.Repeat) float64 { return r.Seconds })); err != nil {
		return err
	}
	if e.Bytes, err = estimate(each(e.Repeats, func(r record.Repeat) float64 { return float64(r.Bytes) / r.Seconds })); err != nil {
		return err
	}
	summarizeCPU(e)
	return nil
}
