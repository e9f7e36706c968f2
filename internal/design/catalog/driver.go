package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"linerate/internal/base/unit"
)

// Driver is a part's driver on one operating system, with the part's abilities under it. Properties without a source
// are nil, empty or unknown.
type Driver struct {
	Driver    string `json:"driver,omitempty"`    // kernel module; empty: unknown
	Interface string `json:"interface,omitempty"` // the names of its interfaces: mlxenN
	Status    string `json:"status,omitempty"`    // inbox, supported, legacy ..

	RDMA   []string       `json:"rdma"`              // transports that it supports; nil: unknown, empty: none
	NoRDMA []string       `json:"no_rdma,omitempty"` // transports that it does not support
	PFC    unit.Opt[bool] `json:"pfc"`               // priority flow control can be set
	SRIOV  unit.Opt[bool] `json:"sriov"`
	MTU    int            `json:"mtu,omitempty"` // the largest IP MTU; 0: unknown
	How    string         `json:"how,omitempty"` // the tool that sets PFC and similar settings
	Notes  []string       `json:"notes,omitempty"`

	// Sources are those of the abilities, by field; those of the driver's existence are under status, or else those of the
	// part under drivers.
	Sources map[string][]SourceID `json:"sources,omitempty"`
	// From are the sources of the status, as in the catalogue.
	From []Source `json:"-"`
}

// transports are the RDMA transports, in the order in which they are listed.
var transports = []string{"ib", "rocev1", "rocev2", "iwarp"}

// systems are the operating systems of drivers; TrueNAS and Proxmox have those of their base system.
var systems = []string{"linux", "freebsd", "windows", "macos"}

// driverEntry is a driver in the files: under drivers of a part, or as a separate entry in drivers.yaml, which applies
// to every part with that driver.
type driverEntry struct {
	System    string                `yaml:"os"`
	Driver    string                `yaml:"driver"`
	Interface string                `yaml:"interface"`
	Status    string                `yaml:"status"`
	RDMA      []string              `yaml:"rdma"`
	NoRDMA    []string              `yaml:"no_rdma"`
	PFC       *bool                 `yaml:"pfc"`
	SRIOV     *bool                 `yaml:"sriov"`
	MTU       int                   `yaml:"mtu"`
	How       string                `yaml:"how"`
	Notes     []string              `yaml:"notes"`
	Sources   map[string][]SourceID `yaml:"sources"`
}

func (e driverEntry) driver(r *reader, os string) Driver {
	if !slices.Contains(systems, os) {
		r.wrong(os, "%q is not a system that drivers are known by; write linux, freebsd, windows or macos", os)
	}
	r.transports(e.RDMA)
	r.transports(e.NoRDMA)
	for _, t := range e.NoRDMA {
		if slices.Contains(e.RDMA, t) {
			r.wrong(t, "%s is under rdma and no_rdma; take one out", t)
		}
	}
	if e.MTU < 0 || e.MTU > 65520 {
		r.fail("mtu %d; an IP MTU is from 576 to 65520", e.MTU)
	}
	return Driver{Driver: e.Driver, Interface: e.Interface, Status: e.Status, RDMA: e.RDMA, NoRDMA: e.NoRDMA,
		PFC: known(e.PFC), SRIOV: known(e.SRIOV), MTU: e.MTU, How: e.How, Notes: e.Notes, Sources: e.Sources}
}

// abilities adds the properties in the drivers' own entries to the parts that use them. A part's own entry takes
// precedence.
func (c *Catalog) abilities(parts []*Part) {
	for _, p := range parts {
		for os, d := range p.Drivers {
			for _, e := range c.drivers {
				if e.System == os && e.Driver == d.Driver && d.Driver != "" {
					d = d.with(e.driver(&reader{}, os))
				}
			}
			from := d.Sources["status"]
			if from == nil {
				from = p.Sources["drivers"]
			}
			d.From = nil
			for _, id := range from {
				d.From = append(d.From, c.Sources[id])
			}
			p.Drivers[os] = d
		}
	}
}

func (d Driver) with(known Driver) Driver {
	sources := maps.Clone(known.Sources)
	own := func(field string) { delete(sources, field) }
	if d.RDMA != nil || d.NoRDMA != nil {
		own("rdma")
	} else {
		d.RDMA, d.NoRDMA = known.RDMA, known.NoRDMA
	}
	if d.PFC.IsKnown() {
		own("pfc")
	} else {
		d.PFC = known.PFC
	}
	if d.SRIOV.IsKnown() {
		own("sriov")
	} else {
		d.SRIOV = known.SRIOV
	}
	if d.MTU != 0 {
		own("mtu")
	} else {
		d.MTU = known.MTU
	}
	d.How = cmp.Or(d.How, known.How)
	d.Notes = append(slices.Clone(d.Notes), known.Notes...)
	for field, ids := range d.Sources {
		if sources == nil {
			sources = map[string][]SourceID{}
		}
		sources[field] = ids
	}
	d.Sources = sources
	return d
}

// On returns the part's driver on a system (linux, freebsd, windows, macos); false: no source names one.
func (p *Part) On(system string) (Driver, bool) {
	d, ok := p.Drivers[system]
	return d, ok && (d.Driver != "" || d.Status != "")
}

// RDMAOn reports whether the part supports a transport under a system: false if the NIC or the driver does not, and
// unknown, with the reason, if the catalogue does not say.
func (p *Part) RDMAOn(system, transport string) unit.Opt[bool] {
	if has, ok := p.HasRDMA(transport).Get(); ok && !has {
		return unit.Known(false)
	}
	d, ok := p.On(system)
	switch {
	case slices.Contains(d.NoRDMA, transport), d.RDMA != nil && len(d.RDMA) == 0:
		return unit.Known(false)
	case !p.HasRDMA(transport).IsKnown():
		return p.HasRDMA(transport)
	case slices.Contains(d.RDMA, transport):
		return unit.Known(true)
	case !ok:
		return unit.Unknown[bool](fmt.Sprintf("no source says which driver %s has on %s", p.Name, system))
	}
	return unit.Unknown[bool](fmt.Sprintf("no source reports whether %s of %s carries %s", d.Driver, system, transport))
}
