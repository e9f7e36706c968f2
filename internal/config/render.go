package config

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"linerate/internal/config/device"
	"linerate/internal/config/guide"
	"linerate/internal/design/plan"
)

// Set is every device of a plan, rendered: hosts in the order of the file, then switches.
type Set struct {
	Plan    *plan.Plan
	Devices []device.Device
	// Refused says which devices cannot be rendered, and why.
	Refused []string
}

// Render renders every device of a plan, several at a time. It is a pure function: two renderings of one plan are equal, byte for
// byte. A virtual machine is a host like any other.
func Render(p *plan.Plan) *Set {
	type slot struct {
		d   device.Device
		err error
	}
	slots := make([]slot, len(p.Hosts)+len(p.Switches))
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(slots)) {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := int(next.Add(1)) - 1; i < len(slots); i = int(next.Add(1)) - 1 {
				if i < len(p.Hosts) {
					slots[i].d, slots[i].err = renderHost(p, p.Hosts[i])
				} else {
					slots[i].d, slots[i].err = renderSwitch(p, p.Switches[i-len(p.Hosts)])
				}
			}
		}()
	}
	done.Wait()
	s := &Set{Plan: p}
	for _, x := range slots {
		if x.err != nil {
			s.Refused = append(s.Refused, x.err.Error())
			continue
		}
		s.Devices = append(s.Devices, x.d)
	}
	return s
}

func renderHost(p *plan.Plan, h *plan.Host) (device.Device, error) {
	f := familyOfHost(h)
	if f == nil {
		return device.Device{}, leftOut("host "+h.Name, p.HostLacks(h))
	}
	d, err := f.host(p, h)
	return finish(p, d, f, h.Name, err)
}

func renderSwitch(p *plan.Plan, sw *plan.Switch) (device.Device, error) {
	f := familyOfSwitch(p, sw)
	if f == nil {
		return device.Device{}, leftOut("switch "+sw.Name, p.SwitchLacks(sw))
	}
	d, err := f.sw(p, sw)
	return finish(p, d, f, sw.Name, err)
}

// leftOut is the refusal of a device whose system no family renders, as the plan has it.
func leftOut(subject string, lacks plan.Lacks) error {
	if err := device.Refuse(subject, lacks.Refusals()); err != nil {
		return err
	}
	return device.Refuse(subject, []string{"no family renders its system"})
}

// finish gives a device its name and its README, or its error the device's name.
func finish(p *plan.Plan, d device.Device, f *family, name string, err error) (device.Device, error) {
	if err != nil {
		if !strings.Contains(err.Error(), name) {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return d, err
	}
	d.Name, d.Family = name, f.name
	d.Files = append(d.Files, device.File{Name: "README.md"})
	d.Files[len(d.Files)-1].Lines = readme(p, &d)
	slices.SortStableFunc(d.Files, func(a, b device.File) int { return strings.Compare(a.Name, b.Name) })
	return d, nil
}

// Readme is the page of the whole folder: the order of the work and the test of each link.
func (s *Set) Readme() device.File { return guide.Readme(s.Plan, s.Devices, s.Refused) }

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
