package onyx

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
	p     *plan.Plan
	s     *plan.Switch
	q     *plan.QoS // nil: the fabric has no classes
	ports []dcb.Port
	runs  []string // the ports as ranges: ethernet 1/19-1/21
	lacks plan.Lacks
	mode  string // of the roce command; empty: single commands
	chip  string // Spectrum, SwitchX, or empty if not known

	d           device.Device
	apply, undo device.File
	// back are the blocks of the undo so far: they are taken back in the opposite order.
	back   [][]device.Line
	expect []dcb.Expect
}

// The releases that brought the command roce and another JSON of some show commands.
var (
	roceSince = []int{3, 8, 2000}
	newJSON   = []int{3, 6, 6000}
)

// Switch renders a switch with Onyx or MLNX-OS.
func Switch(p *plan.Plan, s *plan.Switch) (device.Device, error) {
	ports, ib := dcb.Ports(p, s)
	if ib > 0 && len(ports) == 0 {
		return dcb.InfiniBandOnly(p, s)
	}
	system := "Onyx"
	if s.OS == "mlnx-os" || strings.HasPrefix(dcb.Chip(s), dcb.SwitchX) {
		system = "MLNX-OS"
	}
	lacks := p.SwitchLacks(s)
	if err := device.Refuse("switch "+s.Name, lacks.Refusals()); err != nil {
		return device.Device{}, err
	}
	r := &render{p: p, s: s, q: p.QoS(), ports: ports, lacks: lacks,
		d:     device.Device{What: dcb.Title(s, system)},
		apply: device.File{Name: "apply.txt", Comment: "##"}, undo: device.File{Name: "undo.txt", Comment: "##"}}
	for _, c := range []string{dcb.Spectrum, dcb.SwitchX} {
		if strings.HasPrefix(dcb.Chip(s), c) {
			r.chip = c
		}
	}
	r.d.Gaps(lacks.Gaps())
	if ib > 0 {
		r.d.Miss(fmt.Sprintf("%d used ports carry InfiniBand: they have none of these settings", ib))
	}
	for _, run := range dcb.Runs(ports, func(a, b dcb.Port) bool { return a.MTU == b.MTU && a.VLAN == b.VLAN }) {
		text := "ethernet " + name(run[0])
		if run[0].Index != run[1].Index {
			text += "-" + name(run[1])
		}
		r.runs = append(r.runs, text)
	}
	r.head()
	r.lanes()
	r.mtu()
	r.block()
	r.vlans()
	r.block()
	if r.q != nil {
		r.classes()
		r.block()
		r.lldp()
		r.block()
	}
	return r.finish()
}

// name is the switch's own name for a port: 1/19, and 1/19/2 for a lane of a breakout.
func name(x dcb.Port) string { return plan.OnyxPort(x.SwitchPort) }

// block ends a block of the undo.
func (r *render) block() {
	if len(r.undo.Lines) > 0 {
		r.back = append(r.back, r.undo.Lines)
		r.undo.Lines = nil
	}
}

func (r *render) head() {
	r.apply.Note(fmt.Sprintf("%s: what makes this switch follow the plan of %s. Paste it into the switch's command line.", r.s.Name, r.p.Name))
	for _, row := range dcb.Cabling(r.ports, name) {
		r.apply.Note("  " + row)
	}
	configMode(&r.apply)
}

func configMode(f *device.File) {
	f.Add(modeChange, "the commands are those of the configuration mode", "enable")
	f.Add(modeChange, "the commands are those of the configuration mode", "configure terminal")
}

// each adds a command for every range of ports to a file.
func (r *render) each(f *device.File, by device.Source, why, command string) {
	for _, run := range r.runs {
		f.Add(by, why, "interface "+run+" "+command)
	}
}

func (r *render) finish() (device.Device, error) {
	if r.chip == "" && r.q != nil {
		r.d.Unverified = append(r.d.Unverified, "the switch's chip is not known here: the commands are those of Spectrum (SN) without the command roce")
	}
	if r.chip == dcb.SwitchX {
		r.d.Unverified = append(r.d.Unverified, "the commands are documented for MLNX-OS and Onyx, but their examples are of Spectrum switches; on SwitchX they were not tried, nor by their authors")
	}
	r.d.Unverified = append(r.d.Unverified, "syntax not verified: no such switch was at hand; lines that begin with ## are comments, as the switch's own configuration has them")
	r.undo.Note(fmt.Sprintf("%s: takes back what apply.txt did, to the switch's defaults; what was set otherwise before is not known here.", r.s.Name))
	configMode(&r.undo)
	for _, b := range slices.Backward(r.back) {
		r.undo.Lines = append(r.undo.Lines, b...)
	}
	save := device.File{Name: "save.txt", Comment: "##"}
	save.Add(modConfig, "a restart loads what was written last", "configuration write")
	files, err := dcb.Verify("##", []string{r.s.Name + ": what the switch should answer after apply.txt."}, r.expect)
	if err != nil {
		return device.Device{}, err
	}
	r.d.Files = append(append(r.d.Files, r.apply, r.undo, save), files...)
	brief := "PFC, trust and buffers of the ports named in it change while traffic runs; `force` may take a port down for a moment, as long as is not documented"
	if r.mode != "" {
		brief = "changing the RoCE mode may take all interfaces down and up once (the manual: \"a momentary loss of data\")"
	}
	r.d.Steps = []device.Step{
		{Do: "Log in as admin and paste apply.txt.", Interrupts: brief},
		{Do: "Paste the commands of verify.txt and compare; verify.json has the same for programs (append `| json-print` to a command)."},
		{Do: "Paste save.txt (`configuration write`): until then a restart of the switch brings back what was saved before, which is also the quickest undo."},
		{Do: "To take it back: undo.txt, then save.txt again.", Interrupts: brief},
	}
	return r.d, nil
}
