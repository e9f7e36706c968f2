package routeros

import (
	"fmt"
	"strings"

	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

const (
	menuSwitch = "/interface ethernet switch"
	menuQoS    = menuSwitch + " qos"
)

// render is one switch on its way into files.
type render struct {
	p      *plan.Plan
	s      *plan.Switch
	d      *device.Device
	v      variant
	q      *plan.QoS
	ports  []port
	tc     map[string]int // the traffic class of each class by its name
	mtu    int            // the largest of the used ports
	l2mtu  int            // what they get; 0: nothing to do
	tagged bool           // VLANs were added to the bridge's table

	apply, verify, undo *device.File
}

// Switch renders a switch with RouterOS.
func Switch(p *plan.Plan, s *plan.Switch) (device.Device, error) {
	d := device.Device{What: what(s), Files: []device.File{
		{Name: "apply.rsc", Comment: "#"}, {Name: "undo.rsc", Comment: "#"}, {Name: "verify.rsc", Comment: "#"}}}
	r := &render{p: p, s: s, d: &d, q: p.QoS(), v: variantFor(plan.RouterOS(s.Decl.Version)),
		apply: &d.Files[0], undo: &d.Files[1], verify: &d.Files[2]}
	var guessed bool
	r.ports, guessed = ports(s)
	lacks := p.SwitchLacks(s)
	if err := device.Refuse("switch "+s.Name, lacks.Refusals()); err != nil {
		return d, err
	}
	d.Gaps(lacks.Gaps())
	r.room()
	r.classes()
	r.head()
	if guessed {
		d.Unverified = append(d.Unverified, "the names of some ports are not in the catalogue and follow MikroTik's pattern; apply.rsc stops before it changes anything if one is not there (print them: /interface ethernet print)")
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
	r.takeBack()
	r.verify.Add(manualScript, "the answer", `:if ($linerateBad > 0) do={ :error "not everything is as planned: see the lines above" }`)
	r.verify.Form(`:put "as planned"`)
	r.steps()
	return d, nil
}

func what(s *plan.Switch) string {
	out := "switch"
	if s.Part != nil {
		out = s.Part.Name
	}
	out += ", RouterOS"
	if s.Decl.Version != "" {
		out += " " + s.Decl.Version
	}
	return out
}

func (r *render) ecn() (has, known bool) {
	if r.s.Part == nil || r.s.Part.Switch == nil {
		return false, false
	}
	return r.s.Part.Switch.ECN.Get()
}

// The frames of an MTU up to factoryMTU pass an untouched switch; roomyL2MTU is what the manual's example and the roce-100g document set
// for jumbo frames. L2MTU counts all behind the MAC header: a VLAN tag of 4 bytes, too.
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
			r.l2mtu = min(r.l2mtu, r.s.Part.Switch.L2MTU.Or(r.l2mtu)) // that the MTU fits is the plan's to know
		}
	}
}

// classes gives each class its traffic class, which is its queue. What belongs to no class stays in the built-in profile "default", whose traffic
// class is 1: on these switches 0 is the lowest of all.
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

// profile is the QoS profile of a class, quoted. The built-in one is called default.
func (r *render) profile(c plan.QoSClass) string {
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

// used are the classes that traffic can be in: those of the file with a mark of their own, and the rest.
func (r *render) used() []plan.QoSClass { return r.q.Classes }

func must(s string) string {
	q, err := Quote(device.Plain(s))
	if err != nil {
		return `""`
	}
	return q
}

func (r *render) head() {
	for _, f := range []*device.File{r.apply, r.verify, r.undo} {
		f.Note(fmt.Sprintf("%s of the fabric %s: %s, for %s", r.s.Name, r.p.Name, strings.TrimSuffix(f.Name, ".rsc"), r.v.releases))
	}
	if r.q == nil {
		return
	}
	guard := fmt.Sprintf(`:if (!([/system resource get version] ~ %s)) do={ :error %s }`, must(r.v.pattern),
		must("nothing was changed: these files are for "+r.v.releases+"; write the version into the fabric file and render again"))
	why := "another release wants other commands: maps are automatic from 7.23 on, lldp-dcbx begins with 7.17"
	if r.v.reason != "" {
		why = r.v.reason
	}
	for _, f := range []*device.File{r.apply, r.verify, r.undo} {
		f.Add(manualScript, why, guard)
	}
	if r.v.update != "" {
		r.d.Manual = append(r.d.Manual, device.Line{Text: r.v.update, Why: r.v.reason, Source: manualQoS})
	}
}
