package freebsd_test

import (
	"strings"
	"testing"
)

func TestTrueNAS(t *testing.T) {
	nas := func(version, more string) string {
		return strings.Replace(with("PORTS", ""), "os: freebsd,", "os: truenas, "+version, 1) + more
	}
	d, refused := rendered(t, nas("version: SCALE 24.10,", ""))
	if refused != "" {
		t.Fatal(refused)
	}
	if md := d.File("apply.md").Text(); strings.Contains(md, "mce") || !strings.Contains(md, "MTU 9000") || !strings.Contains(md, "(the interface of port a.n.1") {
		t.Errorf("SCALE:\n%s", md)
	}
	if v := d.File("verify.sh").Text(); strings.Contains(v, "ifconfig") || !strings.Contains(v, "ip -o address") {
		t.Errorf("SCALE verifies with:\n%s", v)
	}
	d, _ = rendered(t, nas("version: CORE 13,", ""))
	if v := d.File("verify.sh").Text(); !strings.Contains(v, "ifconfig mce0") {
		t.Errorf("CORE verifies with:\n%s", v)
	}
	d, _ = rendered(t, nas("", ""))
	if !strings.Contains(strings.Join(d.Unverified, "\n"), "CORE (FreeBSD) or SCALE (Linux)") {
		t.Errorf("an unknown TrueNAS: %v", d.Unverified)
	}
	two := strings.Replace(nas("version: CORE 13,", "subnets: {s: {range: 10.9.0.0/24}}\n"), "links: [{ends: [a.n.1, b.n.1]}]", "links:\n  - {ends: [a.n.1, b.n.1], subnet: s}\n  - {ends: [a.n.2, b.n.2], subnet: s}", 1)
	if _, refused = rendered(t, two); !strings.Contains(refused, "one interface a subnet") || !strings.Contains(refused, "10.9.0.0/24") {
		t.Errorf("two interfaces in one subnet: %q", refused)
	}
}
