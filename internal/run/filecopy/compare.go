package filecopy

import (
	"context"
	"fmt"
	"time"

	"linerate/internal/agent/copies"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// brokenError adds what had arrived to the error of a copy that failed in the middle.
func (r *repeat) brokenError(ctx context.Context, i int, begin int64, err error) error {
	s, b, out, failed := r.s, r.copying, r.outs[i], traffic.Now()
	if ctx.Err() != nil {
		return err
	}
	e := remote.AsError(err)
	code := failure.CodeInternal
	if e != nil {
		code = e.Code
	}
	if code == failure.CodeUnsupported || code == failure.CodeInput ||
		(code == failure.CodeRefused || code == failure.CodeUnreachable) && out == nil {
		return err // nothing was copied yet
	}
	asking, cancel := context.WithTimeout(ctx, queryDeadline)
	defer cancel()
	to := b.ends[b.legs[i][1]]
	have, sizeErr := s.Client(to.host).CopyEnd(asking, copies.EndRequest{Op: copies.Sizes, End: b.made[i].target.End})
	lost := fmt.Sprintf("how much of the %v had arrived is not known, because %s does not answer",
		b.made[i].source.Bytes, s.Name(to.host))
	if sizeErr == nil {
		lost = fmt.Sprintf("%v of %v had arrived, which is not a copy", have.Bytes, b.made[i].source.Bytes)
	}
	for _, h := range b.hosts() {
		if gone := s.Client(h).Err(); gone != nil {
			lost += fmt.Sprintf("; %s is gone: %v", s.Name(h), gone)
		}
	}
	if out == nil { // the agent of the tool's end is gone
		lost = "after " + unit.Seconds(float64(max(0, failed-begin))/1e9) + "; " + lost
	}
	return &failure.Error{Code: code, Text: err.Error() + "; " + lost}
}

// queryDeadline limits a query after a failure.
const queryDeadline = 3 * time.Second

// compare compares what arrived with the source, and frees the space for the next copy.
func (r *repeat) compare(ctx context.Context, i int) error {
	s, b := r.s, r.copying
	m, to := b.made[i], b.ends[b.legs[i][1]]
	have, err := s.Client(to.host).CopyEnd(ctx, copies.EndRequest{Op: copies.Sums, End: m.target.End})
	if err != nil {
		return err
	}
	if have.Sum != m.source.Sum {
		return &failure.Error{Code: failure.CodeInternal, Subject: "what arrived on " + s.Name(to.host),
			Text: "it differs from what was copied: " + differs(m.source, have) + "; such a copy has no figure"}
	}
	_, err = s.Client(to.host).CopyEnd(ctx, copies.EndRequest{Op: copies.Clear, End: m.target.End})
	return err
}

// differs names the first file that differs.
func differs(want, have copies.Placed) string {
	if want.Files != have.Files || want.Bytes != have.Bytes {
		return fmt.Sprintf("%d files with %v arrived of %d with %v", have.Files, have.Bytes, want.Files, want.Bytes)
	}
	there := xslices.By(have.First, func(f copies.Sum) string { return f.Name })
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
