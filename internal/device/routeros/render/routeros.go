// Package render writes scripts for switches with RouterOS 7: a larger L2MTU and, on chips that support it, a lossless
// class.
package render

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/routeros"
)

const (
	menuSwitch = "/interface ethernet switch"
	menuQoS    = menuSwitch + " qos"
)

// render is one switch during rendering.
type render struct {
	p      *plan.Plan
	s      *plan.Switch
	d      *config.Device
	v      variant
	q      *device.QoS
	ports  []port
	tc     map[string]int // the traffic class of each class by its name
	mtu    int            // the largest of the used ports
	l2mtu  int            // their new L2MTU; 0: unchanged
	tagged bool           // VLANs were added to the bridge's table

	apply, verify, undo *config.File
}

// change returns a line that sets or adds an entry, also one that adds it if there is none.
func change(text string) string {
	if guard, command, ok := strings.Cut(text, "do={ "); ok && strings.HasPrefix(guard, ":if ") {
		command, _, _ = strings.Cut(command, " } else={ ")
		text = strings.TrimSuffix(command, " }")
	}
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "/system script") {
		return ""
	}
	return text
}

// Switch renders a switch with RouterOS.
func Switch(p *plan.Plan, s *plan.Switch) (config.Device, error) {
	d := config.Device{What: dcb.Title(s, "RouterOS"), Change: change, Files: []config.File{
		{Name: "apply.rsc", Comment: "#"}, {Name: "undo.rsc", Comment: "#"}, {Name: "verify.rsc", Comment: "#"}}}
	r := &render{p: p, s: s, d: &d, q: p.QoS(), v: variantFor(routeros.ReadRelease(s.Decl.Version)),
		apply: &d.Files[0], undo: &d.Files[1], verify: &d.Files[2]}
	var guessed bool
	r.ports, guessed = ports(s)
	gaps := p.SwitchGaps(s)
	if err := config.Refuse("switch "+s.Name, gaps.Refusals()); err != nil {
		return d, err
	}
	d.Gaps(gaps.Missing())
	r.room()
	r.classes()
	r.head()
	if guessed {
		d.Unverified = append(d.Unverified, "the names of some ports are not in the catalogue and follow MikroTik's "+
			"pattern; apply.rsc stops before it changes anything if one is not there (print them: /interface ethernet print)")
	}
	r.frames()
	r.vlans()
	if r.q != nil {
		r.profiles()
		r.queues()
		r.pfc()
		r.trust()
		r.offload()
	}
	r.undoAll()
	r.verify.Add(manualScript, "the answer",
		`:if ($linerateBad > 0) do={ :error "not everything is as planned: see the lines above" }`)
	r.verify.Form(`:put "as planned"`)
	r.steps()
	return d, nil
}

func (r *render) ecn() (has, known bool) {
	if r.s.Part == nil || r.s.Part.Switch == nil {
		return false, false
	}
	return r.s.Part.Switch.ECN.Get()
}

// Frames up to factoryMTU pass an unconfigured switch. roomyL2MTU is the value for jumbo frames in the manual's example
// and the roce-100g document. L2MTU counts everything after the MAC header, with a VLAN tag of 4 bytes.
const (
	factoryMTU = 1500
	roomyL2MTU = 9500
	tagBytes   = 4
)

func (r *render) room() {
	for _, p := range r.s.Ports {
		r.mtu = max(r.mtu, p.MTU)
	}
	if r.mtu > factoryMTU {
		r.l2mtu = max(roomyL2MTU, r.mtu+tagBytes)
		if r.s.Part != nil && r.s.Part.Switch != nil {
			r.l2mtu = min(r.l2mtu, r.s.Part.Switch.L2MTU.Or(r.l2mtu)) // the plan checks that the MTU fits
		}
	}
}

// classes assigns each class its traffic class, which is its queue. Traffic without a class stays in the built-in
// profile "default", whose traffic class is 1: on these switches 0 is the lowest of all.
func (r *render) classes() {
	r.tc = map[string]int{}
	if r.q == nil {
		return
	}
	taken := map[int]bool{}
	for _, c := range r.q.Classes {
		if !c.Default {
			r.tc[c.Name], taken[c.Priority] = c.Priority, true
		}
	}
	for _, c := range r.q.Classes {
		if c.Default {
			r.tc[c.Name] = 1
			if taken[1] {
				r.tc[c.Name] = c.Priority
			}
		}
	}
}

// profile returns the quoted QoS profile of a class. The built-in one is called default.
func (r *render) profile(c device.Class) string {
	if c.Default {
		return `"default"`
	}
	name := c.Name
	if name == "default" {
		name = "class-default"
	}
	q, err := Quote(name)
	if err != nil { // names of classes are words
		return `"class-` + fmt.Sprint(c.Priority) + `"`
	}
	return q
}

// must quotes a text of linerate, or one that was checked.
func must(s string) string {
	q, err := Quote(config.Plain(s))
	if err != nil {
		return `""`
	}
	return q
}

func (r *render) head() {
	for _, f := range []*config.File{r.apply, r.verify, r.undo} {
		f.Note(fmt.Sprintf("%s of the fabric %s: %s, for %s", r.s.Name, r.p.Name, strings.TrimSuffix(f.Name, ".rsc"),
			r.v.releases))
	}
	if r.q == nil {
		return
	}
	guard := fmt.Sprintf(`:if (!([/system resource get version] ~ %s)) do={ :error %s }`, must(r.v.pattern),
		must("nothing was changed: these files are for "+r.v.releases+"; write the version into the fabric file and "+
			"render again"))
	why := cmp.Or(r.v.reason,
		"another release wants other commands: maps are automatic from 7.23 on, lldp-dcbx begins with 7.17")
	for _, f := range []*config.File{r.apply, r.verify, r.undo} {
		f.Add(manualScript, why, guard)
	}
	if r.v.update != "" {
		r.d.Manual = append(r.d.Manual, config.Line{Text: r.v.update, Why: r.v.reason, Source: manualQoS})
	}
}
