package render_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/device/config"
	"linerate/internal/device/render/rendertest"
	"linerate/internal/testenv"
)

func rendered(t *testing.T, text string) *config.Device {
	t.Helper()
	return rendertest.Device(t, "switch sw", text)
}

func refusal(t *testing.T, text string) string {
	t.Helper()
	return rendertest.Refused(t, "switch sw", text)
}

func TestGolden(t *testing.T) {
	rendertest.Golden(t, [][3]string{{"roce-100g", "crs504", "crs504"},
		{"designs/all-families", "mikrotik", "mikrotik"}})
}

// fabricWith returns two hosts at a switch.
func fabricWith(sw, more string) string {
	return fmt.Sprintf(`
fabric: two
mtu: 9000
hosts:
  a: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, cage: sfp+}}}}
  b: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, cage: sfp+}}}}
switches:
  sw: %s
links:
  - {ends: [a.n, sw.1]}
  - {ends: [b.n, sw.2]}
%s`, sw, more)
}

const roce = `
classes: {roce: {priority: 3, dscp: 26, lossless: true, ecn: true, share: 60%, match: smb-direct}}
`

// TestModels: every switch with RouterOS in the catalogue accepts a lossless class, or is refused with its chip.
func TestModels(t *testing.T) {
	catalog := testenv.Must(catalog.Load())(t)
	with, without := 0, 0
	for _, p := range catalog.Parts {
		if p.Switch == nil || !strings.HasPrefix(p.Switch.OS, "RouterOS") {
			continue
		}
		text := fabricWith(fmt.Sprintf(`{part: %s, os: routeros, version: "7.19"}`, p.ID), roce)
		if len(p.Ports) > 0 && strings.HasPrefix(string(p.Ports[0].Cage), "qsfp") {
			text = strings.ReplaceAll(text, "speed: 10G, cage: sfp+", fmt.Sprintf("speed: 100G, cage: %s", p.Ports[0].Cage))
		}
		if strings.Contains(text, "sfp+") && len(p.Ports) > 0 && p.Ports[0].Cage == "rj45" {
			text = strings.ReplaceAll(text, "cage: sfp+", "cage: rj45")
		}
		if len(p.Ports) > 0 && p.Ports[0].Cage == "sfp28" {
			text = strings.ReplaceAll(text, "speed: 10G, cage: sfp+", "speed: 25G, cage: sfp28")
		}
		if has, known := p.Switch.PFC.Get(); known && !has {
			without++
			if refused := refusal(t, text); !strings.Contains(refused, p.Switch.Chip) ||
				!strings.Contains(refused, "asks for PFC") || !strings.Contains(refused, "lossless: false") {
				t.Errorf("%s: refused with %q", p.ID, refused)
			}
			if refused := refusal(t, strings.NewReplacer("lossless: true", "lossless: false", "ecn: true",
				"ecn: false").Replace(text)); refused != "" {
				t.Errorf("%s without a lossless class: %s", p.ID, refused)
			}
			continue
		}
		with++
		apply := rendered(t, text).File("apply.rsc").Text()
		rates := map[string]string{"sfp+": "10.0Gbps", "rj45": "10.0Gbps", "sfp28": "25.0Gbps"}
		rate := cmp.Or(rates[string(p.Ports[0].Cage)], "100.0Gbps")
		if !strings.Contains(apply, "egress-rate-queue3="+rate) || !strings.Contains(apply, "l2mtu=9500") ||
			!strings.Contains(apply, `pfc="pfc-tc3"`) {
			t.Errorf("%s:\n%s", p.ID, apply)
		}
		if first := p.Ports[0]; first.Name != "" && !strings.Contains(apply, "port set "+first.Name+" ") {
			t.Errorf("%s: port %s is not set", p.ID, first.Name)
		}
		lanes := strings.Count(apply, "qos port set ")
		if want := map[bool]int{true: 8, false: 2}[strings.HasPrefix(string(p.Ports[0].Cage), "qsfp")]; lanes != want &&
			p.ID != "crs804-4ddq" {
			t.Errorf("%s: %d interfaces for two ports, want %d", p.ID, lanes, want)
		}
	}
	if with < 8 || without < 2 {
		t.Errorf("%d models with PFC, %d without", with, without)
	}
}

