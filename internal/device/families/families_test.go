package families

import "testing"

func TestDrivers(t *testing.T) {
	for _, x := range []struct{ os, version, want string }{
		{"proxmox", "8", "linux"},
		{"freebsd", "14.1", "freebsd"},
		{"truenas", "FreeNAS 11.3", "freebsd"},
		{"truenas", "CORE 13", "freebsd"},
		{"truenas", "13.0-U6", "freebsd"},
		{"truenas", "9", "freebsd"},
		{"truenas", "SCALE 24.10", "linux"},
		{"truenas", "25.04", "linux"},
		{"truenas", "Community Edition 25.10", "linux"},
		{"truenas", "", ""},
		{"truenas", "14", ""},
		{"truenas", "x.1", ""},
	} {
		if got := Drivers(x.os, x.version); got != x.want {
			t.Errorf("%s %s: %q, want %q", x.os, x.version, got, x.want)
		}
	}
}
