// Package render renders a plan: for every device a folder with files that configure, verify and undo it. Each family
// of devices has its renderer in a separate folder.
package render

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/guide"
)

// Set is every device of a plan, rendered: hosts in the order of the file, then switches.
type Set struct {
	Plan    *plan.Plan
	Devices []config.Device
	// Groups are the hosts that share a README, in the order of the file.
	Groups []config.Group
	// Refused are the devices that cannot be rendered, with the reasons.
	Refused []string
}

// Render renders every device of a plan, several at a time. It is a pure function: two renderings of one plan are
// equal, byte for byte. A virtual machine is a host.
func Render(p *plan.Plan) *Set {
	type slot struct {
		d   config.Device
		err error
	}
	slots := make([]slot, len(p.Hosts)+len(p.Switches))
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(slots)) {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(slots); i = int(next.Add(1)) - 1 {
				if i < len(p.Hosts) {
					slots[i].d, slots[i].err = renderHost(p, p.Hosts[i])
				} else {
					slots[i].d, slots[i].err = renderSwitch(p, p.Switches[i-len(p.Hosts)])
				}
			}
		})
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
	s.group()
	return s
}

func renderHost(p *plan.Plan, h *plan.Host) (config.Device, error) {
	r := ofHost(h)
	if r == nil {
		return config.Device{}, leftOut("host "+h.Name, p.HostGaps(h))
	}
	d, err := r.Host(p, h)
	kind := "host, "
	if h.Decl.On != "" {
		kind = "virtual machine on " + h.Decl.On + ", "
	}
	d.What = kind + d.What
	return finish(p, d, r, h.Name, err)
}

func renderSwitch(p *plan.Plan, sw *plan.Switch) (config.Device, error) {
	r := ofSwitch(p, sw)
	if r == nil {
		return config.Device{}, leftOut("switch "+sw.Name, p.SwitchGaps(sw))
	}
	d, err := r.Switch(p, sw)
	return finish(p, d, r, sw.Name, err)
}

// leftOut returns the refusal of a device whose system has no renderer, in the plan's words.
func leftOut(subject string, gaps device.Gaps) error {
	if err := config.Refuse(subject, gaps.Refusals()); err != nil {
		return err
	}
	return config.Refuse(subject, []string{"no family renders its system"})
}

// finish adds the name and README to a device, or the device's name to its error.
func finish(p *plan.Plan, d config.Device, r *config.Renderer, name string, err error) (config.Device, error) {
	if err != nil {
		if !strings.Contains(err.Error(), name) {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return d, err
	}
	d.Name, d.Family = name, r.Family
	d.Files = append(d.Files, config.File{Name: readmeName})
	d.Files[len(d.Files)-1].Lines = readme(sheetOf(p, &d))
	slices.SortStableFunc(d.Files, func(a, b config.File) int { return strings.Compare(a.Name, b.Name) })
	return d, nil
}

// Readme returns the page of the whole folder: the order of the work and the test of each link.
func (s *Set) Readme() config.File { return guide.Readme(s.Plan, s.Devices, s.Groups, s.Refused) }

// Pages returns the pages that belong to no single device: that of the whole folder, and those of equal hosts. Their
// names have slashes.
func (s *Set) Pages() []config.File {
	out := []config.File{s.Readme()}
	for _, g := range s.Groups {
		out = append(out, g.Readme)
	}
	return out
}

// Device returns the device of that name, or nil.
func (s *Set) Device(name string) *config.Device {
	i := slices.IndexFunc(s.Devices, func(d config.Device) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Devices[i]
}

// Names returns the names of the devices, in their order.
func (s *Set) Names() []string {
	var out []string
	for i := range s.Devices {
		out = append(out, s.Devices[i].Name)
	}
	return out
}
