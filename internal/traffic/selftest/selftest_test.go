package selftest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/testenv"
)

// late reports whether one of the errors is that a start came after the beginning of its interval.
func late(errs ...error) bool {
	return slices.ContainsFunc(errs, func(err error) bool {
		var e *failure.Error
		return errors.As(err, &e) && e.Code == failure.CodeLate
	})
}

func TestSelftest(t *testing.T) {
	testenv.Need(t, testenv.Live)
	i, err := Run(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if i.ClockResolution <= 0 || i.ClockCost <= 0 || i.Overshoot.Max < i.Overshoot.P99 ||
		i.Overshoot.P99 < i.Overshoot.P50 || i.CopyCached <= 0 || i.CopyMemory <= 0 ||
		i.JitterShare < 0 || i.JitterShare > 1 || i.JitterLongest < 0 || i.Loopback == nil || len(i.Unknown) > 0 {
		t.Errorf("%+v", i)
	}
	t.Logf("%+v, loopback %v", i, i.Loopback)
	if i, err = Run(t.Context(), false); err != nil || i.Loopback != nil || len(i.Unknown) != 1 {
		t.Errorf("what was not measured is unknown, with the reason: %+v %v", i, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, true); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A late start shows that the host was busy for a moment, and nothing of what it carries.
func TestSelftestLateStart(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if _, err := whenFree(t.Context(), -time.Second, overLoopback); err != nil && !errors.Is(err, errStarved) {
		t.Error(err)
	}
	if _, err := overLoopback(t.Context(), -time.Second); !late(err) {
		t.Errorf("%v", err)
	}
}

func TestLoopbackOfABusyHost(t *testing.T) {
	t.Parallel()
	tardy, other := &failure.Error{Code: failure.CodeLate}, errors.New("refused")
	const soon = 50 * time.Millisecond
	further := []time.Duration{soon, time.Second, 2 * time.Second}
	for _, c := range []struct {
		name  string
		said  []error
		leads []time.Duration
		err   error
	}{
		{"free", []error{nil}, []time.Duration{soon}, nil},
		{"busy for a moment", []error{tardy, errStarved, nil}, further, nil},
		{"always busy", []error{errStarved, errStarved, errStarved}, further, errStarved},
		{"another error", []error{other}, []time.Duration{soon}, other},
	} {
		var leads []time.Duration
		rate, err := whenFree(t.Context(), soon, func(_ context.Context, lead time.Duration) (float64, error) {
			leads = append(leads, lead)
			if err := c.said[len(leads)-1]; err != nil {
				return 0, err
			}
			return 1e9, nil
		})
		if !slices.Equal(leads, c.leads) || err != c.err || (err == nil) != (rate == 1e9) {
			t.Errorf("%s: leads %v, rate %v, error %v; want leads %v, error %v", c.name, leads, rate, err, c.leads, c.err)
		}
	}
}
