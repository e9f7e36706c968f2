// Package render writes NVUE commands for a switch with Cumulus Linux 5: a script for the switch's shell, the expected
// output of its show commands, and a script that undoes the commands.
package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/cumulus"
	"linerate/internal/device/dcb"
)

// render is one switch during rendering.
type render struct {
	*dcb.Base
	version device.Release
	all     string        // the ports in nv's form: swp1-3,swp7s0
	unset   []config.Line // in the order of apply; undo reverses them
}

// Switch renders a switch with Cumulus Linux from 5.0 on.
func Switch(p *plan.Plan, s *plan.Switch) (config.Device, error) {
	return dcb.Render(p, s, "Cumulus Linux", dcb.Script("apply.sh"), func(b *dcb.Base) error {
		r := &render{Base: b, version: dcb.VersionOf(s), all: list(b.Ports)}
		r.Head("Run it on the switch.", name)
		r.Apply.Form("set -e")
		if len(b.Ports) > 0 {
			r.lanes()
			r.mtu()
			r.bridge()
			if r.QoS != nil {
				r.classes()
				r.tlvs()
			}
		}
		return r.finish()
	})
}

// name returns the switch's name for a port: swp1, or swp1s0 for the first lane of a breakout.
func name(x dcb.Port) string { return cumulus.PortName(nil, x.Index, x.Lane) }

// list returns ports in nv's form: swp1-3,swp7s0.
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

// set adds a setting and the command that undoes it.
func (r *render) set(by config.Source, why, words, unset string) {
	r.Apply.Add(by, why, "nv set "+words)
	line := config.Line{Text: "nv unset " + unset, Why: "undoes: " + why, Source: docNVUE}
	if !slices.ContainsFunc(r.unset, func(l config.Line) bool { return l.Text == line.Text }) {
		r.unset = append(r.unset, line)
	}
}

func (r *render) finish() error {
	undo := dcb.Script("undo.sh")
	undo.Note(r.Switch.Name + ": undoes what apply.sh set, to the switch's defaults; what was set otherwise before " +
		"is not known here.")
	undo.Form("set -e")
	slices.Reverse(r.unset)
	undo.Lines = append(undo.Lines, r.unset...)
	for _, f := range []*config.File{&r.Apply, &undo} {
		f.Add(docNVUE, "until here nothing is in effect", "nv config apply")
	}
	save := dcb.Script("save.sh")
	save.Add(docNVUE, "a restart loads what was saved last; with auto-save on, apply has done it", "nv config save")
	r.Device.Unverified = append(r.Device.Unverified,
		"the commands were not tried: no such switch was at hand; each is in the guide named with it (--explain)")
	brief := "changes of PFC and of the buffers rebuild the switch's buffers, which \"might result in momentary packet " +
		"loss\" (guide, Quality of Service)"
	r.Device.Steps = []config.Step{
		{Do: "Copy apply.sh to the switch and run it as a user who may use nv: sh apply.sh. It ends with `nv config " +
			"apply`; before that nothing is in effect, and `nv config diff` shows what would be.", Interrupts: brief},
		{Do: "Run the commands of verify.txt and compare; verify.json has the same for programs."},
		{Do: "Run save.sh (`nv config save`): unless auto-save is on, a restart of the switch brings back what was saved " +
			"before, which is also the quickest undo."},
		{Do: "To take it back: sh undo.sh, then save.sh again.", Interrupts: brief},
	}
	return r.Files(undo, save)
}
