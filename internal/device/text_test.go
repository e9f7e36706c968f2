package device

import "testing"

func TestBareWord(t *testing.T) {
	for s, want := range map[string]bool{"eth0": true, "swp1": true, "1/1": true, "-x": false, "": false, "a b": false,
		"a;b": false, "ä": false} {
		if BareWord(s) != want {
			t.Errorf("BareWord(%q) is %v", s, !want)
		}
	}
}
