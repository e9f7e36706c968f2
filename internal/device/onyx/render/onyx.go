// Package render writes commands for a switch with NVIDIA Onyx or MLNX-OS: commands to paste, the expected output of
// its show commands, and commands that undo them. Spectrum switches (SN) from 3.8.2000 on have one command for a
// lossless class. Older releases and SwitchX (SX) need separate commands.
package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/onyx"
)

// render is one switch during rendering.
type render struct {
	*dcb.Base
	runs []string // the ports as ranges: ethernet 1/19-1/21
	mode string   // of the roce command; empty: separate commands
	chip string   // Spectrum, SwitchX, or empty if not known

	undo config.File
	back [][]config.Line // blocks of undo commands, which undo.txt has in reverse
}

// The releases that introduced the command roce and a different JSON of some show commands.
var (
	roceSince = []int{3, 8, 2000}
	newJSON   = []int{3, 6, 6000}
)

// Switch renders a switch with Onyx or MLNX-OS.
func Switch(p *plan.Plan, s *plan.Switch) (config.Device, error) {
	chip := ""
	for _, c := range []string{dcb.Spectrum, dcb.SwitchX} {
		if strings.HasPrefix(dcb.Chip(s), c) {
			chip = c
		}
	}
	system := "Onyx"
	if s.OS == "mlnx-os" || chip == dcb.SwitchX {
		system = "MLNX-OS"
	}
	return dcb.Render(p, s, system, config.File{Name: "apply.txt", Comment: "##"}, func(b *dcb.Base) error {
		r := &render{Base: b, chip: chip, undo: config.File{Name: "undo.txt", Comment: "##"}}
		for _, run := range dcb.Runs(b.Ports, func(a, b dcb.Port) bool { return a.MTU == b.MTU && a.VLAN == b.VLAN }) {
			r.runs = append(r.runs, rangeName(run))
		}
		r.Head("Paste it into the switch's command line.", name)
		configMode(&r.Apply)
		r.lanes()
		r.mtu()
		r.block()
		r.vlans()
		r.block()
		if r.QoS != nil {
			r.classes()
			r.block()
			r.lldp()
			r.block()
		}
		return r.finish()
	})
}

// name returns the switch's name for a port: 1/19, or 1/19/2 for a lane of a breakout.
func name(x dcb.Port) string { return onyx.Port(x.Index, x.Lane) }

// rangeName returns the switch's name for a run of ports: ethernet 1/19-1/21.
func rangeName(run [2]dcb.Port) string {
	if run[0].Index == run[1].Index {
		return "ethernet " + name(run[0])
	}
	return "ethernet " + name(run[0]) + "-" + name(run[1])
}

// block ends a block of undo commands.
func (r *render) block() {
	if len(r.undo.Lines) > 0 {
		r.back = append(r.back, r.undo.Lines)
		r.undo.Lines = nil
	}
}

func configMode(f *config.File) {
	f.Add(modeChange, "the commands are those of the configuration mode", "enable")
	f.Add(modeChange, "the commands are those of the configuration mode", "configure terminal")
}

// each adds a command for every range of ports to a file.
func (r *render) each(f *config.File, by config.Source, why, command string) {
	for _, run := range r.runs {
		f.Add(by, why, "interface "+run+" "+command)
	}
}

func (r *render) finish() error {
	if r.chip == "" && r.QoS != nil {
		r.Device.Unverified = append(r.Device.Unverified,
			"the switch's chip is not known here: the commands are those of Spectrum (SN) without the command roce")
	}
	if r.chip == dcb.SwitchX {
		r.Device.Unverified = append(r.Device.Unverified,
			"the commands are documented for MLNX-OS and Onyx, but their examples are of Spectrum switches; on SwitchX they "+
				"were not tried, nor by their authors")
	}
	r.Device.Unverified = append(r.Device.Unverified,
		"syntax not verified: no such switch was at hand; lines that begin with ## are comments, as the switch's own "+
			"configuration has them")
	r.undo.Note(fmt.Sprintf("%s: undoes what apply.txt did, to the switch's defaults; what was set otherwise "+
		"before is not known here.", r.Switch.Name))
	configMode(&r.undo)
	for _, b := range slices.Backward(r.back) {
		r.undo.Lines = append(r.undo.Lines, b...)
	}
	save := config.File{Name: "save.txt", Comment: "##"}
	save.Add(modConfig, "a restart loads what was written last", "configuration write")
	brief := "PFC, trust and buffers of the ports named in it change while traffic runs; `force` may take a port down " +
		"for a moment, as long as is not documented"
	if r.mode != "" {
		brief = "changing the RoCE mode may take all interfaces down and up once (the manual: \"a momentary loss of data\")"
	}
	r.Device.Steps = []config.Step{
		{Do: "Log in as admin and paste apply.txt.", Interrupts: brief},
		{Do: "Paste the commands of verify.txt and compare; verify.json has the same for programs (append `| json-print` " +
			"to a command)."},
		{Do: "Paste save.txt (`configuration write`): until then a restart of the switch brings back what was saved " +
			"before, which is also the quickest undo."},
		{Do: "To take it back: undo.txt, then save.txt again.", Interrupts: brief},
	}
	return r.Files(r.undo, save)
}
