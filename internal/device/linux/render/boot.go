package render

import (
	"fmt"
	"slices"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

const (
	bootScript = "/etc/linerate/nic.sh"
	bootUnit   = "/etc/systemd/system/linerate-nic.service"
)

// carried reports whether the files of every network manager can have a kind of setting. A unit sets the others at
// boot.
func carried(k plan.SettingKind) bool {
	return !slices.Contains([]plan.SettingKind{plan.SetOffload, plan.SetQdisc, plan.SetQoS, plan.SetVFs}, k)
}

// boot returns a script with the settings that no network manager supports, and the unit that runs it once the NICs
// exist.
func (c *context) boot() []config.File {
	s := c.script("nic.sh", "Run at boot: what no network manager carries.")
	s.Lines = append(s.Lines, applyText...)
	c.qosKeep(&s)
	c.start(&s)
	any := false
	for _, x := range c.host.Settings {
		if k := kindOf(x.Kind); k != nil && !carried(x.Kind) {
			any = true
			s.Form("")
			k.apply(c, &s, x)
		}
	}
	if !any {
		return nil
	}
	s.Form("", `exit "$rest"`)
	s.Path = bootScript

	u := c.file(bootUnit)
	description, err := iniValue("linerate: the NICs of " + c.host.Name)
	if err != nil {
		c.fail(err)
	}
	u.Form("[Unit]", "Description="+description)
	for _, n := range c.ports {
		why := fmt.Sprintf("port %s has to be there first", n.port.ID)
		unit := "sys-subsystem-net-devices-@unit_" + n.variable + "@.device"
		u.Add("systemd.device(5)", why, "Wants="+unit)
		u.Add("systemd.device(5)", why, "After="+unit)
	}
	u.Form("", "[Service]")
	add := func(why, text string) { u.Add("systemd.unit(5)", why, text) }
	add("it sets and ends", "Type=oneshot")
	add("it counts as done until it is stopped", "RemainAfterExit=yes")
	for _, n := range c.ports {
		if !n.port.Declared {
			add(fmt.Sprintf("what install.sh found for port %s", n.port.ID),
				fmt.Sprintf("Environment=%s=@%s@", n.variable, n.variable))
		}
	}
	add("the settings that no network manager carries", "ExecStart=/bin/sh "+bootScript)
	add("3: something that this machine does not have, which the journal says", "SuccessExitStatus=3")
	u.Form("", "[Install]")
	add("at every boot", "WantedBy=multi-user.target")
	return []config.File{s, u}
}
