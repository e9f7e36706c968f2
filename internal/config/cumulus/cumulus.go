package cumulus

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// render is one switch in the making.
type render struct {
	p       *plan.Plan
	s       *plan.Switch
	q       *plan.QoS // nil: the fabric has no classes
	version dcb.Version
	lacks   plan.Lacks
	ports   []dcb.Port
	all     string // the ports as nv takes them: swp1-3,swp7s0

	d      device.Device
	apply  device.File
	unset  []device.Line // in the order of apply: they are taken back in the opposite order
	expect []dcb.Expect
}

// Switch renders a switch with Cumulus Linux from 5.0 on.
func Switch(p *plan.Plan, s *plan.Switch) (device.Device, error) {
	ports, ib := dcb.Ports(p, s)
	if ib > 0 && len(ports) == 0 {
		return dcb.InfiniBandOnly(p, s)
	}
	r := &render{p: p, s: s, q: p.QoS(), version: dcb.VersionOf(s), ports: ports,
		d:     device.Device{What: dcb.Title(s, "Cumulus Linux")},
		apply: device.File{Name: "apply.sh", Comment: "#", Exec: true}}
	lacks := p.SwitchLacks(s)
	if err := device.Refuse("switch "+s.Name, lacks.Refusals()); err != nil {
		return device.Device{}, err
	}
	r.lacks = lacks
	r.d.Gaps(lacks.Gaps())
	if ib > 0 {
		r.d.Miss(fmt.Sprintf("%d used ports carry InfiniBand: they have none of these settings", ib))
	}
	r.all = list(ports)
	r.head()
	if len(ports) > 0 {
		r.lanes()
		r.mtu()
		r.bridge()
		if r.q != nil {
			r.classes()
			r.tlvs()
		}
	}
	return r.finish()
}

// name is the switch's own name for a port: swp1, and swp1s0 for the first lane of a breakout.
func name(x dcb.Port) string { return plan.CumulusPort(x.SwitchPort) }

// list writes ports as nv takes them: swp1-3,swp7s0.
func list(ports []dcb.Port) string {
	var out []string
	for _, run := range dcb.Runs(ports, func(_, _ dcb.Port) bool { return true }) {
		text := name(run[0])
		if run[0].Index != run[1].Index {
			text += fmt.Sprintf("-%d", run[1].Index)
		}
		out = append(out, text)
	}
	return strings.Join(out, ",")
}

func (r *render) head() {
	r.apply.Form("#!/bin/sh")
	r.apply.Note(fmt.Sprintf("%s: what makes this switch follow the plan of %s. Run it on the switch.", r.s.Name, r.p.Name))
	for _, row := range dcb.Cabling(r.ports, name) {
		r.apply.Note("  " + row)
	}
	r.apply.Form("set -e")
}

// set adds a setting, and what takes it back.
func (r *render) set(by device.Source, why, words, unset string) {
	r.apply.Add(by, why, "nv set "+words)
	line := device.Line{Text: "nv unset " + unset, Why: "takes back: " + why, Source: docNVUE}
	if !slices.ContainsFunc(r.unset, func(l device.Line) bool { return l.Text == line.Text }) {
		r.unset = append(r.unset, line)
	}
}

func (r *render) finish() (device.Device, error) {
	undo := device.File{Name: "undo.sh", Comment: "#", Exec: true}
	undo.Form("#!/bin/sh")
	undo.Note(r.s.Name + ": takes back what apply.sh set, to the switch's defaults; what was set otherwise before is not known here.")
	undo.Form("set -e")
	for _, l := range slices.Backward(r.unset) {
		undo.Lines = append(undo.Lines, l)
	}
	for _, f := range []*device.File{&r.apply, &undo} {
		f.Add(docNVUE, "until here nothing is in effect", "nv config apply")
	}
	save := device.File{Name: "save.sh", Comment: "#", Exec: true}
	save.Form("#!/bin/sh")
	save.Add(docNVUE, "a restart loads what was saved last; with auto-save on, apply has done it", "nv config save")
	files, err := dcb.Verify("#", []string{r.s.Name + ": what the switch should answer after apply.sh."}, r.expect)
	if err != nil {
		return device.Device{}, err
	}
	r.d.Files = append([]device.File{r.apply, undo, save}, files...)
	r.d.Unverified = append(r.d.Unverified, "the commands were not tried: no such switch was at hand; each stands in the guide named with it (--explain)")
	brief := "changes of PFC and of the buffers rebuild the switch's buffers, which \"might result in momentary packet loss\" (guide, Quality of Service)"
	r.d.Steps = []device.Step{
		{Do: "Copy apply.sh to the switch and run it as a user who may use nv: sh apply.sh. It ends with `nv config apply`; before that nothing is in effect, and `nv config diff` shows what would be.", Interrupts: brief},
		{Do: "Run the commands of verify.txt and compare; verify.json has the same for programs."},
		{Do: "Run save.sh (`nv config save`): unless auto-save is on, a restart of the switch brings back what was saved before, which is also the quickest undo."},
		{Do: "To take it back: sh undo.sh, then save.sh again.", Interrupts: brief},
	}
	return r.d, nil
}
