package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/report"
)

// View is the display of a host's facts: the machine, each adapter with its path to the CPU, and the maximum speed of
// each port.
func View(name string, f *facts.Facts, catalog *catalog.Catalog, found *check.Result) report.Machine {
	m := report.Machine{Name: name, Rows: machineRows(f)}
	if !f.When.IsZero() {
		m.When = f.When.Format("2006-01-02 15:04:05 MST")
	}
	adapters := adaptersOf(f)
	var maxSpeed []portMaxSpeed
	together := ""
	for _, c := range adapters {
		drawn, w, shared := machineAdapter(f, c, catalog)
		m.NICs = append(m.NICs, drawn)
		maxSpeed, together = append(maxSpeed, w...), together+shared
	}
	m.More = otherInterfaces(f, adapters)
	m.Sentence = machineSentence(f, adapters, maxSpeed) + together
	if len(f.NICs) == 0 && len(f.PCI) == 0 {
		m.Sentence = "its interfaces and NICs are not known"
	}
	if found != nil && (len(f.NICs) > 0 || len(f.PCI) > 0) {
		m.Checked, m.Findings = true, found.Findings
	}
	m.Unknown = notRead(f)
	return m
}

// machineRows are the lines about the machine itself.
func machineRows(f *facts.Facts) []report.Named {
	var rows []report.Named
	add := func(name, text string) { rows = append(rows, report.Named{Name: name, Text: text}) }
	vendor, knownVendor := f.Machine.Vendor.Get()
	product, knownProduct := f.Machine.Product.Get()
	board, knownBoard := f.Machine.Board.Get()
	switch {
	case knownProduct && knownVendor && !strings.HasPrefix(product, vendor):
		add("machine", vendor+" "+product)
	case knownProduct:
		add("machine", product)
	case knownBoard:
		add("machine", board)
	default:
		if why := sourceUnknown(f, "grep -r . /sys/class/dmi/id"); why != "" {
			add("machine", notKnown("its firmware's table (DMI): "+why))
		}
	}
	cpu := f.CPU.Model.Or(notKnown(f.CPU.Model.Why()))
	if n := len(f.CPU.Cores); n > 0 {
		cpu += "; " + unit.Counted(n, "CPU") + " for the system"
	}
	add("CPU", cpu)
	memory := notKnown(f.Memory.Why())
	if b, ok := f.Memory.Get(); ok {
		memory = fmt.Sprintf("%.1f GiB", float64(b)/(1<<30))
	}
	if n, ok := f.Machine.Nodes.Get(); ok {
		memory += ", " + unit.Counted(n, "NUMA node")
	}
	add("memory", memory)
	if s := f.RDMANetns; s != nil {
		add("RDMA",
			map[string]string{"shared": "each network namespace has all devices", "exclusive": "each device is in one " +
				"network namespace"}[s.Mode]+" (netns "+s.Mode+")")
	}
	if text := drivesText(f); text != "" {
		add("drives", text)
	}
	system := cmp.Or(strings.TrimSpace(f.OS+" "+f.Kernel), "not known")
	add("system", system)
	if f.Lab != 0 {
		add("lab", fmt.Sprintf(
			"a host of a lab at scale %g: its links are shaped, the machine around them is the one that the lab runs on", f.Lab))
	}
	return rows
}

// slotAdapter is an adapter in the display: the functions of one PCI device, or an interface without one.
type slotAdapter struct {
	slot    string // "0000:41:00"; empty: no known PCI Express device
	devices []*facts.PCIDevice
	ports   []*facts.Interface
	hops    []facts.PCIeHop
}

// adaptersOf are the adapters of a machine: network devices of the bus, and interfaces with a driver of their own.
func adaptersOf(f *facts.Facts) []*slotAdapter {
	var out []*slotAdapter
	at := map[string]*slotAdapter{}
	get := func(slot string) *slotAdapter {
		if at[slot] == nil {
			at[slot] = &slotAdapter{slot: slot}
			out = append(out, at[slot])
		}
		return at[slot]
	}
	for i := range f.PCI {
		d := &f.PCI[i]
		if d.Bridge() || !strings.HasPrefix(d.Class, "0200") && !strings.HasPrefix(d.Class, "0207") {
			continue
		}
		c := get(facts.PCISlot(d.Address))
		c.devices = append(c.devices, d)
		if c.hops == nil {
			c.hops = f.PCIeHops(d.Address)
		}
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		if !isPort(n) {
			continue
		}
		c := at[facts.PCISlot(n.PCI)]
		switch {
		case c == nil && n.PCI != "":
			c = get(facts.PCISlot(n.PCI))
			c.hops = f.PCIeHops(n.PCI)
		case c == nil: // an adapter for each
			c = &slotAdapter{}
			out = append(out, c)
		}
		c.ports = append(c.ports, n)
	}
	return out
}

// isPort reports whether an interface is the port of an adapter, not a virtual one.
func isPort(n *facts.Interface) bool {
	if n.PCI != "" {
		return true
	}
	driver := n.Driver.Or("")
	return n.Name != "lo" && n.Kind == "" && driver != "" && !slices.Contains(
		[]string{"tun", "bridge", "bonding", "802.1Q VLAN Support", "dummy", "veth", "openvswitch", "macvlan", "ifb",
			"team"}, driver)
}

