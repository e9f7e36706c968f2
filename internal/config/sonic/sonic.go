package sonic

import (
	"fmt"
	"strings"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// before is where apply.sh keeps the configuration that was there, and undo.sh loads it from.
const before = "/etc/sonic/before-linerate.json"

// render is one switch in the making.
type render struct {
	p       *plan.Plan
	s       *plan.Switch
	q       *plan.QoS // nil: the fabric has no classes
	version dcb.Version
	ports   []dcb.Port

	d        device.Device
	apply    device.File
	fragment []table
	expect   []dcb.Expect
}

// Switch renders a switch with community SONiC.
func Switch(p *plan.Plan, s *plan.Switch) (device.Device, error) {
	ports, ib := dcb.Ports(p, s)
	if ib > 0 && len(ports) == 0 {
		return dcb.InfiniBandOnly(p, s)
	}
	lacks := p.SwitchLacks(s)
	if err := device.Refuse("switch "+s.Name, lacks.Refusals()); err != nil {
		return device.Device{}, err
	}
	r := &render{p: p, s: s, q: p.QoS(), version: dcb.VersionOf(s), ports: ports,
		d:     device.Device{What: dcb.Title(s, "SONiC")},
		apply: device.File{Name: "apply.sh", Comment: "#", Exec: true}}
	r.d.Gaps(lacks.Gaps())
	if ib > 0 {
		r.d.Miss(fmt.Sprintf("%d used ports carry InfiniBand: they have none of these settings", ib))
	}
	r.head()
	r.lanes()
	if r.q != nil {
		r.classes()
	}
	if len(r.fragment) > 0 {
		r.apply.Add(cmdref, "the tables of the classes over those that the reload made: see qos.json", "sudo config load -y qos.json")
	}
	r.mtu()
	r.vlans()
	if r.q != nil && len(r.q.Lossless()) > 0 {
		r.lossless()
	}
	return r.finish()
}

// name is SONiC's name of a port, which the plan knows of every port of a switch that is rendered.
func (r *render) name(x dcb.Port) string { return r.s.SONiCPort(x.SwitchPort) }

func (r *render) head() {
	r.apply.Form("#!/bin/sh")
	r.apply.Note(fmt.Sprintf("%s: what makes this switch follow the plan of %s. Run it on the switch, beside qos.json.", r.s.Name, r.p.Name))
	for _, row := range dcb.Cabling(r.ports, r.name) {
		r.apply.Note("  " + row)
	}
	r.apply.Form("set -e", `cd "$(dirname "$0")"`)
	r.apply.Add(cmdref, "what was there is kept for undo.sh; a second run keeps the first one's", fmt.Sprintf("test -e %s || sudo config save -y %s", before, before))
}

// lanes names the ports that have to be divided first.
func (r *render) lanes() {
	last := 0
	for _, x := range r.ports {
		if x.Lane == 0 || x.Index == last {
			continue
		}
		last = x.Index
		whole := x
		whole.Lane = 0
		r.d.Manual = append(r.d.Manual, device.Line{
			Text: fmt.Sprintf("Divide %s into lanes: `show interfaces breakout` lists its modes, `sudo config interface breakout %s MODE` sets one.", r.name(whole), r.name(whole)),
			Why:  fmt.Sprintf("its links name lanes of %s; the words of the modes are those of the platform, such as 4x25G[10G]", strings.TrimSpace(x.Speed.String())), Source: cmdref})
	}
}

func (r *render) finish() (device.Device, error) {
	undo := device.File{Name: "undo.sh", Comment: "#", Exec: true}
	undo.Form("#!/bin/sh")
	undo.Note(r.s.Name + ": loads the configuration that was there before apply.sh. All services of the switch start anew.")
	undo.Form("set -e")
	undo.Add(cmdref, "exactly what was there", "sudo config reload -y "+before)
	undo.Add(cmdref, "and so after a restart", "sudo config save -y")
	undo.Form("sudo rm " + before)
	save := device.File{Name: "save.sh", Comment: "#", Exec: true}
	save.Form("#!/bin/sh")
	save.Add(cmdref, "a restart loads what was saved last", "sudo config save -y")
	files, err := dcb.Verify("#", []string{r.s.Name + ": what the switch should answer after apply.sh."}, r.expect)
	if err != nil {
		return device.Device{}, err
	}
	r.d.Files = append([]device.File{r.apply, undo, save}, files...)
	if len(r.fragment) > 0 {
		f, err := fragment(r.fragment)
		if err != nil {
			return device.Device{}, err
		}
		r.d.Files = append(r.d.Files, f)
	}
	r.d.Manual = append(r.d.Manual, device.Line{
		Text: "Look at `show ip interfaces`: take addresses off the ports of the plan (`sudo config interface ip remove PORT ADDRESS`).",
		Why:  "a factory configuration may have an address on each port, and a port with one cannot be in a VLAN", Source: cmdref})
	r.d.Unverified = append(r.d.Unverified, "the commands were not tried: no such switch was at hand; each stands in the document named with it (--explain). Vendors' own SONiC (Dell, Broadcom Enterprise) has another command line for the classes")
	brief := "`config qos reload` sets up all queues and buffers anew while traffic runs, of all ports; packets are lost meanwhile, how long is not documented"
	if len(r.fragment) == 0 {
		brief = ""
	}
	r.d.Steps = []device.Step{
		{Do: "Copy this folder to the switch and run sh apply.sh as a user who may use sudo. It keeps the present configuration in " + before + " first.", Interrupts: brief},
		{Do: "Run the commands of verify.txt and compare; verify.json has the same for programs."},
		{Do: "Run save.sh (`config save`): until then a restart of the switch brings back what was saved before."},
		{Do: "To take it back: sh undo.sh.", Interrupts: "`config reload` starts all services anew: every port is down for some minutes"},
	}
	return r.d, nil
}
