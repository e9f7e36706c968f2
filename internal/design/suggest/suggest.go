package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/device/families"
	"linerate/internal/record"
)

// Answer is the designs for a requirement.
type Answer struct {
	Requirements Requirements
	Designs      []*Design // that fulfil the requirement as far as is known, the best first
	Failing      []*Design // the others
	Crossing     *Crossing // mesh compared with a switch; nil: a mesh is impossible
}

// For returns the designs of a requirement without errors (Requirements.Check).
func For(w Requirements, c *catalog.Catalog) *Answer {
	m := newMaker(w, c)
	a := &Answer{Requirements: w}
	all := slices.DeleteFunc(lines(w, c), func(l line) bool { return !carries(l.tech, w.RDMA) })
	switches := slices.DeleteFunc(slices.Clone(c.Parts), func(p *catalog.Part) bool { return p.Kind != catalog.Switch })
	for _, tech := range Technologies {
		for _, sw := range append([]*catalog.Part{nil}, switches...) {
			var best, faster *Design
			for _, l := range all {
				if l.tech != tech || sw != nil && len(m.ports(l, sw)) == 0 {
					continue
				}
				d := m.design(l, sw)
				if best == nil || compare(d, best) < 0 {
					best = d
				}
				if sw == nil && d.OK() && d.Plan != nil && d.faster && (faster == nil || d.plain < faster.plain) {
					faster = d
				}
			}
			a.add(best)
			if faster != nil && best.offers(faster) {
				a.add(faster)
			}
		}
		if !slices.ContainsFunc(all, func(l line) bool { return l.tech == tech }) {
			why := fmt.Sprintf("it does not do %s", short(w.Rate))
			if !carries(tech, w.RDMA) {
				why = "it does not carry " + w.RDMA
			}
			a.add(&Design{Name: string(tech), Technology: tech, Fails: []string{why}})
		}
	}
	for _, sw := range switches {
		a.add(m.slow(sw, all))
	}
	slices.SortStableFunc(a.Designs, compare)
	slices.SortStableFunc(a.Failing, func(x, y *Design) int {
		return cmp.Or(cmp.Compare(slices.Index(Technologies, x.Technology), slices.Index(Technologies, y.Technology)),
			compare(x, y))
	})
	a.Crossing = m.crossing(a, all)
	return a
}

// carries reports whether a technology supports an RDMA transport at all.
func carries(tech Technology, transport string) bool {
	return transport == "" || (tech == InfiniBand) == (transport == "ib")
}

func (a *Answer) add(d *Design) {
	switch {
	case d == nil:
	case d.OK():
		a.Designs = append(a.Designs, d)
	default:
		a.Failing = append(a.Failing, d)
	}
}

// slow returns a switch that no line can use, with the reason; nil if one can.
func (m *maker) slow(sw *catalog.Part, all []line) *Design {
	if slices.ContainsFunc(all, func(l line) bool { return len(m.ports(l, sw)) > 0 }) {
		return nil
	}
	d := &Design{Name: sw.Name, Switch: sw}
	fastest := max(sw.Fastest(), ibRate(sw))
	switch {
	case sw.Ports == nil || fastest == 0:
		d.fail("its ports are not known")
	case fastest < m.requirements.Rate:
		d.fail(fmt.Sprintf("its fastest port does %s", short(fastest)))
	default:
		d.fail("no cable of the catalogue goes into its fast ports")
	}
	return d
}

// compare ranks designs. The first difference decides: a design that fulfils the requirements, a cable between two
// hosts before a switch, links of the speed of the requirement before faster ones, cables of about the needed length
// before much longer ones, fewer pieces without a price or an estimate, the lower cost, in which an estimate counts
// twice, fewer estimates, fewer unknowns, known watts before unknown ones, fewer watts, cables and ports.
func compare(a, b *Design) int {
	return cmp.Or(len(a.Fails)-len(b.Fails), knownFirst(a.Plan, b.Plan), falseFirst(a.detour(), b.detour()),
		falseFirst(a.faster, b.faster), falseFirst(a.longer, b.longer), a.Unestimated-b.Unestimated,
		cmp.Compare(a.rough, b.rough), a.Unpriced-b.Unpriced,
		len(a.Unknown)-len(b.Unknown), a.Power.Missing-b.Power.Missing, cmp.Compare(a.Power.High, b.Power.High),
		a.Cables-b.Cables, a.Ports-b.Ports, slices.Index(plugs, a.plug)-slices.Index(plugs, b.plug),
		strings.Compare(a.Name, b.Name))
}

// littleMore is the factor of the cost up to which a faster design is offered next to one of the needed speed.
const littleMore = 1.25

// offers reports whether a buyer of this design would want to hear of another: its links are faster, and it costs less
// or little more.
func (d *Design) offers(other *Design) bool {
	return !d.faster && other.faster && other.Rate > d.Rate &&
		(d.Technology == InfiniBand) == (other.Technology == InfiniBand) &&
		d.Plan != nil && other.Plan != nil && !other.detour() &&
		d.Unestimated == 0 && other.Unestimated == 0 && other.plain <= littleMore*d.plain
}

