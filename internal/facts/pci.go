package facts

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// PCIDevice is a device or bridge on PCI Express, with its link to the one above it.
type PCIDevice struct {
	Address string `json:"address"` // "0000:41:00.0"
	Above   string `json:"above"`   // the bridge above it; empty: none, or unknown
	// Speed and Width are the current ones of the link upwards, Max those that the device supports. Those of a bridge are
	// of its own side: a port that leads downwards has the link below it.
	Speed    unit.Opt[float64] `json:"speed"`
	MaxSpeed unit.Opt[float64] `json:"max_speed"` // GT/s a lane
	Width    unit.Opt[int]     `json:"width"`
	MaxWidth unit.Opt[int]     `json:"max_width"` // lanes
	Vendor   string            `json:"vendor"`
	Device   string            `json:"device"` // "15b3", "1017"
	Class    string            `json:"class"`  // "020000"
	NUMA     unit.Opt[int]     `json:"numa"`   // -1: the firmware does not report it
	// CPUs near it, in the kernel's form: "0-15,32-47"; empty: unknown
	LocalCPUs  string `json:"local_cpus"`
	IOMMUGroup string `json:"iommu_group"` // number of its group; empty: none, or unknown
	IOMMU      string `json:"iommu"`       // its translation: "DMA", "DMA-FQ", "identity"; empty: unknown
	IOMMULine  Proof  `json:"iommu_line"`
	Name       string `json:"name"`
	Driver     string `json:"driver"` // from lspci; empty: unknown
	// "Root Port", "Upstream Port", "Downstream Port", "Endpoint"; empty: unknown
	Kind string `json:"kind"`
	Gone bool   `json:"gone"` // it does not answer on the bus
	// Payload is the largest packet that it sends, MaxPayload the largest that it supports, in bytes.
	Payload    unit.Opt[int] `json:"payload"`
	MaxPayload unit.Opt[int] `json:"max_payload"`
	// kinds of corrected errors since they were cleared: "BadTLP", "Rollover"
	Corrected   []string `json:"corrected"`
	Fatal       bool     `json:"fatal"`        // an uncorrected error
	NoDriver    bool     `json:"no_driver"`    // no driver is attached
	PayloadLine string   `json:"payload_line"` // in pciconf's form; empty: read elsewhere
	LinkLine    string   `json:"link_line"`
	ErrorLine   string   `json:"error_line"` // in the form of lspci or pciconf; empty: read elsewhere
	HeadLine    string   `json:"head_line"`  // the line with its name, if it is evidence
	From        string   `json:"from"`       // its source

}

// PCIeLink is a speed and a width of PCI Express.
type PCIeLink struct {
	Speed float64 `json:"speed"` // GT/s a lane; 0: unknown
	Width int     `json:"width"` // lanes
}

// Rate returns the rate of the lanes after line coding (8b/10b up to 5 GT/s, 128b/130b above), in bits per second; 0:
// unknown.
func (l PCIeLink) Rate() unit.BitRate {
	code := 128.0 / 130
	if l.Speed <= 5 {
		code = 0.8
	}
	return unit.BitRate(l.Speed * 1e9 * float64(l.Width) * code)
}

// Below reports whether it is slower or narrower.
func (l PCIeLink) Below(m PCIeLink) bool { return l.Speed < m.Speed || l.Width < m.Width }

// Generation returns 1 to 6; 0: none has that speed.
func (l PCIeLink) Generation() int {
	for g, speed := range []float64{2.5, 5, 8, 16, 32, 64} {
		if math.Abs(l.Speed-speed) < 0.01 {
			return g + 1
		}
	}
	return 0
}

func (l PCIeLink) String() string {
	if l.Speed == 0 {
		return fmt.Sprintf("PCIe x%d", l.Width)
	}
	speed := strconv.FormatFloat(l.Speed, 'f', -1, 64) + " GT/s"
	if g := l.Generation(); g > 0 {
		return fmt.Sprintf("PCIe %d.0 x%d (%s)", g, l.Width, speed)
	}
	return fmt.Sprintf("PCIe x%d (%s)", l.Width, speed)
}

// Now returns the current speed and width of the device's link. The speed is 0 if only the width is known.
func (d *PCIDevice) Now() (l PCIeLink, ok bool) {
	w, ok := d.Width.Get()
	return PCIeLink{d.Speed.Or(0), w}, ok && w > 0
}

// Can returns the largest speed and width of the device's link. The speed is 0 if only the width is known.
func (d *PCIDevice) Can() (l PCIeLink, ok bool) {
	w, ok := d.MaxWidth.Get()
	return PCIeLink{d.MaxSpeed.Or(0), w}, ok && w > 0
}

// Line returns the device's link as one line of evidence.
func (d *PCIDevice) Line() string {
	if d.LinkLine != "" {
		return d.LinkLine
	}
	text := func(l PCIeLink, ok bool) string {
		if !ok {
			return "not known"
		}
		if l.Speed == 0 {
			return fmt.Sprintf("x%d, its speed not known", l.Width)
		}
		return fmt.Sprintf("%s GT/s x%d", strconv.FormatFloat(l.Speed, 'f', -1, 64), l.Width)
	}
	return fmt.Sprintf("%s: link %s, can %s", d.Address, text(d.Now()), text(d.Can()))
}

