package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"linerate/internal/base/unit"
)

// entry is a part in the catalogue's files; docs/parts.md describes the keys. A missing key is unknown.
type entry struct {
	ID         string      `yaml:"id"`
	Name       string      `yaml:"name"`
	Vendor     string      `yaml:"vendor"`
	Family     string      `yaml:"family"`
	Kind       Kind        `yaml:"kind"`
	Aliases    []string    `yaml:"aliases"`
	Speeds     []string    `yaml:"speeds"`
	InfiniBand []IBRate    `yaml:"infiniband"`
	Ports      []portGroup `yaml:"ports"`
	PCIe       *struct {
		Gen   int `yaml:"gen"`
		Lanes int `yaml:"lanes"`
	} `yaml:"pcie"`
	RDMA         []string               `yaml:"rdma"`
	SRIOV        *bool                  `yaml:"sriov"`
	VFs          int                    `yaml:"vfs"`
	ISCSIOffload *bool                  `yaml:"iscsi_offload"`
	Drivers      map[string]driverEntry `yaml:"drivers"`
	PCIIDs       []string               `yaml:"pci_ids"`

	OS     string `yaml:"os"`
	Chip   string `yaml:"chip"`
	PFC    *bool  `yaml:"pfc"`
	ECN    *bool  `yaml:"ecn"`
	Buffer string `yaml:"buffer"`
	L2MTU  int    `yaml:"l2mtu"`
	QoS    *struct {
		Maps       int `yaml:"maps"`
		Profiles   int `yaml:"profiles"`
		TxManagers int `yaml:"tx_managers"`
	} `yaml:"qos"`

	Media    Media  `yaml:"media"`
	Ends     []Cage `yaml:"ends"`
	Length   string `yaml:"length"`
	Distance string `yaml:"distance"`
	Fiber    string `yaml:"fiber"`

	Bus      string `yaml:"bus"`
	Medium   string `yaml:"medium"`
	Capacity string `yaml:"capacity"`
	Read     string `yaml:"read"`
	Write    string `yaml:"write"`

	Watts *struct {
		Low       float64 `yaml:"low"`
		High      float64 `yaml:"high"`
		Condition string  `yaml:"condition"`
	} `yaml:"watts"`
	Price *struct {
		Amount string `yaml:"amount"`
		Note   string `yaml:"note"`
	} `yaml:"price"`

	Notes      []string              `yaml:"notes"`
	Traps      []string              `yaml:"traps"`
	Sources    map[string][]SourceID `yaml:"sources"`
	Confidence Confidence            `yaml:"confidence"`
}

// portGroup is a run of equal ports. Names is the switch's name of a port of the group, with N in place of its number:
// "qsfp28-N-1".
type portGroup struct {
	Count  int      `yaml:"count"`
	Cage   Cage     `yaml:"cage"`
	Speeds []string `yaml:"speeds"`
	Names  string   `yaml:"names"`
	Lanes  int      `yaml:"lanes"`
}

// part turns the entry into a Part; the error joins one *FieldError per error.
func (e *entry) part() (*Part, error) {
	r := reader{}
	p := &Part{ID: e.ID, Name: e.Name, Vendor: e.Vendor, Family: e.Family, Kind: e.Kind, Aliases: e.Aliases,
		Speeds: r.at("speeds").rates(e.Speeds), InfiniBand: e.InfiniBand, RDMA: e.RDMA, SRIOV: known(e.SRIOV),
		VFs: r.at("vfs").count(e.VFs), ISCSIOffload: known(e.ISCSIOffload), PCIIDs: e.PCIIDs, Notes: e.Notes, Traps: e.Traps,
		Sources: e.Sources, Confidence: e.Confidence}
	if e.ID == "" || e.Name == "" {
		r.at("id").fail("a part needs an id and a name")
	}
	if !slices.Contains(kinds, e.Kind) {
		r.at("kind").fail("%q is not a kind of part; write nic, switch, cable, transceiver, adapter or drive", e.Kind)
	}
	if !slices.Contains([]Confidence{High, Medium, Low}, e.Confidence) {
		r.at("confidence").fail("%q is not a confidence; write high, medium or low", e.Confidence)
	}
	for _, ib := range e.InfiniBand {
		if !ib.Known() {
			r.at("infiniband").wrong(string(ib), "%q is not an InfiniBand rate; write sdr, ddr, qdr, fdr, edr or hdr", ib)
		}
	}
	for _, g := range e.Ports {
		p.Ports = append(p.Ports, r.at("ports").group(g, len(p.Ports), p.Speeds)...)
	}
	if p.Kind == Switch {
		for _, port := range p.Ports {
			p.Speeds = append(p.Speeds, port.Speeds...)
		}
		slices.Sort(p.Speeds)
		p.Speeds = slices.Compact(p.Speeds)
	}
	if e.PCIe != nil {
		p.PCIe = &PCIe{Gen: e.PCIe.Gen, Lanes: e.PCIe.Lanes}
		_, err := ParseBus(fmt.Sprintf("pcie%dx%d", e.PCIe.Gen, e.PCIe.Lanes))
		r.at("pcie").check(err)
	}
	r.at("rdma").transports(e.RDMA)
	for _, id := range e.PCIIDs {
		if !pciID.MatchString(id) {
			r.at("pci_ids").wrong(id, "%q is not a PCI id; write vendor and device in lower case: 15b3:1007", id)
		}
	}
	for os, d := range e.Drivers {
		if p.Drivers == nil {
			p.Drivers = map[string]Driver{}
		}
		p.Drivers[os] = d.driver(r.at("drivers"), os)
	}
	e.details(p, &r)
	if e.Watts != nil {
		if e.Watts.Low < 0 || e.Watts.High <= 0 || e.Watts.Low > e.Watts.High {
			r.at("watts").fail("low %g and high %g; both are positive and high is not below low", e.Watts.Low, e.Watts.High)
		}
		p.Watts = &Watts{Low: e.Watts.Low, High: e.Watts.High, Condition: e.Watts.Condition}
	}
	if e.Price != nil {
		m, err := unit.ParseMoney(e.Price.Amount)
		r.at("price").check(err)
		p.Price = &Price{Money: m, Note: e.Price.Note}
	}
	return p, errors.Join(r.errs...)
}

