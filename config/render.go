package config

import (
	"slices"
	"strings"

	"linerate/config/device"
	"linerate/plan"
)

// Set is every device of a plan, rendered: hosts in the order of the file, then switches.
type Set struct {
	Plan    *plan.Plan
	Devices []device.Device
	// Refused says which devices cannot be rendered, and why.
	Refused []string
}

// Render renders every device of a plan. It is a pure function: two renderings of one plan are equal, byte for byte.
// A virtual machine is a host like any other.
func Render(p *plan.Plan) *Set {
	s := &Set{Plan: p}
	for _, h := range p.Hosts {
		f, err := familyOfHost(h)
		var d device.Device
		if err == nil {
			d, err = f.host(p, h)
		}
		s.add(d, f, h.Name, err)
	}
	for _, sw := range p.Switches {
		f, err := familyOfSwitch(p, sw)
		var d device.Device
		if err == nil {
			d, err = f.sw(p, sw)
		}
		s.add(d, f, sw.Name, err)
	}
	return s
}

func (s *Set) add(d device.Device, f *family, name string, err error) {
	if err != nil {
		text := err.Error()
		if !strings.Contains(text, name) {
			text = name + ": " + text
		}
		s.Refused = append(s.Refused, text)
		return
	}
	d.Name, d.Family = name, f.name
	d.Files = append(d.Files, device.File{Name: "README.md"})
	d.Files[len(d.Files)-1].Lines = readme(s.Plan, &d)
	slices.SortStableFunc(d.Files, func(a, b device.File) int { return strings.Compare(a.Name, b.Name) })
	s.Devices = append(s.Devices, d)
}

// Device returns the device of that name, or nil.
func (s *Set) Device(name string) *device.Device {
	for i := range s.Devices {
		if s.Devices[i].Name == name {
			return &s.Devices[i]
		}
	}
	return nil
}

// Names are the names of the devices, in their order.
func (s *Set) Names() []string {
	var out []string
	for i := range s.Devices {
		out = append(out, s.Devices[i].Name)
	}
	return out
}
