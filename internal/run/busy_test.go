package run

import (
	"context"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/record"
)

// repeat is Repeat as a session calls it: a start that comes late, because the machine is busy, is sent again, earlier.
func repeat(t *testing.T, from, to *agent.Client, s Spec, during func()) (r record.Repeat, samples []record.Sample, err error) {
	t.Helper()
	return repeatWith(t, t.Context(), from, to, s, during)
}

// repeatWith is repeat with a context.
func repeatWith(t *testing.T, ctx context.Context, from, to *agent.Client, s Spec, during func()) (r record.Repeat, samples []record.Sample, err error) {
	t.Helper()
	err = inTime(ctx, &s.Lead, func(why error) { t.Log(why) }, func(lead time.Duration) (err error) {
		s.Lead = lead
		r, samples, err = Repeat(ctx, from, to, s, during)
		return err
	})
	return r, samples, err
}

// repeatICMP is RepeatICMP in the same way.
func repeatICMP(t *testing.T, from *agent.Client, s Spec) (r record.Repeat, samples []record.Sample, err error) {
	t.Helper()
	err = inTime(t.Context(), &s.Lead, func(why error) { t.Log(why) }, func(lead time.Duration) (err error) {
		s.Lead = lead
		r, samples, err = RepeatICMP(t.Context(), from, s, nil)
		return err
	})
	return r, samples, err
}

// early is how much earlier starts are sent in tests of several flows, each of which says for itself that its start
// came late.
const early = 2 * time.Second