// details sets the properties that depend on the kind.
func (e *entry) details(p *Part, r *reader) {
	switch e.Kind {
	case Switch:
		p.Switch = &SwitchInfo{OS: e.OS, Chip: e.Chip, PFC: known(e.PFC), ECN: known(e.ECN),
			Buffer: r.at("buffer").bytes(e.Buffer), L2MTU: r.at("l2mtu").count(e.L2MTU)}
		if e.QoS != nil {
			p.Switch.QoS = &QoSLimits{Maps: e.QoS.Maps, Profiles: e.QoS.Profiles, TxManagers: e.QoS.TxManagers}
		}
	case Cable, Transceiver, Adapter:
		p.Cable = &CableInfo{Media: e.Media, Ends: e.Ends, Length: r.at("length").metres(e.Length),
			Distance: r.at("distance").metres(e.Distance), Fiber: e.Fiber}
		for _, end := range e.Ends {
			r.at("ends").cage(end)
		}
		if e.Media != "" && !slices.Contains([]Media{DAC, AOC, Fiber, Pair}, e.Media) {
			r.at("media").fail("%q is not a medium; write dac, aoc, fiber or pair", e.Media)
		}
	case Drive:
		bus, err := ParseBus(e.Bus)
		r.at("bus").check(err)
		p.Drive = &DriveInfo{Bus: bus, Medium: e.Medium, Capacity: r.at("capacity").bytes(e.Capacity),
			Read: r.at("read").rate(e.Read), Write: r.at("write").rate(e.Write)}
	}
}

// reader parses an entry's texts and collects the errors.
type reader struct {
	field string // the key that is being read
	errs  []error
}

// at sets the key that is read from now on.
func (r *reader) at(field string) *reader {
	r.field = field
	return r
}

func (r *reader) fail(format string, args ...any) {
	r.wrong("", format, args...)
}

// wrong is fail for one of several values of the key.
func (r *reader) wrong(value, format string, args ...any) {
	r.errs = append(r.errs, &FieldError{Field: r.field, Problem: fmt.Sprintf(format, args...), Value: value})
}

func (r *reader) check(err error) {
	if err != nil {
		r.fail("%v", err)
	}
}

func (r *reader) cage(c Cage) {
	if _, ok := cages[c]; !ok && c != "" {
		_, err := ParseCage(string(c))
		r.wrong(string(c), "%v", err)
	}
}

func (r *reader) rates(texts []string) []unit.BitRate {
	if texts == nil {
		return nil
	}
	rates := make([]unit.BitRate, 0, len(texts))
	for _, s := range texts {
		v, err := unit.ParseBitRate(s)
		if err != nil {
			r.wrong(s, "%v", err)
		}
		rates = append(rates, v)
	}
	return rates
}

func (r *reader) group(g portGroup, before int, speeds []unit.BitRate) []Port {
	r.cage(g.Cage)
	if own := r.rates(g.Speeds); own != nil {
		speeds = own
	}
	if g.Count < 1 || g.Count > maxPorts {
		r.fail("a group of %d ports; count is from 1 to %d", g.Count, maxPorts)
		return nil
	}
	if g.Lanes < 0 || g.Lanes > maxLanes {
		r.fail("%d lanes; a port has at most %d", g.Lanes, maxLanes)
	}
	ports := make([]Port, g.Count)
	for i := range ports {
		ports[i] = Port{Index: before + i + 1, Cage: g.Cage, Speeds: speeds, Name: portName(g.Names, i+1), Lanes: g.Lanes}
	}
	return ports
}

// pciID is the format of PCI ids.
var pciID = regexp.MustCompile(`^[0-9a-f]{4}:[0-9a-f]{4}$`)

func (r *reader) transports(names []string) {
	for _, t := range names {
		if !slices.Contains(transports, t) {
			r.wrong(t, "%q is not an RDMA transport; write ib, rocev1, rocev2 or iwarp", t)
		}
	}
}

const noSource = "no source of the catalogue says"

func optional[T any](s string, parse func(string) (T, error), r *reader) unit.Opt[T] {
	if s == "" {
		return unit.Unknown[T](noSource)
	}
	v, err := parse(s)
	r.check(err)
	return unit.Known(v)
}

func (r *reader) bytes(s string) unit.Opt[unit.Bytes]  { return optional(s, unit.ParseBytes, r) }
func (r *reader) rate(s string) unit.Opt[unit.BitRate] { return optional(s, unit.ParseBitRate, r) }
func (r *reader) metres(s string) unit.Opt[float64]    { return optional(s, unit.ParseMetres, r) }

// count is a number; 0: unknown.
func (r *reader) count(n int) unit.Opt[int] {
	if n < 0 {
		r.fail("%d is not a number of anything", n)
	}
	if n == 0 {
		return unit.Unknown[int](noSource)
	}
	return unit.Known(n)
}

func known(b *bool) unit.Opt[bool] {
	if b == nil {
		return unit.Unknown[bool](noSource)
	}
	return unit.Known(*b)
}
