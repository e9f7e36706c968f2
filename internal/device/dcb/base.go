// Package dcb has what the configurations of data center switches share: their used ports in order, the fabric's
// classes as a switch sees them, and the expected output of a switch. It does not depend on a switch's language.
package dcb

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
)

// Base is a switch during rendering, as all families of switches with traffic classes need it.
type Base struct {
	Plan   *plan.Plan
	Switch *plan.Switch
	QoS    *device.QoS // nil: the fabric has no classes
	Ports  []Port
	Gaps   device.Gaps

	Device config.Device
	Apply  config.File
	Expect []Expect
}

// Render renders a switch that carries Ethernet and that the plan does not refuse: commands fills the base. system is
// its display name, and apply the file of its commands.
func Render(p *plan.Plan, s *plan.Switch, system string, apply config.File,
	commands func(*Base) error) (config.Device, error) {
	ports, infiniBand := ethernet(p, s)
	if infiniBand > 0 && len(ports) == 0 {
		return InfiniBandOnly(p, s)
	}
	gaps := p.SwitchGaps(s)
	if err := config.Refuse("switch "+s.Name, gaps.Refusals()); err != nil {
		return config.Device{}, err
	}
	b := &Base{Plan: p, Switch: s, QoS: p.QoS(), Ports: ports, Gaps: gaps, Apply: apply,
		Device: config.Device{What: Title(s, system)}}
	b.Device.Gaps(gaps.Missing())
	if infiniBand > 0 {
		b.Device.Miss(fmt.Sprintf("%d used ports carry InfiniBand: they have none of these settings", infiniBand))
	}
	if err := commands(b); err != nil {
		return config.Device{}, err
	}
	return b.Device, nil
}

// Script returns a file for the switch's own shell.
func Script(name string) config.File {
	f := config.File{Name: name, Comment: "#", Exec: true}
	f.Form("#!/bin/sh")
	return f
}

// Head begins the commands with comments: the plan, how to run them, and the cables by the switch's port names.
func (b *Base) Head(run string, name func(Port) string) {
	b.Apply.Note(fmt.Sprintf("%s: what makes this switch follow the plan of %s. %s", b.Switch.Name, b.Plan.Name, run))
	for _, row := range cabling(b.Ports, name) {
		b.Apply.Note("  " + row)
	}
}

// ExpectLine expects a line that contains want in the output of a command.
func (b *Base) ExpectLine(by config.Source, command, why, want string) {
	b.ExpectAt(by, "lines", command, why, want)
}

// ExpectAt expects want at a place in the output of a command. The form is one of Expect.Form.
func (b *Base) ExpectAt(by config.Source, form, command, why, want string, where ...string) {
	b.Expect = append(b.Expect, Expect{Command: command, Form: form, Where: where, Want: want, Why: why, By: by})
}

// Files adds the files to the device: the commands, further ones, and the two with the expected output.
func (b *Base) Files(further ...config.File) error {
	head := []string{b.Switch.Name + ": what the switch should answer after " + b.Apply.Name + "."}
	files, err := verify(b.Apply.Comment, head, b.Expect)
	if err != nil {
		return err
	}
	b.Device.Files = slices.Concat([]config.File{b.Apply}, further, files)
	return nil
}

// Divided returns the ports whose links name lanes of a breakout cable, each once.
func (b *Base) Divided() []Port {
	var out []Port
	last := 0
	for _, x := range b.Ports {
		if x.Lane > 0 && x.Index != last {
			last = x.Index
			out = append(out, x)
		}
	}
	return out
}

// DivideByHand lists the ports that have to be divided first, and why linerate does not divide them.
func (b *Base) DivideByHand(why string) {
	for _, x := range b.Divided() {
		b.Device.Manual = append(b.Device.Manual, config.Line{Why: "its links name lanes of a breakout cable; " + why,
			Text: fmt.Sprintf("Divide port %d into lanes of %s.", x.Index, strings.TrimSpace(x.Speed.String()))})
	}
}

// VLANs returns the VLANs of the ports, ascending.
func (b *Base) VLANs() []int {
	var ids []int
	for _, x := range b.Ports {
		if x.VLAN > 0 {
			ids = append(ids, x.VLAN)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// JoinsSwitches reports whether a port connects to another switch. Otherwise a pause cannot spread to a further queue,
// and the port needs no watchdog.
func (b *Base) JoinsSwitches() bool {
	return slices.ContainsFunc(b.Ports, func(x Port) bool { return x.Switch })
}

// LosslessWhy returns the reason for pausing a priority.
func (b *Base) LosslessWhy(priority int) string {
	return fmt.Sprintf("class %s is lossless", config.Plain(b.QoS.Class(priority).Name))
}

// MarkedWhy returns the reason for marking the packets of a class.
func MarkedWhy(c device.Class) string {
	return fmt.Sprintf("class %s is marked instead of dropped", config.Plain(c.Name))
}

// ShareWhy returns the reason for a class's share of the link.
func ShareWhy(c device.Class) string {
	if c.Strict {
		return config.Plain(fmt.Sprintf("class %s goes first: %s", c.Name, c.Why))
	}
	return config.Plain(fmt.Sprintf("class %s: %d %% of the link", c.Name, c.Percent))
}
