package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// WrittenPart is a part that a fabric file describes instead of naming it: {kind: nic, speed: 40G, ports: 2, cage:
// qsfp+, bus: pcie3x8}. Zero values are missing keys.
type WrittenPart struct {
	Kind     string
	Name     string
	Speed    unit.BitRate // of each port, or of the cable
	Ports    int          // of a NIC or switch; default 1 for a NIC
	Cage     string
	Bus      string // of a NIC or drive: pcie3x8, sas3x4, nvdimm
	RDMA     []string
	Media    string // of a cable: dac, aoc, fiber, pair
	Ends     []string
	Length   float64    // of a cable, in metres; 0: missing
	Capacity unit.Bytes // of a drive
}

// notWrittenOut is the reason why a property of a described part is unknown, if it has no key.
const notWrittenOut = "not said of a part written out"

// FieldError is one error in a part that was written out. Field is the key in the fabric file: kind, speed, ports,
// cage, bus, rdma, media, ends, length.
type FieldError struct {
	Field   string
	Problem string
	Value   string // the wrong one of the key's values; empty: the only one, or all of them
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// Limits of parts that a fabric file describes.
const (
	maxPorts  = 1024
	maxLanes  = 8     // of one port: QSFP-DD
	maxLength = 80000 // metres; the longest distance of transceivers without amplifiers
)

// Written makes a Part of a description. Equal descriptions get equal ids. The error joins (errors.Join) one
// *FieldError per error.
func Written(w WrittenPart) (*Part, error) {
	p := &Part{Kind: Kind(strings.ToLower(w.Kind)), Name: w.Name, Confidence: Declared}
	p.SRIOV, p.VFs = unit.Unknown[bool](notWrittenOut), unit.Unknown[int](notWrittenOut)
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, &FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
	}
	if w.Speed > 0 {
		p.Speeds = []unit.BitRate{w.Speed}
	}
	p.RDMA = w.RDMA
	for _, r := range w.RDMA {
		if !slices.Contains(transports, r) {
			bad("rdma", "%q is not an RDMA transport; write ib, rocev1, rocev2 or iwarp", r)
		}
	}
	switch p.Kind {
	case NIC:
		writtenPorts(p, w, max(w.Ports, 1), bad)
		if w.Bus != "" {
			bus, err := ParseBus(w.Bus)
			if err != nil {
				bad("bus", "%v", err)
			} else if bus.Type != "pcie" {
				bad("bus", "a NIC sits on PCI Express, not on %s; write pcie3x8", bus)
			}
			p.PCIe = bus.PCIe()
		}
	case Switch:
		if w.Ports == 0 {
			bad("ports", "a switch needs its number of ports")
		}
		writtenPorts(p, w, w.Ports, bad)
		p.Switch = &SwitchInfo{PFC: unit.Unknown[bool]("not said of a switch written out"),
			ECN:    unit.Unknown[bool]("not said of a switch written out"),
			Buffer: unit.Unknown[unit.Bytes]("not said of a switch written out"),
			L2MTU:  unit.Unknown[int]("not said of a switch written out")}
	case Cable, Transceiver:
		writtenCable(p, w, bad)
	case Drive:
		p.Drive = &DriveInfo{Capacity: unit.Unknown[unit.Bytes]("not written"),
			Read: unit.Unknown[unit.BitRate]("not written"), Write: unit.Unknown[unit.BitRate]("not written")}
		if w.Capacity > 0 {
			p.Drive.Capacity = unit.Known(w.Capacity)
		}
		bus, err := ParseBus(w.Bus)
		if err != nil {
			bad("bus", "%v", err)
		}
		p.Drive.Bus = bus
	case "":
		bad("kind", "a part that is written out needs its kind: nic, cable, transceiver, switch or drive")
	default:
		bad("kind", "%q is not a kind of part; write nic, cable, transceiver, switch or drive", w.Kind)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	words := describe(p)
	p.Name = cmp.Or(p.Name, words)
	p.ID = strings.NewReplacer(", ", "-", " ", "-").Replace(strings.ToLower(p.Name))
	return p, nil
}

func writtenPorts(p *Part, w WrittenPart, n int, bad func(field, format string, args ...any)) {
	var cage Cage
	if w.Cage != "" {
		c, err := ParseCage(w.Cage)
		if err != nil {
			bad("cage", "%v", err)
		}
		cage = c
	}
	if w.Ports < 0 || n > maxPorts {
		bad("ports", "%d is not a number of ports from 1 to %d", n, maxPorts)
		return
	}
	for i := 1; i <= n; i++ {
		p.Ports = append(p.Ports, Port{Index: i, Cage: cage, Speeds: p.Speeds})
	}
}

func writtenCable(p *Part, w WrittenPart, bad func(field, format string, args ...any)) {
	info := &CableInfo{Media: Media(strings.ToLower(w.Media)), Length: unit.Unknown[float64]("no length was written"),
		Distance: unit.Unknown[float64]("not said of a cable written out")}
	p.Cable = info
	switch info.Media {
	case DAC, AOC, Fiber, Pair, "":
	default:
		bad("media", "%q is not a medium; write dac, aoc, fiber or pair", w.Media)
	}
	switch {
	case w.Length < 0 || w.Length > maxLength:
		bad("length", "%g m is not a length from 0 to %d m", w.Length, maxLength)
	case w.Length > 0:
		info.Length = unit.Known(w.Length)
	}
	if p.Kind == Cable && len(w.Ends) == 1 || p.Kind == Transceiver && len(w.Ends) > 1 || len(w.Ends) > 9 {
		bad("ends", "a cable has two ends, a breakout up to nine, a transceiver one; not %d", len(w.Ends))
	}
	var slowest unit.BitRate
	for _, e := range w.Ends {
		c, err := ParseCage(e)
		if err != nil {
			bad("ends", "%v", err)
			continue
		}
		info.Ends = append(info.Ends, c)
		if r := c.Rate(); slowest == 0 || r < slowest {
			slowest = r
		}
	}
	// A cable with two ends has the rate of the slower plug. The rate stays unknown for a breakout, for CX4 (10 or 20) and
	// for RJ45, where it depends on the category of the cable.
	if p.Speeds == nil && len(info.Ends) == 2 && slowest > 0 && info.Ends[0] != "cx4" && info.Ends[0] != "rj45" {
		p.Speeds = []unit.BitRate{slowest}
	}
}

// describe returns the name of a described part in lists and on labels.
func describe(p *Part) string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	speed := ""
	if len(p.Speeds) > 0 {
		speed = " " + short(p.Fastest())
	}
	switch p.Kind {
	case NIC, Switch:
		switch n := len(p.Ports); {
		case speed != "":
			add("%s %d x%s", p.Kind, n, speed)
		case n == 1:
			add("%s with 1 port", p.Kind)
		default:
			add("%s with %d ports", p.Kind, n)
		}
		if c := p.Ports[0].Cage; c != "" {
			add("%s", c)
		}
		if p.PCIe != nil {
			add("pcie%dx%d", p.PCIe.Gen, p.PCIe.Lanes)
		}
		if len(p.RDMA) > 0 {
			add("%s", strings.Join(p.RDMA, "+"))
		}
	case Cable, Transceiver:
		name := string(p.Kind)
		if p.Cable.Media != "" && p.Kind == Cable {
			name = string(p.Cable.Media)
		}
		add("%s%s", name, speed)
		switch ends := p.Cable.Ends; {
		case len(ends) == 1 || len(ends) == 2 && ends[0] == ends[1]:
			add("%s", ends[0])
		case len(ends) == 2:
			add("%s to %s", ends[0], ends[1])
		case len(ends) > 2:
			add("%s to %d x %s", ends[0], len(ends)-1, ends[1])
		}
		if m, ok := p.Cable.Length.Get(); ok {
			add("%g m", m)
		}
	case Drive:
		bus := p.Drive.Bus.String()
		if bus == "pcie" {
			bus = "nvme"
		}
		add("%s drive", bus)
		if c, ok := p.Drive.Capacity.Get(); ok {
			add("%s", c)
		}
	}
	return strings.Join(words, ", ")
}
