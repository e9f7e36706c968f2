// Package render writes scripts for hosts with Linux and Proxmox VE, which apply, verify and undo the settings. It also
// writes the files of the host's network configuration that survive a reboot.
package render

import (
	"fmt"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// Host renders a Linux host. An error names what this family's files cannot express of the fabric file.
func Host(p *plan.Plan, h *plan.Host) (config.Device, error) {
	d := config.Device{What: what(h), Applies: true, Change: change}
	gaps := p.HostGaps(h)
	if err := config.Refuse("host "+h.Name, gaps.Refusals()); err != nil {
		return config.Device{}, err
	}
	d.Gaps(gaps.Missing())
	c := newContext(p, h)
	d.Files = []config.File{c.apply(), c.verify(), c.undo()}
	c.steps(&d)
	c.persistent(&d)
	d.Steps = append(d.Steps, c.undoSteps(len(d.Files) > 3)...)
	d.Missing = append(d.Missing, c.missing...)
	d.Unverified = append(d.Unverified, c.unverified...)
	d.Manual = c.byHand()
	if c.err != nil {
		return config.Device{}, fmt.Errorf("host %s: %w", config.Plain(h.Name), c.err)
	}
	return d, nil
}

// change returns the command behind the script's own functions: try CMD.., may 'NAME' CMD..
func change(text string) string {
	if command, ok := strings.CutPrefix(text, "try "); ok {
		return command
	}
	rest, ok := strings.CutPrefix(text, "may ")
	if !ok || rest == "" {
		return ""
	}
	_, command, _ := strings.Cut(rest[1:], rest[:1]+" ") // behind the quoted name
	return command
}

func what(h *plan.Host) string {
	system := map[string]string{"linux": "Linux", "proxmox": "Proxmox VE"}[h.OS]
	v := strings.TrimSpace(h.Decl.Version)
	switch {
	case v == "":
		return system
	case h.OS == "proxmox":
		return system + " " + v
	}
	return v
}

// steps adds the administrator's steps with the folder, in order.
func (c *context) steps(d *config.Device) {
	interrupts := "nothing, unless the MTU of a NIC is another one now than planned: some drivers restart their link " +
		"for it"
	if len(c.host.Decl.Bonds) > 0 {
		interrupts = "the ports that become members of a bond: addresses and connections on them are gone"
	}
	copyTo := "Copy this folder to " + c.host.Name + " and go into it there, as root."
	if to, ok := strings.CutPrefix(c.host.Connection, "ssh "); ok {
		to = config.Plain(to)
		copyTo = fmt.Sprintf("`scp -r %s %s:` from the folder above this one, then `ssh %s` and `cd %s`. Or `linerate "+
			"apply %s %s` where linerate runs: it does steps 1 to 3, and takes everything back by itself if that goes wrong "+
			"or the connection is lost.",
			c.host.Name, to, to, c.host.Name, c.plan.Arguments(), c.host.Name)
	}
	for _, n := range c.ports {
		copyTo += fmt.Sprintf("\n- Interface of %s: %s.", n.port.ID, n.readme())
	}
	if len(c.ports) > 0 {
		copyTo += fmt.Sprintf("\n- To say one: `%s=NAME sh apply.sh`, and the same before verify.sh and install.sh. For "+
			"good: `ports: [NAME, ..]` in %s, the file that this folder was rendered from; then render again.",
			c.ports[0].variable, config.Plain(c.plan.NICIn(c.host, c.ports[0].port.NIC)))
	}
	d.Steps = append(d.Steps, config.Step{Do: copyTo},
		config.Step{Do: "`sh apply.sh` makes it as planned, until the next reboot. It says what it found and what it " +
			"could not set; above each group of its lines is the reason." + c.wide(), Interrupts: interrupts},
		config.Step{Do: verifyStep})
}

const verifyStep = "`sh verify.sh` reads everything back, and looks for a signal on each link and its speed. The " +
	"cables have to be in and the other ends up, or else it says `missing: carrier`. Its last line sums up, and so " +
	"does its exit code. 0: as planned; 1: not as planned. 2: it is not known which interface is meant. 3: something " +
	"is missing or could not be read."

// wide describes what apply.sh changes beyond the plan's ports.
func (c *context) wide() (out string) {
	var keys []string
	for _, s := range c.host.Settings {
		if s.Kind == plan.SetSysctl {
			keys = xslices.AppendNew(keys, "`"+s.Key+"`")
		}
	}
	if len(keys) > 0 {
		out += "\n- For the whole machine, its other networks too, it sets " + strings.Join(keys, ", ") + "."
	}
	if c.hostsLines() != nil {
		out += "\n- It writes the plan's names into /etc/hosts, between two lines that begin with `# linerate`. That " +
			"outlives a reboot: the names stay until `sh undo.sh`. They come before what your network's own name service says."
	}
	return out
}

// undoSteps returns the steps that undo it.
func (c *context) undoSteps(files bool) []config.Step {
	names := ""
	if c.hostsLines() != nil {
		names = ", and takes the plan's names out of /etc/hosts, whenever they came in"
	}
	undo := "`sh undo.sh` undoes what apply.sh did since the last reboot" + names + ". What was before is " +
		"kept in " + c.stateDir() + ", which a reboot forgets together with the changes."
	if !files {
		return []config.Step{{Do: "To take it back: " + undo}}
	}
	return []config.Step{{Do: "To take it back, and only then:" +
		"\n- `sh install.sh --undo` takes the files away again and puts back what was there. What is set stays set " +
		"meanwhile." + "\n- " + undo + "\n- Reboot: what the files set at the last boot stays until then."}}
}
