package measure

import (
	"context"
	"errors"
	"testing"
)

func TestSelftest(t *testing.T) {
	i, err := Selftest(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if i.ClockResolution <= 0 || i.ClockCost <= 0 || i.Overshoot.Max < i.Overshoot.P99 || i.Overshoot.P99 < i.Overshoot.P50 || i.CopyCached <= 0 || i.CopyMemory <= 0 ||
		i.JitterShare < 0 || i.JitterShare > 1 || i.JitterLongest < 0 || i.Loopback == nil || *i.Loopback <= 0 || len(i.Unknown) > 0 {
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
