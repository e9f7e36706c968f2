package parse

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// adapter returns the interface of an object; nil: its name is missing or truncated, which is then reported.
func adapter(f *parse.Builder, o *psObject) *facts.Interface {
	p := o.prop("Name", "InterfaceAlias", "ifAlias", "IfAlias")
	switch {
	case p == nil || p.value == "" && !p.cut:
		return nil
	case p.cut:
		reason := "the name " + strconv.Quote(shortened(p.value)) + " is cut off; print it with | Format-List"
		for _, u := range f.Unknown {
			if u.Subject == f.Reading && u.Reason == reason {
				return nil
			}
		}
		f.Unknown = append(f.Unknown, facts.Unknown{Subject: f.Reading, Reason: reason})
		return nil
	}
	return f.Interface(p.value)
}

// takeAdapter reads Get-NetAdapter. Status is Up, Disconnected, Disabled, Not Present; LinkSpeed is "10 Gbps",
// ReceiveLinkSpeed in bits per second.
func takeAdapter(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	w := adapterOf(n)
	if d := o.text("InterfaceDescription", "ifDesc"); d != "" {
		w.Description = d
		switch {
		case strings.Contains(d, "Hyper-V Virtual Ethernet"), strings.Contains(d, "Multiplexor"):
			n.Kind = "virtual adapter"
		}
	}
	if i, ok := o.number("ifIndex", "InterfaceIndex").Get(); ok {
		n.Index = int(i)
	}
	if mac, err := net.ParseMAC(o.text("MacAddress")); err == nil {
		n.MAC = mac.String()
	}
	switch status := strings.ToLower(o.text("Status")); status {
	case "":
	case "up", "disconnected":
		n.Up, n.UpKnown, n.Carrier = true, true, unit.Known(status == "up")
	default:
		n.UpKnown = true
		n.Carrier = unit.Unknown[bool]("the adapter is " + status)
	}
	if o.prop("Status") != nil {
		n.Proves("carrier", f.Proof(o.line("Status")))
	}
	if o.prop("LinkSpeed", "Speed", "ReceiveLinkSpeed") != nil {
		speed := o.speed("ReceiveLinkSpeed", "LinkSpeed", "Speed")
		if !speed.IsKnown() {
			speed = o.speed("LinkSpeed", "Speed")
		}
		if n.Kind == "virtual adapter" {
			speed = parse.UnknownSpeed(n.Kind)
		} else if up, ok := n.Carrier.Get(); ok && !up {
			speed = unit.Unknown[unit.BitRate]("the link is down")
		}
		n.Speed = speed
		n.Proves("speed", f.Proof(o.line("LinkSpeed", "Speed", "ReceiveLinkSpeed")))
	}
	if full, ok := o.flag("FullDuplex").Get(); ok && n.Carrier.Or(false) {
		n.Duplex = unit.Known(map[bool]string{true: "full", false: "half"}[full])
		n.Proves("duplex", f.Proof(o.line("FullDuplex")))
	}
	if d := o.text("DriverFileName", "DriverName"); d != "" {
		n.Driver = unit.Known(d[strings.LastIndexAny(d, `\/`)+1:])
	}
	if v := o.text("DriverVersion", "DriverVersionString"); v != "" {
		w.DriverVersion = unit.Known(v)
	}
	if id := o.text("PnPDeviceID"); id != "" {
		plugAndPlayOf(f).adapters[n.Name] = strings.ToUpper(id)
	}
	if mtu, ok := o.number("MtuSize", "ActiveMaximumTransmissionUnit").Get(); ok && n.MTU == 0 && mtu > 0 && mtu < 1<<20 {
		n.MTU = int(mtu)
		n.Proves("mtu", f.Proof(o.line("MtuSize", "ActiveMaximumTransmissionUnit")))
	}
}

