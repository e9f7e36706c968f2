package render_test

import (
	"strings"
	"testing"
)

func TestTrueNAS(t *testing.T) {
	nas := func(version, more string) string {
		return strings.Replace(with("PORTS", ""), "os: freebsd,", "os: truenas, "+version, 1) + more
	}
	d := rendered(t, nas("version: SCALE 24.10,", ""))
	if md := d.File("apply.md").Text(); strings.Contains(md, "mce") || !strings.Contains(md, "MTU          9000") ||
		!strings.Contains(md, "(the interface of port a.n.1") {
		t.Errorf("SCALE:\n%s", md)
	}
	if v := d.File("verify.sh").Text(); strings.Contains(v, "ifconfig") || !strings.Contains(v, "ip -o address") {
		t.Errorf("SCALE verifies with:\n%s", v)
	}
	d = rendered(t, nas("version: CORE 13,", ""))
	if v := d.File("verify.sh").Text(); !strings.Contains(v, "ifconfig mce0") {
		t.Errorf("CORE verifies with:\n%s", v)
	}
	d = rendered(t, nas("", ""))
	if !strings.Contains(strings.Join(d.Unverified, "\n"), "CORE (FreeBSD) or SCALE (Linux)") {
		t.Errorf("an unknown TrueNAS: %v", d.Unverified)
	}
	two := strings.Replace(nas("version: CORE 13,", "subnets: {s: {range: 10.9.0.0/24}}\n"),
		"links: [{ends: [a.n.1, b.n.1]}]", "links:\n  - {ends: [a.n.1, b.n.1], subnet: s}\n  - {ends: [a.n.2, b.n.2], "+
			"subnet: s}", 1)
	if refused := refusal(t, two); !strings.Contains(refused, "one interface a subnet") ||
		!strings.Contains(refused, "10.9.0.0/24") {
		t.Errorf("two interfaces in one subnet: %q", refused)
	}
}

// TestTrueNASName: FreeNAS is CORE; the number of a release is enough.
func TestTrueNASName(t *testing.T) {
	for version, want := range map[string]string{"FreeNAS": "host, FreeNAS (FreeBSD; TrueNAS CORE by its later name)",
		"FreeNAS 11.3": "host, FreeNAS 11.3 (FreeBSD; TrueNAS CORE by its later name)",
		"CORE 13":      "host, TrueNAS CORE 13 (FreeBSD)", `"13.0-U6"`: "host, TrueNAS CORE 13.0-U6 (FreeBSD)",
		"SCALE 24.10": "host, TrueNAS SCALE 24.10 (Linux)", `"24.10"`: "host, TrueNAS 24.10 (Linux)",
		"mine": "host, TrueNAS mine"} {
		d := rendered(t, strings.Replace(with("PORTS", ""), "os: freebsd,", "os: truenas, version: "+version+",", 1))
		if d.What != want {
			t.Errorf("%s: %q, want %q", version, d.What, want)
		}
		core := strings.Contains(want, "FreeBSD")
		apply := d.File("apply.md").Text()
		if strings.Contains(apply, "For TrueNAS CORE and FreeNAS") != core ||
			strings.Contains(apply, "1. System > General > Save Config") != core ||
			strings.Contains(apply, "asks for a default gateway") == core {
			t.Errorf("%s:\n%s", version, apply)
		}
	}
}

// TestTrueNASOrder: the command that keeps the change is not pasted with those that make it; the port of the management
// network comes before the others; the whole configuration comes last.
func TestTrueNASOrder(t *testing.T) {
	d := rendered(t, strings.Replace(with("PORTS", "ports: [mce0, mce1]"), "os: freebsd,",
		"os: truenas, version: CORE 13,", 1))
	apply := d.File("apply.md").Text()
	at := -1
	for _, want := range []string{"1. System > General > Save Config: keep the file. Then note",
		"2. Network > Interfaces, the house's port", "3. Network > Interfaces > mce0 > Edit", "Test Changes, 60 seconds",
		"Or, in place of steps 3 to 4,", "interface.update mce0",
		"interface.commit", "\n\nNow open TrueNAS' page again, by its address in the LAN. Only if it answers",
		"\n\n    midclt call interface.checkin"} {
		next := strings.Index(apply, want)
		if next <= at {
			t.Errorf("%q is not there or too early:\n%s", want, apply)
		}
		at = next
	}
	undo := strings.TrimSpace(d.File("undo.md").Text())
	if last := undo[strings.LastIndex(undo, "\n"):]; !strings.Contains(last, "Upload Config") ||
		!strings.Contains(last, "all other settings that were made since are gone") {
		t.Errorf("undo ends with %s", last)
	}
	if strings.Contains(d.File("README.md").Text(), "Which interface is which port") {
		t.Error("the file names its interfaces, and the README asks which they are")
	}
}
