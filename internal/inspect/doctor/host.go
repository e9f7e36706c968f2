package doctor

import (
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
)

// Gathered is the data about all examined hosts and this machine.
type Gathered struct {
	Version string     // of this linerate
	Plan    *plan.Plan // nil: no file
	Hosts   []*Host
	Folder  Folder
	Lab     *Lab // nil: without a lab

	found check.Result
}

// Host is the data about one host.
type Host struct {
	Name       string
	Connection string // as typed: "ssh root@nas"; empty: it has none
	Here       bool   // this machine, without a connection
	Failure    *Failure
	// The fields below are of a host that was reached.
	Took    time.Duration // until the agent ran there
	Version string        // of its agent
	OS      string        // linux, freebsd, windows, darwin
	Arch    string
	// Aligned is the accuracy of the relation between the clocks of both ends in a run: half of the shortest round trip.
	Aligned time.Duration
	// Ahead is how far the host's calendar clock is ahead of this machine's, with an uncertainty of Within.
	Ahead, Within time.Duration
	Needs         *facts.Needs // nil: it was not queried, or did not answer; its Rooms belong to Wants
	Wants         []Want
	Facts         *facts.Facts // nil: as Needs
}

// Failure is the reason why a host could not be examined.
type Failure struct {
	Said string // in the words of the failed program
	Try  string // what to type; empty: not known
	Then string // in words: what to do with the output, or instead of typing
}

// Folder is where a run folder would go.
type Folder struct {
	Path  string
	Free  unit.Opt[unit.Bytes]
	Write bool // this user may write to it
}

// Lab is what this machine has for a lab.
type Lab struct {
	QEMU    string // the program; empty: Problem says why guests are not possible
	Problem string
	Try     string
	NoKVM   string // why guests are emulated; empty: they are not
	// Images are the built images by their names, as lab build takes them ("small" is the one without a name).
	Images, Missing []string
	Cache           string // why the cache could not be read; empty: it could
}

// reached reports whether the host could be examined.
func (h *Host) reached() bool { return h.Failure == nil }

// can reports whether the user there has a capability, by its number (linux/capability.h); not known: no.
func (h *Host) can(capability int) bool {
	if h.Needs == nil {
		return false
	}
	if h.Needs.Capabilities == nil {
		return h.Needs.UID == 0
	}
	return *h.Needs.Capabilities>>capability&1 == 1
}

// Capabilities that linerate's work touches.
const (
	capNetAdmin = 12
	capNetRaw   = 13
	capSysAdmin = 21
	capSyslog   = 34
)

// uses reports whether an experiment of the plan has one of these methods, and the host or one of its drives as an end.
func (g *Gathered) uses(h *Host, methods ...string) bool {
	if g.Plan == nil || g.Plan.Fabric == nil {
		return false
	}
	for _, x := range g.Plan.Fabric.Experiments {
		if !slices.Contains(methods, x.Method) {
			continue
		}
		for _, name := range slices.Concat(x.From, x.To, x.On) {
			if host, _, _ := strings.Cut(name, "."); host == h.Name || name == "links" {
				return true
			}
		}
	}
	return false
}

// root returns a command for root's permissions: with sudo, where linerate does not run as root on the host.
func (h *Host) root(command string) string {
	if h.Needs == nil || h.Needs.UID <= 0 {
		return command
	}
	return "sudo " + command
}

// traits returns the properties of the host's operating system on which advice depends.
func (h *Host) traits() device.Traits { return families.Traits(h.OS) }
