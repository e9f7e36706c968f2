package render_test

import (
	"net/netip"
	"slices"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
	"linerate/internal/device/linux/render"
	"linerate/internal/testenv"
)

// designs are all fabrics with hosts of this family.
var designs = []string{"mesh-10g", "pairs-ib", "roce-100g", "eval-25g", "designs/all-families",
	"designs/leaf-spine-16", "designs/mesh-4"}

func load(t testing.TB, name string) *plan.Plan { return configtest.Plan(t, "examples/"+name+".yaml") }

// homelab returns the host of mesh-10g that most tests use.
func homelab(t testing.TB) (*plan.Plan, *plan.Host) {
	p := load(t, "mesh-10g")
	return p, p.Host("homelab")
}

func ours(h *plan.Host) bool { return h.OS == "linux" || h.OS == "proxmox" }

func rendered(t testing.TB, p *plan.Plan, h *plan.Host) config.Device {
	t.Helper()
	d := testenv.Must(render.Host(p, h))(t)
	return d
}

// everyKind is a fabric whose hosts have every kind of setting that the plan knows.
const everyKind = `
fabric: every-kind
mtu: 9000
addressing: {pool: 10.60.0.0/16, prefix: 24, names: hosts-file}
subnets: {fast: {range: 10.60.1.0/24}, six: {range: "fd00:60::/64"}}
hosts:
  a:
    os: linux
    version: Debian 12
    nics:
      cx3: {part: MCX354A-FCCT, mode: eth, settings: {tso: off, gro: off}}
      cx5: {part: MCX516A-CCAT, vfs: 4, ports: [enp1s0f0np0, enp1s0f1np1]}
      cx6: {part: MCX512A-ACAT}
    bonds: {team: {of: [cx5.1, cx5.2], mode: lacp, subnet: fast}}
  b:
    os: proxmox
    nics: {cx3: {part: MCX354A-FCCT, mode: eth}, cx5: {part: MCX516A-CCAT}, cx6: {part: MCX512A-ACAT}}
    bonds: {team: {of: [cx5.1, cx5.2], mode: backup, subnet: fast}}
switches: {sw: {part: SN2100, os: onyx}}
links:
  - {ends: [a.cx3.1, b.cx3.1]}
  - {ends: [a.cx6.1, b.cx6.1], subnet: six}
  - {ends: ["a.cx5.[1-2]", "sw.[1-2]"]}
  - {ends: ["b.cx5.[1-2]", "sw.[3-4]"]}
classes: {roce: {priority: 3, dscp: 26, lossless: true, ecn: true, share: 60%}}
`

// withKinds adds kinds of settings that no fabric file has yet.
func withKinds(t testing.TB) *plan.Plan {
	t.Helper()
	p := configtest.Text(t, everyKind)
	for _, h := range p.Hosts {
		cx3 := h.Ports[0].Interface
		h.Settings = append(h.Settings,
			plan.Setting{Kind: plan.SetRoute, Interface: cx3, Prefix: netip.MustParsePrefix("10.77.0.0/16"),
				Address: netip.MustParsePrefix("10.60.2.77/32").Addr(), Why: "a route"},
			plan.Setting{Kind: plan.SetRoute, Interface: cx3, Prefix: netip.MustParsePrefix("10.78.0.0/16"),
				Why: "a route without a gateway"},
			plan.Setting{Kind: plan.SetQdisc, Interface: cx3, Key: "pfifo", Value: "limit 100", Why: "a discipline"},
			plan.Setting{Kind: plan.SetVLAN, Interface: cx3, Key: cx3 + ".711", Int: 711, Why: "a VLAN"},
			plan.Setting{Kind: plan.SetAddress, Interface: cx3 + ".711", Prefix: netip.MustParsePrefix("10.71.1.1/24"),
				Why: "its address"},
			plan.Setting{Kind: plan.SetLink, Interface: cx3 + ".711", Why: "its link"})
	}
	return p
}

// without omits kinds of settings: this kernel may not have bonds and VLANs.
func without(h *plan.Host, name func(plan.Setting) bool) {
	h.Settings = slices.DeleteFunc(slices.Clone(h.Settings), name)
}
