package fabric

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a host is in the lab: a namespace, a machine, or a machine with an operating system.
func TestGuest(t *testing.T) {
	for text, want := range map[string]struct {
		is     bool
		system string
		says   string
	}{
		"true": {is: true}, "on": {is: true}, "false": {}, "no": {}, "systemd": {is: true, system: "systemd"},
		"ubuntu":    {says: "guest is true, false, or the operating system of the guest: systemd"},
		"[systemd]": {says: "guest takes one value"},
	} {
		file := filepath.Join(t.TempDir(), "f.yaml")
		nic := "nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}"
		err := os.WriteFile(file, []byte("fabric: f\nhosts:\n  a: {os: linux, guest: "+text+", "+nic+"}\n  b: {"+nic+
			"}\nlinks: [{ends: [a.c, b.c], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}]\n"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		f, problems := Load(file, Options{Catalog: testCatalog(t)})
		if want.says != "" {
			if problems == nil || !strings.Contains(problems.Error(), want.says) {
				t.Errorf("guest: %s: %v; want %q", text, problems, want.says)
			}
			continue
		}
		if problems != nil {
			t.Errorf("guest: %s: %v", text, problems)
			continue
		}
		if h := f.Hosts[0]; h.Guest != want.is || h.GuestSystem != want.system {
			t.Errorf("guest: %s: %v, %q", text, h.Guest, h.GuestSystem)
		}
	}
}
