package filecopy

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"linerate/internal/agent/copies"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// leg copies one direction and syncs it to the medium.
func (r *repeat) leg(ctx context.Context, i int, begin int64, l *record.CopyLeg) (*copies.Outcome, error) {
	m := r.made[i]
	out, err := r.s.Client(r.client).Copy(ctx, r.request(i, begin))
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
			if r.streams > 1 {
				which = fmt.Sprintf("stream %d: ", n)
			}
			return out, &failure.Error{Code: cmp.Or(e.Code, failure.CodeInternal),
				Subject: out.Via + " on " + r.s.Name(r.client),
				Text:    fmt.Sprintf("%safter %s: %s", which, unit.Seconds(e.Seconds), e.Wrong)}
		}
	}
	synced, err := r.s.Client(r.ends[r.legs[i][1]].host).
		CopyEnd(ctx, copies.EndRequest{Op: copies.Sync, End: m.target.End})
	if err != nil {
		return out, err
	}
	l.Sync = &synced.Seconds
	l.Seconds += synced.Seconds
	if fs := m.target.FileSystem; r.over == overPath && copies.Networked(fs) {
		l.SyncWhy = "over " + fs + ": the server was asked to sync, and whether it waits for its medium is not known"
	}
	return out, nil
}

// request is the request to the host that copies.
func (r *repeat) request(i int, begin int64) copies.Copy {
	b, m := r.copying, r.made[i]
	q := copies.Copy{Via: b.tool, Share: m.share, Threads: b.threads,
		AtNS: begin + r.s.Client(b.client).Clock().Nanoseconds, Limit: r.limit}
	pull := false // the tool's own end is the target
	if b.over != overPath {
		pull = b.legs[i][0] == b.served
	}
	if b.over == overSSH {
		q.SSH = sshName(r.s, b)
	}
	here, there := m.source, m.target
	if pull {
		here, there = there, here
	}
	for n := range b.streams {
		x := copies.Stream{Pull: pull, Here: filepath.Join(here.Folder, copies.StreamFolder(n)),
			There: path.Join(filepath.ToSlash(there.Folder), copies.StreamFolder(n)), First: n, Step: b.streams,
			Files: (m.source.Files + b.streams - 1 - n) / b.streams}
		if b.over == overPath {
			x.There = filepath.Join(there.Folder, copies.StreamFolder(n))
		}
		if m.share != nil {
			x.There = copies.StreamFolder(n)
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
	return q
}

// sshName is the other end's name for ssh of the host that copies: from its connection if this machine copies, else its
// planned address.
func sshName(s experiment.Session, b *copying) string {
	spec, err := s.Connection(b.ends[b.served].host)
	own, ownErr := s.Connection(b.client)
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
