package render_test

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
	"linerate/internal/device/render"
)

// TestChanges: a README begins with the commands that change settings, and none that only checks or keeps a value.
func TestChanges(t *testing.T) {
	s := render.Render(configtest.Plan(t, "examples/designs/all-families.yaml"))
	for name, want := range map[string]string{
		"lin": "ip link set dev", "pve": "ip link set dev", "bsd": "ifconfig mce0 mtu 9000",
		"win": "Set-NetIPInterface", "mikrotik": "/interface ethernet set", "onyx": "mtu 9216", "cumulus": "nv set",
		"sonic": "sudo config interface mtu", "arista": "qos map",
	} {
		file, list := s.Device(name).Changes()
		if !strings.HasPrefix(file, "apply.") || len(list) < 4 ||
			!slices.ContainsFunc(list, func(c config.Changed) bool { return strings.Contains(c.Command, want) }) {
			t.Errorf("%s: %d commands of %s: %q", name, len(list), file, list)
		}
		for _, c := range list {
			if c.Why == "" || strings.HasPrefix(c.Command, "try ") || strings.Contains(c.Command, "nothing was changed") {
				t.Errorf("%s: %q because of %q", name, c.Command, c.Why)
			}
		}
		if text := s.Device(name).File("README.md").Text(); !strings.Contains(text, "## What "+file+" changes\n") {
			t.Errorf("%s: its README does not have them:\n%s", name, text)
		}
	}
	if _, list := s.Device("nas").Changes(); list != nil {
		t.Errorf("nas is set up in menus: %q", list)
	}
}
