package inventory

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A host has one limit until it is connected and another until it has answered; work that does not end when cancelled
// is abandoned.
func TestLimited(t *testing.T) {
	waits := func(d time.Duration) func(context.Context) error {
		return func(ctx context.Context) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	hangs := func(ctx context.Context) error { time.Sleep(time.Hour); return ctx.Err() }
	for name, c := range map[string]struct {
		connect, answer func(context.Context) error
		says            string
		after           time.Duration
	}{
		"in time":     {waits(19 * time.Second), waits(6 * time.Second), "", 25 * time.Second},
		"not reached": {waits(time.Minute), nil, "not reached within 20s and was cut off; raise --timeout", 20 * time.Second},
		"no answer": {waits(time.Second), waits(time.Minute), "reached, but did not answer within 7s",
			8 * time.Second},
		"does not end":          {hangs, nil, "not reached within 20s", 22 * time.Second},
		"does not end, reached": {waits(time.Second), hangs, "did not answer within 7s", 10 * time.Second},
		"refused":               {func(context.Context) error { return errors.New("refused") }, nil, "refused", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				text, err := Limited(t.Context(), Options{Connect: ConnectTimeout, Read: ReadLimit(ConnectTimeout, 2)},
					func(ctx context.Context, reached func()) ([]byte, error) {
						if err := c.connect(ctx); err != nil {
							return nil, err
						}
						reached()
						return []byte("text"), c.answer(ctx)
					})
				if took := time.Since(begin); took != c.after {
					t.Errorf("it took %v, want %v", took, c.after)
				}
				if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) ||
					err == nil && string(text) != "text" {
					t.Errorf("%q, %v; want %q", text, err, c.says)
				}
				time.Sleep(2 * time.Hour) // the abandoned work ends
			})
		})
	}
}

// A host with more time to connect also has more time to answer.
func TestReadLimit(t *testing.T) {
	for _, c := range []struct {
		connect time.Duration
		own     int
		want    time.Duration
	}{{ConnectTimeout, 0, 5 * time.Second}, {time.Second, 3, 8 * time.Second}, {2 * time.Minute, 1, 106 * time.Second}} {
		if got := ReadLimit(c.connect, c.own); got != c.want {
			t.Errorf("%v, %d of this machine: %v, want %v", c.connect, c.own, got, c.want)
		}
	}
}