func TestVersions(t *testing.T) {
	for _, x := range []struct {
		version     string
		new, update bool // text from 7.23 on; has to be updated or checked before
		manual      string

		reason string
	}{
		{version: "", update: true, manual: "/system resource print", reason: "does not say the switch's version"},
		{version: "stable", update: true, manual: "/system resource print", reason: "none that linerate knows"},
		{version: "6.49.10", update: true, manual: "Update RouterOS to 7.17", reason: "no QoS menu"},
		{version: "7.14.3", update: true, manual: "Update RouterOS to 7.17", reason: "no QoS menu"},
		{version: "7.15", update: true, manual: "Update RouterOS to 7.17", reason: "before 7.17"},
		{version: "7.16.2", update: true, manual: "Update RouterOS to 7.17", reason: "before 7.17"},
		{version: "7.17beta4", update: true, manual: "Update RouterOS to 7.17", reason: "tx-manager"},
		{version: "7.17rc1", update: true, manual: "Update RouterOS to 7.17", reason: "before 7.17"},
		{version: "7.17"},
		{version: "7.22.1 (stable)"},
		{version: "7.23beta2"},
		{version: "7.23", new: true},
		{version: "v7.24.4", new: true},
		{version: "8.0", new: true},
	} {
		d := rendered(t, fabricWith(fmt.Sprintf(`{part: CRS309, os: routeros, version: "%s"}`, x.version), roce))
		apply := d.File("apply.rsc").Text()
		if got := !strings.Contains(apply, "map ip add dscp=26"); got != x.new {
			t.Errorf("%q: maps left to RouterOS: %v, want %v", x.version, got, x.new)
		}
		if got := strings.Contains(apply, "lossless-traffic-class=3"); got != x.new {
			t.Errorf("%q: lossless-traffic-class: %v, want %v", x.version, got, x.new)
		}
		if got := strings.Contains(apply, "shared-pool-index=1"); got == x.new {
			t.Errorf("%q: shared-pool-index: %v, want %v", x.version, got, !x.new)
		}
		if got := strings.HasPrefix(d.Manual[0].Text, "Update") ||
			strings.HasPrefix(d.Manual[0].Text, "Look"); got != x.update {
			t.Errorf("%q: first by hand: %s", x.version, d.Manual[0].Text)
		}
		if x.update && (!strings.Contains(d.Manual[0].Text, x.manual) || !strings.Contains(d.Manual[0].Why, x.reason)) {
			t.Errorf("%q: %s (%s)", x.version, d.Manual[0].Text, d.Manual[0].Why)
		}
	}
}

func TestClasses(t *testing.T) {
	d := rendered(t, fabricWith(`{part: CRS309, os: routeros, version: "7.19"}`, `
subnets: {s: {vlan: 711}}
trust: pcp
classes:
  bulk: {priority: 1, share: 20%}
  roce: {priority: 3, lossless: true, ecn: true, share: 50%}
  iscsi: {priority: 4, lossless: true, share: 20%}
`))
	apply, undo := d.File("apply.rsc").Text(), d.File("undo.rsc").Text()
	for _, want := range []string{
		`map vlan add pcp=3 profile="roce"`, "trust-l2=keep trust-l3=ignore", `name="pfc-tc3-4" traffic-class=3,4`,
		"egress-rate-queue3=10.0Gbps egress-rate-queue4=10.0Gbps",
		`profile set [find where name="default"] traffic-class=0`, // priority 1 is a class of the file
		"[find where traffic-class=1] schedule=high-priority-group weight=2",
		"[find where traffic-class=3] schedule=high-priority-group weight=5",
		"[find where traffic-class=0] schedule=high-priority-group weight=1",
		"[find where traffic-class=4] use-shared-buffers=yes wred=no ecn=no shared-pool-index=1",
	} {
		if !strings.Contains(apply, want) {
			t.Errorf("apply has no %s\n%s", want, apply)
		}
	}
	for _, want := range []string{"!egress-rate-queue3 !egress-rate-queue4",
		`profile set [find where name="default"] traffic-class=1`,
		"[find where traffic-class=0] schedule=low-priority-group weight=1 wred=no ecn=no use-shared-buffers=no",
		"qos-hw-offloading=no"} {
		if !strings.Contains(undo, want) {
			t.Errorf("undo has no %s\n%s", want, undo)
		}
	}
	if strings.Index(undo, "pfc=disabled") > strings.Index(undo, "priority-flow-control remove") ||
		strings.Index(undo, "map vlan remove") > strings.Index(undo, "profile remove") {
		t.Errorf("undo removes what something still refers to:\n%s", undo)
	}
}

func TestWithoutClasses(t *testing.T) {
	text := fabricWith(`{part: CRS305, os: routeros}`, "")
	d := rendered(t, text)
	if apply := d.File("apply.rsc").Text(); strings.Contains(apply, "qos") || !strings.Contains(apply, "l2mtu=9500") {
		t.Errorf("apply:\n%s", apply)
	}
	d = rendered(t, strings.Replace(text, "mtu: 9000", "mtu: 1500", 1))
	if apply := d.File("apply.rsc").Text(); strings.Contains(apply, "l2mtu") {
		t.Errorf("apply at MTU 1500:\n%s", apply)
	}
}

func TestRefused(t *testing.T) {
	for _, x := range []struct{ sw, more, want string }{
		{`{part: CRS309, os: routeros}`, roce + "trust: port", "trust: port"},
		{`{part: {kind: switch, ports: 8, cage: sfp+}, os: routeros}`, roce, ""},
	} {
		refused := refusal(t, fabricWith(x.sw, x.more))
		if (refused == "") != (x.want == "") || !strings.Contains(refused, x.want) {
			t.Errorf("%s: refused with %q, want %q", x.sw, refused, x.want)
		}
	}
}
