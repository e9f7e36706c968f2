package selftest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/stat"
	"linerate/internal/record"
	"linerate/internal/traffic/placement"
	"linerate/internal/traffic/rdma"
)

const (
	releaseRounds = 20
	// releaseWait is the limit of a measurement: threads that share cores with others wait for them.
	releaseWait = 20 * time.Second
)

// releaseThreads are the numbers of threads that a selftest releases.
var releaseThreads = []int{2, 8}

// Release measures how far apart pinned threads leave the barrier of the pairs of verbs, without an RDMA device.
// program is linerate-verbs; nil: this host's own is used. The error is ctx's; what could not be measured is listed as
// unknown.
func Release(ctx context.Context, i *record.Instrument, program []byte) error {
	allowed := placement.AllowedCores()
	for _, n := range releaseThreads {
		r, err := releaseSkew(ctx, program, n, allowed)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			i.Unknown = append(i.Unknown, record.Unknown{Subject: record.UnknownRelease, Reason: err.Error()})
			return nil
		}
		i.Releases = append(i.Releases, r)
	}
	return nil
}

// releaseSkew makes linerate-verbs release threads, one round after the other.
func releaseSkew(ctx context.Context, program []byte, threads int, cores []int) (r record.Release, err error) {
	p, err := rdma.StartProgram(program)
	if err != nil {
		return r, err
	}
	defer p.End()
	r = record.Release{Threads: threads, Cores: min(threads, len(cores)), Rounds: releaseRounds}
	if threads > len(cores) {
		r.Yield = rdma.Yield
	}
	var list []string
	for k := range min(threads, len(cores)) {
		list = append(list, fmt.Sprint(cores[k]))
	}
	if err := p.Send("release threads=%d rounds=%d yield=%d cores=%s", threads, releaseRounds, r.Yield,
		strings.Join(list, ",")); err != nil {
		return r, err
	}
	l, err := p.Next(ctx, releaseWait)
	if err != nil {
		return r, err
	}
	var all []float64
	for text := range strings.SplitSeq(l.Values["skew_ns"], ",") {
		ns, err := strconv.ParseUint(text, 10, 62)
		if err != nil {
			return r, fmt.Errorf("%s: %.40q is not a time", rdma.Program, text)
		}
		all = append(all, float64(ns)/1e9)
	}
	if l.Word != "release" || len(all) != releaseRounds {
		return r, fmt.Errorf("%s: it says %.40q with %d rounds in place of %d; build it again: make verbs", rdma.Program,
			l.Word, len(all), releaseRounds)
	}
	r.Max = slices.Max(all)
	r.Median, err = stat.Median(all)
	return r, err
}
