package measure

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// late says whether one of the errors is that a start came after the beginning of its window.
func late(errs ...error) bool {
	return slices.ContainsFunc(errs, func(err error) bool {
		var e *Error
		return errors.As(err, &e) && e.Code == CodeLate
	})
}

func TestSelftest(t *testing.T) {
	testenv.Need(t, testenv.Live)
	i, err := Selftest(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if i.ClockResolution <= 0 || i.ClockCost <= 0 || i.Overshoot.Max < i.Overshoot.P99 || i.Overshoot.P99 < i.Overshoot.P50 || i.CopyCached <= 0 || i.CopyMemory <= 0 ||
		i.JitterShare < 0 || i.JitterShare > 1 || i.JitterLongest < 0 || i.Loopback == nil || len(i.Unknown) > 0 {
		t.Errorf("%+v", i)
	}
	t.Logf("%+v, loopback %v", i, i.Loopback)
	if i, err = Selftest(t.Context(), false); err != nil || i.Loopback != nil || len(i.Unknown) != 1 {
		t.Errorf("what was not measured is unknown, with the reason: %+v %v", i, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Selftest(ctx, true); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A start that comes late says that the host was busy for a moment, and nothing of what it carries.
func TestSelftestLateStart(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if _, err := testLoopback(t.Context(), -time.Second); err != nil {
		t.Error(err)
	}
	if _, err := loopback(t.Context(), -time.Second); !late(err) {
		t.Errorf("%v", err)
	}
}