// Faster returns the cheapest design with faster links than the first one that costs less, or little more; less reports
// which. number is its place, from 1; 0: there is none.
func (a *Answer) Faster() (number int, less bool) {
	for i, d := range a.Designs {
		if first := a.Designs[0]; first.offers(d) && (number == 0 || d.plain < a.Designs[number-1].plain) {
			number, less = i+1, d.plain < first.plain
		}
	}
	return number, less
}

// detour reports whether a switch connects only two hosts.
func (d *Design) detour() bool { return d.Switch != nil && len(d.Hosts) == 2 }

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// knownFirst compares two values; nil is unknown, and comes last.
func knownFirst[T any](a, b *T) int {
	switch {
	case a == nil && b != nil:
		return 1
	case a != nil && b == nil:
		return -1
	}
	return 0
}

func totals(d *Design) []record.BOMTotal {
	if d.Plan == nil {
		return nil
	}
	return d.Plan.BOM.Totals
}

// Requirements are the requirements for a design.
type Requirements struct {
	Hosts    int
	Rate     unit.BitRate // of the path between any two hosts, at least
	Distance float64      // metres of the longest cable, at least
	RDMA     string       // rocev1, rocev2, iwarp or ib; empty: none
	Watts    float64      // at most; 0: no limit
	Price    unit.Money   // at most, in one currency; zero: no limit
	Systems  []System     // of the hosts in their order, repeated; empty: linux
	Slots    int          // NICs that one host has slots for
}

// System is an operating system of a host.
type System struct{ OS, Version string }

// String returns the system in the form of the command line: truenas-core.
func (s System) String() string {
	if s.Version != "" {
		return s.OS + "-" + strings.ToLower(s.Version)
	}
	return s.OS
}

// Drivers returns the system whose drivers the host uses; empty: not known.
func (s System) Drivers() string { return families.Drivers(s.OS, s.Version) }

// ParseSystem reads linux, freebsd, windows, proxmox, macos, truenas, truenas-core or truenas-scale.
func ParseSystem(text string) (System, error) {
	name, version, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "-")
	system := families.OfHost(name)
	if system == nil || version != "" && !slices.Contains(system.Host.Editions, version) {
		known := strings.Join(families.Hosts(), ", ")
		return System{}, fmt.Errorf("%q is not a system; write %s, truenas-core or truenas-scale", text, known)
	}
	return System{name, strings.ToUpper(version)}, nil
}

// Limits of requirements.
const (
	MostHosts   = 64
	MostSlots   = 8
	maxRate     = 400 * unit.GigabitPerSecond
	maxDistance = 80000 // metres
)

// Check returns all errors of a requirement, with the flags of the command line.
func (w Requirements) Check() []error {
	var wrong []error
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	switch {
	case w.Hosts == 0:
		bad("missing --hosts N; write --hosts 3; 2 to %d", MostHosts)
	case w.Hosts < 2 || w.Hosts > MostHosts:
		bad("--hosts %d is out of range; write --hosts 3; 2 to %d", w.Hosts, MostHosts)
	}
	switch {
	case w.Rate == 0:
		bad("missing --speed RATE; write --speed 10G; up to %s", maxRate)
	case w.Rate < 0 || w.Rate > maxRate:
		bad("--speed %s is out of range; write --speed 10G; above 0, up to %s", w.Rate, maxRate)
	}
	switch {
	case w.Distance == 0:
		bad("missing --distance LENGTH; write --distance 8m; up to %d m", maxDistance)
	case !(w.Distance > 0 && w.Distance <= maxDistance):
		bad("--distance %g m is out of range; write --distance 8m; above 0, up to %d m", w.Distance, maxDistance)
	}
	if w.RDMA != "" && !slices.Contains([]string{"rocev1", "rocev2", "iwarp", "ib"}, w.RDMA) {
		bad("--rdma %q is not an RDMA transport; write rocev1, rocev2, iwarp or ib", w.RDMA)
	}
	if w.Watts < 0 || w.Watts > 1e6 {
		bad("--max-watts %g is out of range; write --max-watts 60", w.Watts)
	}
	if w.Slots < 1 || w.Slots > MostSlots {
		bad("--slots %d: a host has room for 1 to %d NICs here; write --slots 2", w.Slots, MostSlots)
	}
	if len(w.Systems) > w.Hosts && w.Hosts >= 2 {
		bad("--os names %d systems for %d hosts; write at most one a host", len(w.Systems), w.Hosts)
	}
	return wrong
}

// system returns the system of host i, counted from 0; a shorter list starts again.
func (w Requirements) system(i int) System {
	if len(w.Systems) == 0 {
		return System{OS: "linux"}
	}
	return w.Systems[i%len(w.Systems)]
}

// kinds returns the systems that occur, each once.
func (w Requirements) kinds() []System {
	var all []System
	for i := range w.Hosts {
		if s := w.system(i); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
