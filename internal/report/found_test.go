package report

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// What was found beforehand stands in the report once: what a verdict names is not told again, what is only worth knowing is on the page alone.
func TestFound(t *testing.T) {
	f := func(id string, s record.Severity, subject string) record.Finding {
		return record.Finding{ID: id, Severity: s, Subject: subject, Have: "have-" + id, Want: "w", Consequence: "costs-" + id, Fix: "fix-" + id, Evidence: []record.EvidenceLine{{Host: "nas", Source: "ip link", Line: "line-" + id}}}
	}
	r := &record.Run{Fabric: "home", FabricPath: "my home.yaml", Experiments: []*record.Experiment{{Verdict: &record.Verdict{Limiter: "local-shaper"}}},
		Findings:  []record.Finding{f("mtu", record.Error, "nas: eth2"), f("local-shaper", record.Error, "nas: eth3"), f("pcie-errors", record.Info, "nas: eth4"), f("a", record.Warning, "x"), f("b", record.Warning, "x"), f("c", record.Warning, "x"), f("d", record.Warning, "x")},
		Unchecked: []record.Unknown{{Subject: "lab", Reason: "its facts were not kept"}}}
	var b strings.Builder
	l := Terminal{Out: &b, Width: 80}.lines()
	l.found(r)
	if err := l.flush(); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"error    nas: eth2: have-mtu; wanted: w (mtu)", "costs-mtu", "fix-mtu", "and 1 more: linerate check 'my home.yaml'"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks in\n%s", want, text)
		}
	}
	for _, not := range []string{"have-local-shaper", "have-pcie-errors", "have-d"} {
		if strings.Contains(text, not) {
			t.Errorf("%q stands in\n%s", not, text)
		}
	}
	var page strings.Builder
	if err := HTML(&page, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Found on the hosts before measuring", "have-local-shaper", "have-pcie-errors", "nas, ip link: line-mtu", "1 could not be looked at", "its facts were not kept"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