// takeHardwareInfo reads Get-NetAdapterHardwareInfo. Numbers of bus, device and function are decimal. PcieLinkSpeed is
// "8.0 GT/s" or "Unknown"; encoded speeds are generations, as in the bus' registers.
func takeHardwareInfo(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	var at [4]int64
	for i, names := range [][]string{{"Segment", "SegmentNumber"}, {"Bus", "BusNumber"}, {"Device", "DeviceNumber"},
		{"Function", "FunctionNumber"}} {
		v, ok := o.number(names...).Get()
		if !ok && i > 0 || v > 0xffff {
			return
		}
		at[i] = v
	}
	link := facts.PCIDevice{Width: width(o, "PcieLinkWidth", "PciExpressCurrentLinkWidth"),
		MaxWidth: width(o, "PciExpressMaxLinkWidth", "PcieMaxLinkWidth"),
		Speed:    busSpeed(o, "PcieLinkSpeed", "PciExpressCurrentLinkSpeedEncoded"),
		MaxSpeed: busSpeed(o, "PcieMaxLinkSpeed", "PciExpressMaxLinkSpeedEncoded")}
	if !link.Width.IsKnown() { // a virtual adapter has another kind of address, and no lanes
		return
	}
	n.PCI = fmt.Sprintf("%04x:%02x:%02x.%x", at[0], at[1], at[2], at[3])
	d := f.PCIDevice(n.PCI)
	d.Speed, d.MaxSpeed, d.Width, d.MaxWidth = link.Speed, link.MaxSpeed, link.Width, link.MaxWidth
	d.Class, d.From, d.LinkLine = "020000", f.Reading, o.row
	if node, ok := o.number("NumaNode").Get(); ok && node < 1<<10 {
		d.NUMA = unit.Known(int(node))
	}
	for _, p := range []struct {
		to   *unit.Opt[int]
		name string
	}{{&d.Payload, "PciExpressCurrentPayloadSize"}, {&d.MaxPayload, "PciExpressMaxPayloadSize"}} {
		if v, ok := o.number(p.name).Get(); ok && v >= 128 && v <= 4096 {
			*p.to = unit.Known(int(v))
		}
	}
}

func width(o *psObject, names ...string) unit.Opt[int] {
	if n, ok := o.number(names...).Get(); ok && n > 0 && n <= 32 {
		return unit.Known(int(n))
	}
	return unit.Unknown[int]("the driver does not name it")
}

// busSpeed returns GT/s: of "8.0 GT/s", or the number of a generation.
func busSpeed(o *psObject, text, encoded string) unit.Opt[float64] {
	if v, ok := strings.CutSuffix(o.text(text), " GT/s"); ok {
		if n, err := strconv.ParseFloat(strings.Replace(v, ",", ".", 1), 64); err == nil && n > 0 {
			return unit.Known(n)
		}
	}
	generations := []float64{2.5, 5, 8, 16, 32, 64}
	if n, ok := o.number(encoded).Get(); ok && n >= 1 && n <= int64(len(generations)) {
		return unit.Known(generations[n-1])
	}
	return unit.Unknown[float64]("the driver does not name it")
}

// takeBusDevice reads an adapter or a bridge above one from the script of collect (Get-PnpDeviceProperty): its
// location, its parent and its link. The link of a bridge that leads downwards is the one below it. No snapshot exists.
func takeBusDevice(f *parse.Builder, o *psObject) {
	bus, ok := o.number("BusNumber").Get()
	at, ok2 := o.number("Address").Get()
	id := strings.ToUpper(o.text("InstanceId"))
	if !ok || !ok2 || id == "" || bus > 0xffffff {
		return
	}
	// The segment is above the eight bits of the bus; the address is the device in the upper half, the function in the
	// lower.
	address := fmt.Sprintf("%04x:%02x:%02x.%x", bus>>8&0xffff, bus&0xff, at>>16&0x1f, at&7)
	d := f.PCIDevice(address)
	plug := plugAndPlayOf(f)
	plug.instances[address], plug.parents[address] = id, strings.ToUpper(o.text("Parent"))
	for _, p := range []struct {
		to   *unit.Opt[int]
		name string
	}{{&d.Width, "CurrentLinkWidth"}, {&d.MaxWidth, "MaxLinkWidth"}} {
		if !p.to.IsKnown() {
			*p.to = width(o, p.name)
		}
	}
	for _, p := range []struct {
		to   *unit.Opt[float64]
		name string
	}{{&d.Speed, "CurrentLinkSpeed"}, {&d.MaxSpeed, "MaxLinkSpeed"}} {
		if !p.to.IsKnown() {
			*p.to = busSpeed(o, p.name+"Text", p.name)
		}
	}
	if base, ok := o.number("BaseClass").Get(); ok && base < 256 {
		d.Class = fmt.Sprintf("%02x%02x00", base, o.number("SubClass").Or(0)&0xff)
	}
	d.Name = o.text("FriendlyName")
	if d.From == "" {
		d.From = f.Reading
	}
}

// Settle links devices to the bridges above them, and copies the machine's policy to adapters.
func Settle(f *parse.Builder) {
	plug := plugAndPlayOf(f)
	for i := range f.PCI {
		d := &f.PCI[i]
		for j := range f.PCI {
			parent := plug.parents[d.Address]
			if up := &f.PCI[j]; parent != "" && plug.instances[up.Address] == parent && up != d {
				d.Above = up.Address
			}
		}
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		if n.Windows == nil {
			continue
		}
		for j := range f.PCI {
			if id := plug.instances[f.PCI[j].Address]; id != "" && id == plug.adapters[n.Name] {
				d := &f.PCI[j]
				n.PCI = d.Address
			}
		}
		if d := f.PCIAt(n.PCI); d != nil && d.Name == "" {
			d.Name = n.Windows.Description
		}
		settleKeywords(f, n)
	}
	settlePolicy(f)
	settleFunctions(f)
}
