package report

import "testing"

// What stands below a repeat has room, also where there are many.
func TestRepeatName(t *testing.T) {
	for _, c := range []struct {
		wide float64
		want string
	}{{170, "repeat 2, 0.800 s"}, {130, "repeat 2"}, {50, "2"}} {
		if have := repeatName(2, 0.8, c.wide); have != c.want {
			t.Errorf("%v wide: %q, want %q", c.wide, have, c.want)
		}
	}
}