// portMaxSpeed is the maximum speed of a port, for the summary sentence.
type portMaxSpeed struct {
	name  string
	rate  unit.BitRate // 0: not known
	up    bool
	known bool   // whether the link state is known
	at    string // the bottleneck in words
}

func machineAdapter(f *facts.Facts, c *slotAdapter,
	catalog *catalog.Catalog) (out report.MachineNIC, maxSpeed []portMaxSpeed, shared string) {
	id := adapterIdentity(c, catalog)
	out = report.MachineNIC{Title: id.title}
	if id.note != "" {
		out.Rows = append(out.Rows, report.Named{Name: "NIC", Text: id.note})
	}
	for _, d := range c.devices {
		if n, ok := d.NUMA.Get(); ok {
			out.Rows = append(out.Rows, report.Named{Name: "NUMA", Text: numaText(n, f.Machine.Nodes)})
			break
		}
	}
	out.NoBus = noBus(f, c)
	narrow := map[string]bool{} // hops that are the bottleneck of a port
	var sum unit.BitRate
	var first *path.Port
	for _, n := range c.ports {
		p := path.OfPort(f, n, seen(c.hops))
		least, all := p.Narrowest()
		drawn, w := machinePort(f, n, id, p, least, all)
		if least != nil && least.Kind == "pcie" && w.up {
			narrow[least.Component] = true
		}
		out.Ports, maxSpeed = append(out.Ports, drawn), append(maxSpeed, w)
		sum += p.Link.Rate.Or(0)
		if first == nil || len(first.Bus) == 0 {
			first = p
		}
	}
	if len(c.ports) == 0 {
		out.Rows = append(out.Rows, report.Named{Name: "ports", Text: "which interfaces are its ports is not in the " +
			"snapshot"})
		first = path.OfPort(f, &facts.Interface{MTU: 1500}, seen(c.hops))
	}
	for i, h := range seen(c.hops) {
		out.Bus = append(out.Bus, machineHop(h, first.Bus[i], narrow))
	}
	if len(c.ports) > 1 && first != nil {
		if least := lowest(first.Bus); least != nil && sum > least.Rate.Or(0) {
			out.Shared = fmt.Sprintf("%d together: %s over the bus, for links of %s", len(c.ports), least.Rate.Or(0), sum)
			shared = fmt.Sprintf("; %s have %s of their bus together", joined(c.ports), least.Rate.Or(0))
		}
	}
	return out, maxSpeed, shared
}

// seen leaves out hops without any known property, such as the bus of a virtual machine's devices.
func seen(hops []facts.PCIeHop) (out []facts.PCIeHop) {
	for _, h := range hops {
		if h.Down.Width.IsKnown() || h.Down.MaxWidth.IsKnown() {
			out = append(out, h)
		}
	}
	return out
}

func lowest(bus []record.Hop) (least *record.Hop) {
	for i := range bus {
		if h := &bus[i]; h.Rate.IsKnown() && (least == nil || h.Rate.Or(0) < least.Rate.Or(0)) {
			least = h
		}
	}
	return least
}

func noBus(f *facts.Facts, c *slotAdapter) string {
	listed := slices.ContainsFunc(f.PCI, func(d facts.PCIDevice) bool { return d.Width.IsKnown() || d.MaxWidth.IsKnown() })
	switch {
	case c.slot == "" && pastedOnly(f):
		return "not known: the snapshot does not say where it is"
	case c.slot == "":
		return "it is on no PCI Express that the machine shows"
	case len(c.hops) == 0:
		return "not known: the snapshot has nothing of " + c.slot
	case !listed && pastedOnly(f):
		return "not known: the snapshot has its NICs without their links (lspci -vvv or pciconf -lvc as root shows them)"
	}
	return "no link of PCI Express is to be seen: a virtual device, or one inside of the CPU or chipset"
}

func numaText(node int, nodes unit.Opt[int]) string {
	n, ok := nodes.Get()
	switch {
	case node < 0 && ok && n == 1:
		return "the machine has one node"
	case node < 0:
		return "not known: the firmware does not say which node it is at"
	case ok && n > 1:
		return fmt.Sprintf("at node %d of %d", node, n)
	case ok:
		return "the machine has one node"
	}
	return fmt.Sprintf("at node %d", node)
}

func machineHop(h facts.PCIeHop, carries record.Hop, narrow map[string]bool) report.MachineHop {
	out := report.MachineHop{Where: strings.TrimPrefix(h.Where(), "link "), Now: "not known",
		Can: "not known", Carries: "not known", Narrowest: narrow[carries.Component]}
	if now, ok := h.Down.Now(); ok {
		out.Now = busText(now)
	}
	can, _, ok := h.Links()
	if h.Up == nil {
		can, _, ok = h.Alone()
		out.Where = strings.TrimPrefix(out.Where, "at ") + " and what is above it, which is not in the snapshot"
	}
	if ok {
		out.Can = busText(can)
	}
	if r, ok := carries.Rate.Get(); ok {
		out.Carries = r.String()
	}
	return out
}

// busText describes a link of the bus without the speed of a lane, which follows from the generation.
func busText(l facts.PCIeLink) string {
	if g := l.Generation(); g > 0 {
		return fmt.Sprintf("PCIe %d.0 x%d", g, l.Width)
	}
	return l.String()
}
