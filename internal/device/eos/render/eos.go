// Package render writes commands for a switch with Arista EOS: commands to paste, the expected output of its show
// commands, and commands that undo them.
package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/eos"
)

// profile is the name of the profile with the shares.
const profile = "LINERATE"

// render is one switch during rendering.
type render struct {
	*dcb.Base
	queue string // uc-tx-queue; empty: the switch's keyword is unknown, so it gets no profile
}

// Switch renders a switch with Arista EOS.
func Switch(p *plan.Plan, s *plan.Switch) (config.Device, error) {
	return dcb.Render(p, s, "EOS", config.File{Name: "apply.txt", Comment: "!"}, func(b *dcb.Base) error {
		r := &render{Base: b}
		r.Head("Paste it into the switch's command line.", r.name)
		b.DivideByHand("the speed that divides a port depends on the model, and was not found in a document")
		r.Apply.Form("enable", "configure")
		if r.QoS != nil {
			r.maps()
			r.shares()
		}
		for _, id := range r.VLANs() {
			r.Apply.Add(avdPorts, "a VLAN of the plan", fmt.Sprintf("vlan %d", id))
		}
		for _, x := range b.Ports {
			r.port(x)
		}
		r.Apply.Form("end")
		return r.finish()
	})
}

// name returns EOS's name of a port. The plan knows the names of all ports of a rendered switch.
func (r *render) name(x dcb.Port) string { return eos.PortName(r.Switch.Part, x.Index, x.Lane) }

func (r *render) finish() error {
	save := config.File{Name: "save.txt", Comment: "!"}
	save.Add(azure, "a restart loads what was written last", "write")
	r.Device.Unverified = append(r.Device.Unverified,
		"the commands were not tried: no such switch was at hand; their forms are those of Arista's own generator and of "+
			"Microsoft's guide (--explain)")
	brief := "maps, queues and PFC of the ports named in it change while traffic runs; how long is not documented"
	r.Device.Steps = []config.Step{
		{Do: "Log in and paste apply.txt.", Interrupts: brief},
		{Do: "Paste the commands of verify.txt and compare; verify.json has the same for programs."},
		{Do: "Paste save.txt (`write`): until then a restart of the switch brings back what was saved before, which is " +
			"also the quickest undo."},
		{Do: "To take it back: undo.txt, then save.txt again.", Interrupts: brief},
	}
	return r.Files(r.undo(), save)
}

// undo negates the commands of apply in the opposite order: "no #command# negates a command" (Microsoft's guide).
func (r *render) undo() config.File {
	undo := config.File{Name: "undo.txt", Comment: "!"}
	undo.Note(r.Switch.Name + ": undoes what apply.txt set, to the switch's defaults; what was set otherwise before " +
		"is not known here.")
	undo.Form("enable", "configure")
	var top, order []string
	within := ""
	ports := map[string][]string{}
	for _, l := range r.Apply.Lines {
		text := strings.TrimSpace(l.Text)
		switch {
		case l.Source == "":
		case strings.HasPrefix(text, "interface "):
			within = text
			order = append(order, within)
		case strings.HasPrefix(l.Text, "   ") && within != "":
			ports[within] = append(ports[within], text)
		case strings.HasPrefix(l.Text, " "): // within a profile, which is removed as a whole
		default:
			top = append(top, text)
		}
	}
	for _, i := range slices.Backward(order) {
		undo.Add(avdPorts, "the port", i)
		for _, text := range slices.Backward(ports[i]) {
			if no := negated(text); no != "" {
				undo.Add(azure, "undoes: "+text, "   "+no)
			}
		}
	}
	for _, text := range slices.Backward(top) {
		undo.Add(azure, "undoes: "+text, "no "+text)
	}
	undo.Form("end")
	return undo
}

// negated returns the command that undoes a command on a port; empty if another one already does.
func negated(text string) string {
	switch {
	case strings.HasPrefix(text, "priority-flow-control priority"):
		return ""
	case strings.HasPrefix(text, "priority-flow-control"):
		return "no priority-flow-control"
	case strings.HasPrefix(text, "service-profile"):
		return "no " + text
	case strings.HasPrefix(text, "no "):
		return "" // the value that it removed is unknown
	}
	word := strings.Fields(text)
	return "no " + strings.Join(word[:len(word)-1], " ")
}
