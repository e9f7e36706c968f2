package run

import (
	"errors"
	"testing"
	"time"

	"linerate/agent"
	"linerate/result"
)

// repeat is Repeat as a session calls it: a start that comes late, because the machine is busy, is sent again, earlier.
func repeat(t *testing.T, from, to *agent.Client, s Spec, during func()) (r result.Repeat, samples []result.Sample, err error) {
	t.Helper()
	err = inTime(t.Context(), &s.Lead, func(why error) { t.Log(why) }, func(lead time.Duration) (err error) {
		s.Lead = lead
		r, samples, err = Repeat(t.Context(), from, to, s, during)
		return err
	})
	return r, samples, err
}

// repeatICMP is RepeatICMP in the same way.
func repeatICMP(t *testing.T, from *agent.Client, s Spec) (r result.Repeat, samples []result.Sample, err error) {
	t.Helper()
	err = inTime(t.Context(), &s.Lead, func(why error) { t.Log(why) }, func(lead time.Duration) (err error) {
		s.Lead = lead
		r, samples, err = RepeatICMP(t.Context(), from, s, nil)
		return err
	})
	return r, samples, err
}

// undisturbed tries up to five times an assertion that other work on the machine may disturb, because it speaks of the order of moments or of
// how long something took: what is wrong with the program is wrong each time.
func undisturbed(t *testing.T, f func() error) {
	t.Helper()
	var all []error
	for range 5 {
		err := f()
		if err == nil {
			return
		}
		all = append(all, err)
	}
	t.Error(errors.Join(all...))
}
