package measure

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// late says whether one of the errors is that a start came after the beginning of its window.
func late(errs ...error) bool {
	return slices.ContainsFunc(errs, func(err error) bool {
		var e *Error
		return errors.As(err, &e) && e.Code == CodeLate
	})
}

// punctual calls f, which prepares ends anew and starts them lead ahead, and again with more time where a start came late: a machine that was
// busy for a moment says nothing of what is tested. f says whether it was late.
func punctual(t *testing.T, f func(lead time.Duration) (late bool)) {
	t.Helper()
	lead := 200 * time.Millisecond
	for range 4 {
		if !f(lead) {
			return
		}
		t.Logf("a start that was %v ahead came late", lead)
		lead = longer(lead)
	}
	t.Fatal("every start came late")
}

// longer is the lead after one that was too short.
func longer(lead time.Duration) time.Duration { return max(time.Second, 2*lead) }

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
