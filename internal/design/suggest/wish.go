package suggest

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
)

// Wish is what a design is to fulfil.
type Wish struct {
	Hosts   int
	Rate    unit.BitRate // of the path between any two hosts, at least
	Reach   float64      // metres of the longest cable, at least
	RDMA    string       // rocev1, rocev2, iwarp or ib; empty: none is asked for
	Watts   float64      // at most; 0: no limit
	Price   unit.Money   // at most, in one currency; zero: no limit
	Systems []System     // of the hosts, in step; empty: linux
	Slots   int          // cards that one host has room for
}

// System is an operating system of a host.
type System struct{ OS, Version string }

// String prints the system as the command line takes it: truenas-core.
func (s System) String() string {
	if s.Version != "" {
		return s.OS + "-" + strings.ToLower(s.Version)
	}
	return s.OS
}

// Drivers is the system whose drivers count; empty: not known.
func (s System) Drivers() string { return catalog.SystemOf(s.OS, s.Version) }

// ParseSystem reads linux, freebsd, windows, proxmox, macos, truenas, truenas-core or truenas-scale.
func ParseSystem(text string) (System, error) {
	name, version, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "-")
	known := []string{"linux", "freebsd", "truenas", "windows", "proxmox", "macos"}
	if !slices.Contains(known, name) || version != "" && (name != "truenas" || version != "core" && version != "scale") {
		return System{}, fmt.Errorf("%q is no system; write %s, truenas-core or truenas-scale", text, strings.Join(known, ", "))
	}
	return System{name, strings.ToUpper(version)}, nil
}

// Limits of what can be wished for.
const (
	MostHosts = 64
	MostSlots = 8
	mostRate  = 400 * unit.GigabitPerSecond
	mostReach = 80000 // metres
)

// Check returns everything that is wrong with a wish; flags names the flags of the command line.
func (w Wish) Check() []error {
	var wrong []error
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if w.Hosts < 2 || w.Hosts > MostHosts {
		bad("--hosts %d: linerate suggests for 2 to %d hosts; write --hosts 3", w.Hosts, MostHosts)
	}
	if w.Rate <= 0 || w.Rate > mostRate {
		bad("--rate: a rate of more than 0 and up to %s; write --rate 10G", mostRate)
	}
	if !(w.Reach > 0 && w.Reach <= mostReach) {
		bad("--reach: cables of more than 0 and up to %d m; write --reach 8m", mostReach)
	}
	if w.RDMA != "" && !slices.Contains([]string{"rocev1", "rocev2", "iwarp", "ib"}, w.RDMA) {
		bad("--rdma %q: no RDMA transport; write rocev1, rocev2, iwarp or ib", w.RDMA)
	}
	if w.Watts < 0 || w.Watts > 1e6 {
		bad("--max-watts: %g W is no limit; write --max-watts 60", w.Watts)
	}
	if w.Slots < 1 || w.Slots > MostSlots {
		bad("--slots %d: a host has room for 1 to %d cards here; write --slots 2", w.Slots, MostSlots)
	}
	if len(w.Systems) > w.Hosts && w.Hosts >= 2 {
		bad("--os names %d systems for %d hosts; write at most one a host", len(w.Systems), w.Hosts)
	}
	return wrong
}

// system is that of host i, from 0; a shorter list starts again.
func (w Wish) system(i int) System {
	if len(w.Systems) == 0 {
		return System{OS: "linux"}
	}
	return w.Systems[i%len(w.Systems)]
}

// kinds are the systems that occur, each once.
func (w Wish) kinds() []System {
	var all []System
	for i := range w.Hosts {
		if s := w.system(i); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
