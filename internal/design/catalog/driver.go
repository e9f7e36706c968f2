package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// Driver is a part's driver on one operating system, with what the part can do
// under it. What no source says is nil, empty or unknown.
type Driver struct {
	Driver    string `json:"driver,omitempty"`    // kernel module; empty: unknown
	Interface string `json:"interface,omitempty"` // what its interfaces are called: mlxenN
	Status    string `json:"status,omitempty"`    // inbox, supported, legacy ..

	RDMA   []string       `json:"rdma"`              // transports that it is known to carry; nil: unknown, empty: none
	NoRDMA []string       `json:"no_rdma,omitempty"` // transports that it is known not to carry
	PFC    unit.Opt[bool] `json:"pfc"`               // priority flow control can be set
	SRIOV  unit.Opt[bool] `json:"sriov"`
	MTU    int            `json:"mtu,omitempty"` // the largest IP MTU; 0: unknown
	How    string         `json:"how,omitempty"` // what sets PFC and the like there
	Notes  []string       `json:"notes,omitempty"`

	// Sources are those of the abilities, by field, and under status those of there being such a driver. Where status has none,
	// they stand with the part, under drivers.
	Sources map[string][]SourceID `json:"sources,omitempty"`
	// From are the sources of the status, as the catalogue has them.
	From []Source `json:"-"`
}

// transports are the RDMA transports, in the order in which they are listed.
var transports = []string{"ib", "rocev1", "rocev2", "iwarp"}

// systems are the operating systems that drivers are known by; TrueNAS and
// Proxmox have those of the system under them.
var systems = []string{"linux", "freebsd", "windows", "macos"}

// SystemOf is the system whose drivers a host has: TrueNAS CORE and FreeNAS are
// FreeBSD, SCALE and Proxmox Linux; the number of a release says it, too. Empty: a TrueNAS that does not say which.
func SystemOf(os, version string) string {
	v := strings.ToLower(version)
	switch {
	case os == "proxmox":
		return "linux"
	case os == "truenas" && (strings.Contains(v, "core") || strings.Contains(v, "freenas")):
		return "freebsd"
	case os == "truenas" && (strings.Contains(v, "scale") || strings.Contains(v, "community")):
		return "linux"
	case os == "truenas":
		// FreeNAS and CORE have the releases 9 to 13; SCALE's begin with the year.
		number, _, _ := strings.Cut(strings.TrimSpace(v), ".")
		switch n, err := strconv.Atoi(number); {
		case err == nil && n >= 9 && n <= 13:
			return "freebsd"
		case err == nil && n >= 20 && n <= 99:
			return "linux"
		}
		return ""
	}
	return os
}

// driverEntry is a driver as the files spell it: of a part under drivers, or as
// an entry of its own (drivers.yaml), where it holds for every part that has it.
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
		r.wrong(os, "%q is no system that drivers are known by; write linux, freebsd, windows or macos", os)
	}
	r.transports(e.RDMA)
	r.transports(e.NoRDMA)
	for _, t := range e.NoRDMA {
		if slices.Contains(e.RDMA, t) {
			r.wrong(t, "%s stands under rdma and no_rdma; take one out", t)
		}
	}
	if e.MTU < 0 || e.MTU > 65520 {
		r.fail("mtu %d; an IP MTU is from 576 to 65520", e.MTU)
	}
	return Driver{Driver: e.Driver, Interface: e.Interface, Status: e.Status, RDMA: e.RDMA, NoRDMA: e.NoRDMA,
		PFC: known(e.PFC), SRIOV: known(e.SRIOV), MTU: e.MTU, How: e.How, Notes: e.Notes, Sources: e.Sources}
}

// abilities puts what the drivers' own entries say into parts that have them.
// What a part's entry says itself stays.
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
	if d.How == "" {
		d.How = known.How
	}
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

// On returns the part's driver on a system (linux, freebsd, windows, macos);
// false: no source says that it has one there.
func (p *Part) On(system string) (Driver, bool) {
	d, ok := p.Drivers[system]
	return d, ok && (d.Driver != "" || d.Status != "")
}

// RDMAOn says whether the part carries a transport under a system: no, if the
// card has none or the driver does not carry it; unknown, with the reason, if
// the card or its driver is not known to.
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
	return unit.Unknown[bool](fmt.Sprintf("no source says whether %s of %s carries %s", d.Driver, system, transport))
}
