package explain

import (
	"strings"
	"testing"
)

// Runs that look like a fault of a guest's kernel but are not, or where half of the evidence is missing, get no such
// verdict.
func TestNearGuests(t *testing.T) {
	for _, c := range cases(t, "near-guests.txt") {
		if v := load(t, c.run).verdict(t); v.Component == "" || v.Fix == "" || v.Undo == "" {
			t.Errorf("%s: %+v", c.run, v)
		} else if near := c.load(t).verdict(t); near.Component == v.Component && near.Limiter == v.Limiter {
			t.Errorf("%s, %s: %s", c.run, c.name, says(near))
		}
	}
}

// A bond that hashes ports and yet uses one member: this is chance, not a wrong setting.
func TestPolarisedByChance(t *testing.T) {
	v := from(t, "exam/bond-hash", "edit /host Transmit Hash Policy: .* => Transmit Hash Policy: layer3+4 (1)").verdict(t)
	if v.Limiter != "hash-polarisation" || !strings.Contains(v.Sentence, "happen") ||
		!strings.Contains(v.Fix, "streams") || strings.Contains(v.Fix, "ip link") || v.Undo == "" {
		t.Error(says(v))
	}
}

// The sender spreads its flows, and the receiver gets all of them through one member: the switch chose it.
func TestPolarisedBySwitch(t *testing.T) {
	v := from(t, "exam/bond-hash",
		`edit /host1.after ("ifname":"(?:fast|second)".*?"tx":\{[^}]*?"bytes":)\d+ => ${1}9000000`).verdict(t)
	if v.Limiter != "hash-polarisation" || !strings.HasPrefix(v.Component, "host2") || !strings.Contains(v.Fix, "switch") {
		t.Error(says(v))
	}
}
