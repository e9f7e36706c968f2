package eos

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// profile is the name of the profile that carries the shares.
const profile = "LINERATE"

// render is one switch in the making.
type render struct {
	p     *plan.Plan
	s     *plan.Switch
	q     *plan.QoS // nil: the fabric has no classes
	ports []dcb.Port
	lacks plan.Lacks
	queue string // uc-tx-queue; empty: not known which word the switch takes, so that it gets no profile

	d      device.Device
	apply  device.File
	expect []dcb.Expect
}

// Switch renders a switch with Arista EOS.
func Switch(p *plan.Plan, s *plan.Switch) (device.Device, error) {
	ports, ib := dcb.Ports(p, s)
	if ib > 0 && len(ports) == 0 {
		return dcb.InfiniBandOnly(p, s)
	}
	lacks := p.SwitchLacks(s)
	if err := device.Refuse("switch "+s.Name, lacks.Refusals()); err != nil {
		return device.Device{}, err
	}
	r := &render{p: p, s: s, q: p.QoS(), ports: ports, lacks: lacks,
		d:     device.Device{What: dcb.Title(s, "EOS")},
		apply: device.File{Name: "apply.txt", Comment: "!"}}
	r.d.Gaps(lacks.Gaps())
	if ib > 0 {
		r.d.Miss(fmt.Sprintf("%d used ports carry InfiniBand: they have none of these settings", ib))
	}
	r.apply.Note(fmt.Sprintf("%s: what makes this switch follow the plan of %s. Paste it into the switch's command line.", s.Name, p.Name))
	for _, row := range dcb.Cabling(ports, r.name) {
		r.apply.Note("  " + row)
	}
	r.lanes()
	r.apply.Form("enable", "configure")
	if r.q != nil {
		r.maps()
		r.shares()
	}
	r.vlans()
	for _, x := range ports {
		r.port(x)
	}
	r.apply.Form("end")
	return r.finish()
}

// name is EOS's name of a port, which the plan knows of every port of a switch that is rendered.
func (r *render) name(x dcb.Port) string { return r.s.EOSPort(x.SwitchPort) }

// lanes names the ports that have to be divided first.
func (r *render) lanes() {
	last := 0
	for _, x := range r.ports {
		if x.Lane == 0 || x.Index == last {
			continue
		}
		last = x.Index
		r.d.Manual = append(r.d.Manual, device.Line{
			Text: fmt.Sprintf("Divide port %d into lanes of %s.", x.Index, strings.TrimSpace(x.Speed.String())),
			Why:  "its links name lanes of a breakout cable; the speed that divides a port depends on the model, and was not found in a document"})
	}
}

func (r *render) finish() (device.Device, error) {
	undo := r.takeBack()
	save := device.File{Name: "save.txt", Comment: "!"}
	save.Add(azure, "a restart loads what was written last", "write")
	files, err := dcb.Verify("!", []string{r.s.Name + ": what the switch should answer after apply.txt."}, r.expect)
	if err != nil {
		return device.Device{}, err
	}
	r.d.Files = append([]device.File{r.apply, undo, save}, files...)
	r.d.Unverified = append(r.d.Unverified, "the commands were not tried: no such switch was at hand; their forms are those of Arista's own generator and of Microsoft's guide (--explain)")
	brief := "maps, queues and PFC of the ports named in it change while traffic runs; how long is not documented"
	r.d.Steps = []device.Step{
		{Do: "Log in and paste apply.txt.", Interrupts: brief},
		{Do: "Paste the commands of verify.txt and compare; verify.json has the same for programs."},
		{Do: "Paste save.txt (`write`): until then a restart of the switch brings back what was saved before, which is also the quickest undo."},
		{Do: "To take it back: undo.txt, then save.txt again.", Interrupts: brief},
	}
	return r.d, nil
}

// takeBack negates what apply set, in the opposite order: "no #command# negates a command" (Microsoft's guide).
func (r *render) takeBack() device.File {
	undo := device.File{Name: "undo.txt", Comment: "!"}
	undo.Note(r.s.Name + ": takes back what apply.txt set, to the switch's defaults; what was set otherwise before is not known here.")
	undo.Form("enable", "configure")
	var top, order []string
	within := ""
	ports := map[string][]string{}
	for _, l := range r.apply.Lines {
		text := strings.TrimSpace(l.Text)
		switch {
		case l.Source == "":
		case strings.HasPrefix(text, "interface "):
			within = text
			order = append(order, within)
		case strings.HasPrefix(l.Text, "   ") && within != "":
			ports[within] = append(ports[within], text)
		case strings.HasPrefix(l.Text, " "): // within a profile, which goes as a whole
		default:
			top = append(top, text)
		}
	}
	for _, i := range slices.Backward(order) {
		undo.Add(avdPorts, "the port", i)
		for _, text := range slices.Backward(ports[i]) {
			if no := negated(text); no != "" {
				undo.Add(azure, "takes back: "+text, "   "+no)
			}
		}
	}
	for _, text := range slices.Backward(top) {
		undo.Add(azure, "takes back: "+text, "no "+text)
	}
	undo.Form("end")
	return undo
}

// negated is the command that takes back one of a port; empty where the port's first word already does.
func negated(text string) string {
	switch {
	case strings.HasPrefix(text, "priority-flow-control priority"):
		return ""
	case strings.HasPrefix(text, "priority-flow-control"):
		return "no priority-flow-control"
	case strings.HasPrefix(text, "service-profile"):
		return "no " + text
	case strings.HasPrefix(text, "no "):
		return "" // it took something away; what there was is not known
	}
	word := strings.Fields(text)
	return "no " + strings.Join(word[:len(word)-1], " ")
}
