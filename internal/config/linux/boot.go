package linux

import (
	"fmt"

	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

const (
	bootScript = "/etc/linerate/card.sh"
	bootUnit   = "/etc/systemd/system/linerate-card.service"
)

// carried says whether a kind of setting is in the files of every network manager; the others are set by a unit at boot.
func carried(k plan.SettingKind) bool {
	switch k {
	case plan.SetOffload, plan.SetQdisc, plan.SetQoS, plan.SetVFs:
		return false
	}
	return true
}

// boot are a script with the settings that no network manager carries, and the unit that runs it when the cards are there.
func (c *context) boot() []device.File {
	s := c.script("card.sh", "Run at boot: what no network manager carries.")
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
	description, err := iniValue("linerate: the cards of " + c.host.Name)
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
			add(fmt.Sprintf("what install.sh found for port %s", n.port.ID), fmt.Sprintf("Environment=%s=@%s@", n.variable, n.variable))
		}
	}
	add("the settings that no network manager carries", "ExecStart=/bin/sh "+bootScript)
	add("3: something that this machine does not have, which the journal says", "SuccessExitStatus=3")
	u.Form("", "[Install]")
	add("at every boot", "WantedBy=multi-user.target")
	return []device.File{s, u}
}
