package network

import (
	"context"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/run/remote"
)

// repeat is Repeat as a session calls it: a start that is late on a busy machine is repeated with more lead.
func repeat(t *testing.T, from, to *agent.Client, s Spec,
	during func()) (r record.Repeat, samples []record.Sample, err error) {
	t.Helper()
	return repeatWith(t, t.Context(), from, to, s, during)
}

// repeatWith is repeat with a context.
func repeatWith(t *testing.T, ctx context.Context, from, to *agent.Client, s Spec,
	during func()) (r record.Repeat, samples []record.Sample, err error) {
	t.Helper()
	err = remote.InTime(ctx, &s.Lead, func(why error) { t.Log(why) }, func(lead time.Duration) (err error) {
		s.Lead = lead
		r, samples, err = Repeat(ctx, from, to, s, during)
		return err
	})
	return r, samples, err
}

// repeatICMP is RepeatICMP in the same way.
func repeatICMP(t *testing.T, from *agent.Client, s Spec) (r record.Repeat, samples []record.Sample, err error) {
	t.Helper()
	err = remote.InTime(t.Context(), &s.Lead, func(why error) { t.Log(why) }, func(lead time.Duration) (err error) {
		s.Lead = lead
		r, samples, err = RepeatICMP(t.Context(), from, s, nil)
		return err
	})
	return r, samples, err
}

// early is the lead in tests of several flows, each of which reports a late start for itself.
const early = 2 * time.Second
