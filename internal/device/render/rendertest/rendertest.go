// Package rendertest renders devices of whole fabrics for the tests of one family.
package rendertest

import (
	"strings"
	"testing"

	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
	"linerate/internal/device/render"
)

// Golden compares devices with golden folders. Each entry is a fabric file below examples, a device and a folder.
func Golden(t *testing.T, all [][3]string) {
	t.Helper()
	for _, x := range all {
		d := render.Render(configtest.Plan(t, "examples/"+x[0]+".yaml")).Device(x[1])
		if d == nil {
			t.Fatalf("%s: %s is not there", x[0], x[1])
		}
		configtest.Compare(t, configtest.Golden{Folder: x[2], Device: d})
	}
}

// Device renders a device of a fabric's text: "host a", "switch sw".
func Device(t *testing.T, device, text string) *config.Device {
	t.Helper()
	d, refused := rendered(t, device, text)
	if d == nil || refused != "" {
		t.Fatalf("%s is not rendered: %s", device, refused)
	}
	return d
}

// Refused returns the reason why a device of a fabric's text is refused; empty: it is rendered.
func Refused(t *testing.T, device, text string) string {
	t.Helper()
	_, refused := rendered(t, device, text)
	return refused
}

func rendered(t *testing.T, device, text string) (d *config.Device, refused string) {
	s := render.Render(configtest.Text(t, text))
	for _, r := range s.Refused {
		if strings.HasPrefix(r, device+":") {
			return nil, r
		}
	}
	_, name, _ := strings.Cut(device, " ")
	return s.Device(name), ""
}