// PCIeHop is one link between a device and the one above it.
type PCIeHop struct {
	Up   *PCIDevice `json:"up"` // the port above; nil: unknown
	Down *PCIDevice `json:"down"`
}

// Links returns what both ends of the hop support together and the current link; ok is false if one of them is unknown.
// The speeds are 0 if one of them is unknown.
func (h PCIeHop) Links() (can, now PCIeLink, ok bool) {
	if h.Up == nil {
		return can, now, false
	}
	now, ok = h.Down.Now()
	below, ok2 := h.Down.Can()
	above, ok3 := h.Up.Can()
	can = PCIeLink{min(below.Speed, above.Speed), min(below.Width, above.Width)}
	can, now = evened(can, now)
	return can, now, ok && ok2 && ok3
}

// evened removes the speeds if one of them is unknown.
func evened(a, b PCIeLink) (PCIeLink, PCIeLink) {
	if a.Speed == 0 || b.Speed == 0 {
		a.Speed, b.Speed = 0, 0
	}
	return a, b
}

// Alone returns what the lower end supports and its current link, for a hop whose upper end is unknown.
func (h PCIeHop) Alone() (can, now PCIeLink, ok bool) {
	now, ok = h.Down.Now()
	can, ok2 := h.Down.Can()
	can, now = evened(can, now)
	return can, now, ok && ok2 && h.Up == nil
}

// Bridge reports whether it is a bridge: a port of the CPU, the chipset or a switch.
func (d *PCIDevice) Bridge() bool {
	return strings.HasPrefix(d.Class, "06") || strings.HasSuffix(d.Kind, "Port")
}

// Where names the hop by the device below it.
func (h PCIeHop) Where() string {
	if h.Up == nil {
		return "link at " + h.Down.Address
	}
	return "link " + h.Up.Address + " to " + h.Down.Address
}

// Wanted returns the least link of a slot that carries a rate for an adapter of that generation: "8 lanes of PCIe 3.0".
func (h PCIeHop) Wanted(rate unit.BitRate) string {
	can, ok := h.Down.Can()
	if !ok {
		return "more lanes"
	}
	for _, width := range []int{1, 2, 4, 8, 16} {
		l := PCIeLink{can.Speed, width}
		if width <= can.Width && l.Rate() >= rate {
			return fmt.Sprintf("%d lanes of PCIe %d.0", width, l.Generation())
		}
	}
	return fmt.Sprintf("%d lanes of PCIe %d.0, all that the NIC has: %s", can.Width, can.Generation(), can.Rate())
}

// PCIeHops returns the links between a device and the CPU, the device's own first, with those whose upper port is
// unknown. A root port has none.
func (f *Facts) PCIeHops(address string) (out []PCIeHop) {
	for d := f.PCIAt(address); d != nil && len(out) < 16; {
		up := f.PCIAt(d.Above)
		if up == nil && d.Above == "" && len(out) > 0 {
			break // the root port, or a bridge of the CPU
		}
		// The inside of a switch, between its upstream and downstream ports, is not a link.
		if up == nil || !sameSwitch(f, d, up) {
			out = append(out, PCIeHop{up, d})
		}
		d = up
	}
	return out
}

// sameSwitch reports whether the link between two bridges is the inside of a switch: the lower one is a downstream
// port, which reports the link below it as its own, as the device below it does.
func sameSwitch(f *Facts, d, up *PCIDevice) bool {
	if d.Kind != "" && up.Kind != "" {
		return d.Kind == "Downstream Port" && up.Kind == "Upstream Port"
	}
	if !strings.HasPrefix(d.Class, "0604") || !strings.HasPrefix(up.Class, "0604") {
		return false
	}
	// Upstream and downstream ports alternate below the root port: count the bridges above.
	above := 0
	for at := up; at != nil && above < 16; at = f.PCIAt(at.Above) {
		above++
	}
	return above%2 == 0
}

// PCIAt returns the device of an address, or nil.
func (f *Facts) PCIAt(address string) *PCIDevice {
	if address == "" {
		return nil
	}
	return xslices.At(f.PCI, func(p *PCIDevice) bool { return p.Address == address })
}

// PCISlot returns an address without its function: the functions of an adapter share one link.
func PCISlot(address string) string {
	slot, _, _ := strings.Cut(address, ".")
	return slot
}

// Device returns the adapter of a name: an address, an interface, or FreeBSD's instance of a driver (ix0). nil:
// unknown.
func (f *Facts) Device(name string) *PCIDevice {
	if name == "" {
		return nil
	}
	if d := f.PCIAt(name); d != nil {
		return d
	}
	if n := f.NIC(name); n != nil && n.PCI != "" {
		return f.PCIAt(n.PCI)
	}
	return xslices.At(f.PCI, func(p *PCIDevice) bool { return p.Driver == name })
}
