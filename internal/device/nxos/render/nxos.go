// Package render writes commands for a Nexus switch with Cisco NX-OS: commands to paste, the expected output of its
// show commands, and commands that undo them.
package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/nxos"
)

// render is one switch during rendering.
type render struct{ *dcb.Base }

// Switch renders a switch with Cisco NX-OS.
func Switch(p *plan.Plan, s *plan.Switch) (config.Device, error) {
	return dcb.Render(p, s, "NX-OS", config.File{Name: "apply.txt", Comment: "!"}, func(b *dcb.Base) error {
		r := &render{b}
		r.Head("Paste it into the switch's command line.", r.name)
		b.DivideByHand("which ways to divide a port there are depends on the model: show interface breakout lists them")
		r.Apply.Form("configure terminal")
		if r.QoS != nil && len(b.Ports) > 0 {
			r.classes()
			r.networkQoS()
			r.queuing()
			r.system()
		}
		for _, id := range r.VLANs() {
			r.Apply.Add(azurePorts, "a VLAN of the plan", fmt.Sprintf("vlan %d", id))
		}
		for _, x := range b.Ports {
			r.port(x)
		}
		r.Apply.Form("end")
		return r.finish()
	})
}

// name returns NX-OS's name of a port.
func (r *render) name(x dcb.Port) string { return nxos.PortName(r.Switch.Part, x.Index, x.Lane) }

func (r *render) finish() error {
	save := config.File{Name: "save.txt", Comment: "!"}
	save.Add(script, "a restart loads what was saved last", "copy running-config startup-config")
	r.Device.Unverified = append(r.Device.Unverified,
		"the commands were not tried: no such switch was at hand; their forms are those of Microsoft's guide for Nexus "+
			"switches and of a script for them (--explain)",
		"the names of the ports: a Nexus switch of one module has the number 1 in front of each")
	brief := "policies, queues and PFC of the ports named in it change while traffic runs; how long is not documented"
	r.Device.Steps = []config.Step{
		{Do: "Log in and paste apply.txt.", Interrupts: brief},
		{Do: "Paste the commands of verify.txt and compare; verify.json has the same for programs."},
		{Do: "Paste save.txt (`copy running-config startup-config`): until then a restart of the switch brings back what " +
			"was saved before, which is also the quickest undo."},
		{Do: "To undo it: undo.txt, then save.txt again.", Interrupts: brief},
	}
	return r.Files(r.undo(), save)
}

// undo negates the commands of apply in the opposite order: ports before the objects that they use.
func (r *render) undo() config.File {
	undo := config.File{Name: "undo.txt", Comment: "!"}
	undo.Note(r.Switch.Name + ": sets what apply.txt set back to the switch's defaults; linerate does not know what " +
		"was set before.")
	undo.Form("configure terminal")
	var blocks []*block
	for _, l := range r.Apply.Lines {
		text := strings.TrimSpace(l.Text)
		switch inside := strings.HasPrefix(l.Text, "  "); {
		case l.Source == "":
		case inside:
			last := blocks[len(blocks)-1]
			last.lines = append(last.lines, text)
		default:
			blocks = append(blocks, &block{head: text})
		}
	}
	for _, b := range slices.Backward(blocks) {
		if !b.kept() {
			undo.Add(script, "undoes: "+b.head, "no "+b.head)
			continue
		}
		undo.Add(script, "what apply.txt changed there", b.head)
		for _, text := range slices.Backward(b.lines) {
			undo.Add(script, "undoes: "+text, "  no "+strings.TrimSuffix(text, announced))
		}
		undo.Add(script, "back to the configuration mode", "exit")
	}
	undo.Form("end")
	return undo
}

// block is a command with the lines of its mode.
type block struct {
	head  string
	lines []string
}

// kept reports whether the object of a block remains when its lines are undone.
func (b *block) kept() bool { return strings.HasPrefix(b.head, "interface ") || b.head == "system qos" }
