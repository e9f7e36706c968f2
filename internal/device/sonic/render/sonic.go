// Package render writes a script for a switch with community SONiC: config commands with a fragment of config_db.json,
// the expected output of its show commands, and a script that loads the previous configuration.
package render

import (
	"fmt"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/sonic"
)

// before is the file in which apply.sh saves the previous configuration, and from which undo.sh loads it.
const before = "/etc/sonic/before-linerate.json"

// render is one switch during rendering.
type render struct {
	*dcb.Base
	version  device.Release
	fragment []table
}

// Switch renders a switch with community SONiC.
func Switch(p *plan.Plan, s *plan.Switch) (config.Device, error) {
	return dcb.Render(p, s, "SONiC", dcb.Script("apply.sh"), func(b *dcb.Base) error {
		r := &render{Base: b, version: dcb.VersionOf(s)}
		r.Head("Run it on the switch, next to qos.json.", r.name)
		r.Apply.Form("set -e", `cd "$(dirname "$0")"`)
		r.Apply.Add(cmdref, "what was there is kept for undo.sh; a second run keeps the first one's",
			fmt.Sprintf("test -e %s || sudo config save -y %s", before, before))
		r.lanes()
		if r.QoS != nil {
			r.classes()
		}
		if len(r.fragment) > 0 {
			r.Apply.Add(cmdref, "the tables of the classes over those that the reload made: see qos.json",
				"sudo config load -y qos.json")
		}
		r.mtu()
		r.vlans()
		if r.QoS != nil && len(r.QoS.Lossless()) > 0 {
			r.lossless()
		}
		return r.finish()
	})
}

// name returns SONiC's name of a port. The plan knows the names of all ports of a rendered switch.
func (r *render) name(x dcb.Port) string { return sonic.PortName(r.Switch.Part, x.Index, x.Lane) }

// lanes lists the ports that have to be divided first.
func (r *render) lanes() {
	for _, x := range r.Divided() {
		whole := sonic.PortName(r.Switch.Part, x.Index, 0)
		r.Device.Manual = append(r.Device.Manual, config.Line{
			Text: fmt.Sprintf("Divide %s into lanes: `show interfaces breakout` lists its modes, `sudo config interface "+
				"breakout %s MODE` sets one.", whole, whole),
			Why: fmt.Sprintf("its links name lanes of %s; the words of the modes are those of the platform, such as "+
				"4x25G[10G]", strings.TrimSpace(x.Speed.String())), Source: cmdref})
	}
}

func (r *render) finish() error {
	undo := dcb.Script("undo.sh")
	undo.Note(r.Switch.Name + ": loads the configuration that was there before apply.sh. All services of the switch " +
		"start again.")
	undo.Form("set -e")
	undo.Add(cmdref, "exactly what was there", "sudo config reload -y "+before)
	undo.Add(cmdref, "and so after a restart", "sudo config save -y")
	undo.Form("sudo rm " + before)
	save := dcb.Script("save.sh")
	save.Add(cmdref, "a restart loads what was saved last", "sudo config save -y")
	if err := r.Files(undo, save); err != nil {
		return err
	}
	if len(r.fragment) > 0 {
		f, err := fragment(r.fragment)
		if err != nil {
			return err
		}
		r.Device.Files = append(r.Device.Files, f)
	}
	r.Device.Manual = append(r.Device.Manual, config.Line{
		Text: "Look at `show ip interfaces`: take addresses off the ports of the plan (`sudo config interface ip remove " +
			"PORT ADDRESS`).",
		Why:    "a factory configuration may have an address on each port, and a port with one cannot be in a VLAN",
		Source: cmdref})
	r.Device.Unverified = append(r.Device.Unverified,
		"the commands were not tried: no such switch was at hand; each is in the document named with it (--explain). "+
			"Vendors' own SONiC (Dell, Broadcom Enterprise) has another command line for the classes")
	brief := "`config qos reload` sets up all queues and buffers again while traffic runs, of all ports; packets are " +
		"lost meanwhile, how long is not documented"
	if len(r.fragment) == 0 {
		brief = ""
	}
	r.Device.Steps = []config.Step{
		{Do: "Copy this folder to the switch and run sh apply.sh as a user who may use sudo. It keeps the present " +
			"configuration in " + before + " first.", Interrupts: brief},
		{Do: "Run the commands of verify.txt and compare; verify.json has the same for programs."},
		{Do: "Run save.sh (`config save`): until then a restart of the switch brings back what was saved before."},
		{Do: "To take it back: sh undo.sh.", Interrupts: "`config reload` starts all services again: every port is down " +
			"for some minutes"},
	}
	return nil
}
