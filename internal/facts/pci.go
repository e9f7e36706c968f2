package facts

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// PCIDevice is a device or a bridge on PCI Express, with its link to the one above it.
type PCIDevice struct {
	Address string // "0000:41:00.0"
	Above   string // the bridge that it hangs on; empty: none, or not known
	// Speed and Width are what the link upwards runs at, Max what the device can. Those of a bridge are of its own side:
	// a port that leads downwards has the link below it.
	Speed, MaxSpeed unit.Opt[float64] // GT/s a lane
	Width, MaxWidth unit.Opt[int]     // lanes
	Vendor, Device  string            // "15b3", "1017"
	Class           string            // "020000"
	NUMA            unit.Opt[int]     // -1: the firmware does not say
	LocalCPUs       string            // processors near it, as the kernel lists them: "0-15,32-47"; empty: not known
	IOMMUGroup      string            // number of its group; empty: none, or not known
	IOMMU           string            // how it is translated: "DMA", "DMA-FQ", "identity"; empty: not known
	IOMMULine       Proof
	Name, Driver    string // from lspci; empty: not known
	Kind            string // "Root Port", "Upstream Port", "Downstream Port", "Endpoint"; empty: not known
	Gone            bool   // it does not answer on the bus
	// Payload is the largest packet that it sends, MaxPayload the largest that it could, in bytes.
	Payload, MaxPayload unit.Opt[int]
	Corrected           []string // kinds of errors that were corrected since they were cleared: "BadTLP", "Rollover"
	Fatal               bool     // an error that was not corrected
	NoDriver            bool     // the system has none for it
	PayloadLine         string   // as pciconf prints it; empty: read elsewhere
	LinkLine, ErrorLine string   // as lspci or pciconf print them; empty: read elsewhere
	HeadLine            string   // that names it, where it is evidence
	From                string   // the source that it was read from

	instance, parent string // of Windows' Plug and Play
}

// PCIeLink is a speed and a width of PCI Express.
type PCIeLink struct {
	Speed float64 // GT/s a lane; 0: not known
	Width int     // lanes
}

// Rate is what the lanes carry behind their line code (8b/10b up to 5 GT/s, 128b/130b above), in bits per second; 0: not known.
func (l PCIeLink) Rate() unit.BitRate {
	code := 128.0 / 130
	if l.Speed <= 5 {
		code = 0.8
	}
	return unit.BitRate(l.Speed * 1e9 * float64(l.Width) * code)
}

// Below says whether it is slower or narrower.
func (l PCIeLink) Below(m PCIeLink) bool { return l.Speed < m.Speed || l.Width < m.Width }

// Generation is 1 to 6; 0: none with that speed.
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

// Now is what the device's link runs at. Its speed is 0 where only the width is known.
func (d *PCIDevice) Now() (l PCIeLink, ok bool) {
	w, ok := d.Width.Get()
	return PCIeLink{d.Speed.Or(0), w}, ok && w > 0
}

// Can is what the device's link could run at. Its speed is 0 where only the width is known.
func (d *PCIDevice) Can() (l PCIeLink, ok bool) {
	w, ok := d.MaxWidth.Get()
	return PCIeLink{d.MaxSpeed.Or(0), w}, ok && w > 0
}

// Line is the device's link as one line of evidence.
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

// PCIeHop is one link between a device and what is above it.
type PCIeHop struct {
	Up   *PCIDevice // the port above; nil: not known
	Down *PCIDevice
}

// Links is what both ends of the hop can do together and what it runs at; ok is false where one of them is not known. The
// speeds are 0 where one of them is not known.
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

// evened leaves out the speeds where one of them is not known.
func evened(a, b PCIeLink) (PCIeLink, PCIeLink) {
	if a.Speed == 0 || b.Speed == 0 {
		a.Speed, b.Speed = 0, 0
	}
	return a, b
}

// Alone is what the lower end can and runs at, for a hop whose upper end is not known.
func (h PCIeHop) Alone() (can, now PCIeLink, ok bool) {
	now, ok = h.Down.Now()
	can, ok2 := h.Down.Can()
	can, now = evened(can, now)
	return can, now, ok && ok2 && h.Up == nil
}

// Bridge says whether it is a bridge: a port of the processor, the chipset or a switch.
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

// Wanted is the least link of a slot for a card of that generation that carries a rate: "8 lanes of PCIe 3.0".
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
	return fmt.Sprintf("%d lanes of PCIe %d.0, all that the card has: %s", can.Width, can.Generation(), can.Rate())
}

// PCIeHops are the links between a device and the processor, the device's own first. Those to which the port above is not
// known are among them; a root port itself has none.
func (f *Facts) PCIeHops(address string) (out []PCIeHop) {
	for d := f.pci(address); d != nil && len(out) < 16; {
		up := f.pci(d.Above)
		if up == nil && d.Above == "" && len(out) > 0 {
			break // the root port, or a bridge of the processor itself
		}
		// A switch's inside, between its upstream and its downstream ports, is no link.
		if up == nil || !sameSwitch(f, d, up) {
			out = append(out, PCIeHop{up, d})
		}
		d = up
	}
	return out
}

// sameSwitch says whether the link between two bridges is the inside of a switch: the lower one is a downstream port,
// which names the link below it as its own, and so does what hangs on it.
func sameSwitch(f *Facts, d, up *PCIDevice) bool {
	if d.Kind != "" && up.Kind != "" {
		return d.Kind == "Downstream Port" && up.Kind == "Upstream Port"
	}
	if !strings.HasPrefix(d.Class, "0604") || !strings.HasPrefix(up.Class, "0604") {
		return false
	}
	// Upstream and downstream ports alternate below the root port: count the bridges above.
	above := 0
	for at := up; at != nil && above < 16; at = f.pci(at.Above) {
		above++
	}
	return above%2 == 0
}

// PCIAt is the device of that address, or nil.
func (f *Facts) PCIAt(address string) *PCIDevice { return f.pci(address) }

func (f *Facts) pci(address string) *PCIDevice {
	if address == "" {
		return nil
	}
	for i := range f.PCI {
		if f.PCI[i].Address == address {
			return &f.PCI[i]
		}
	}
	return nil
}

// pciDevice returns the device of that address, and makes it if there is none yet.
func (f *Facts) pciDevice(address string) *PCIDevice {
	if d := f.pci(address); d != nil {
		return d
	}
	f.PCI = append(f.PCI, PCIDevice{Address: address})
	return &f.PCI[len(f.PCI)-1]
}

// PCISlot is an address without its function: the functions of a card share one link.
func PCISlot(address string) string {
	slot, _, _ := strings.Cut(address, ".")
	return slot
}

// Device is the card that a name means: an address, an interface, or a driver's instance as FreeBSD names it (ix0). nil: it
// is not known.
func (f *Facts) Device(name string) *PCIDevice {
	if name == "" {
		return nil
	}
	if d := f.pci(name); d != nil {
		return d
	}
	if n := f.NIC(name); n != nil && n.PCI != "" {
		return f.pci(n.PCI)
	}
	for i := range f.PCI {
		if f.PCI[i].Driver == name {
			return &f.PCI[i]
		}
	}
	return nil
}
