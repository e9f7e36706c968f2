package parse

import (
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		args          string
		ok            bool
	}{
		{"proc/stat", "proc/stat", "", true},
		{"proc/stat", "proc/status", "", false},
		{"ethtool -k *", "ethtool -k e0", "e0", true},
		{"ethtool *", "ethtool -k e0", "", false},
		{"ethtool *", "ethtool ", "", false},
		{"ethtool *", "ethtool -m", "", false},
		{"sys/class/net/*/statistics/*", "sys/class/net/e0/statistics/rx_bytes", "e0,rx_bytes", true},
		{"sys/class/net/*/*", "sys/class/net/e0/statistics/rx_bytes", "", false},
		{"sys/class/net/*/*", "sys/class/net/e0/", "", false},
	} {
		args, ok := Match(c.pattern, c.name)
		joined := ""
		for i, a := range args {
			if i > 0 {
				joined += ","
			}
			joined += a
		}
		if ok != c.ok || ok && joined != c.args {
			t.Errorf("%q against %q: %q, %v", c.name, c.pattern, args, ok)
		}
	}
}
