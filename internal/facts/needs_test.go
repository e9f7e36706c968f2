package facts

import (
	"testing"
)

// TestRelease reads the texts of the systems' packages, reduced to the relevant lines.
func TestRelease(t *testing.T) {
	for _, c := range []struct{ text, system, family string }{
		{"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nID=debian\n",
			"Debian GNU/Linux 12 (bookworm)", "debian"},
		{"PRETTY_NAME=\"Linux Mint 21.3\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "Linux Mint 21.3", "debian"},
		{"NAME=\"Rocky Linux\"\nVERSION_ID=\"9.3\"\nID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "Rocky Linux 9.3",
			"fedora"},
		{"NAME='openSUSE Tumbleweed'\nID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", "openSUSE Tumbleweed",
			"suse"},
		{"NAME=Alpine\nID=alpine\n# ID=debian\n", "Alpine", "alpine"},
		{"NAME=NixOS\nID=nixos\n", "NixOS", "nixos"},
		{"", "", ""},
	} {
		if system, family := ParseRelease([]byte(c.text)); system != c.system || family != c.family {
			t.Errorf("%q: got %q, %q, want %q, %q", c.text, system, family, c.system, c.family)
		}
	}
}
