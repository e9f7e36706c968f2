package doctor

import (
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
)

// Gathered is all that was looked at.
type Gathered struct {
	Version string     // of linerate here
	Plan    *plan.Plan // nil: no file
	Hosts   []*Host
	Folder  Folder
	Lab     *Lab // nil: nobody asked for a lab

	found check.Result
}

// Host is a host as it was found.
type Host struct {
	Name    string
	Reach   string // as typed: "ssh root@nas"; empty: it has none
	Here    bool   // this machine, without a reach
	Failure *Failure
	// What follows is of a host that was reached.
	Took    time.Duration // until the agent ran there
	Version string        // of its agent
	OS      string        // linux, freebsd, windows, darwin
	Arch    string
	// Aligned is within which time the clocks of both ends are related in a run: half of the quickest round trip.
	Aligned time.Duration
	// Ahead is by how much the host's calendar clock is ahead of this machine's, within Within.
	Ahead, Within time.Duration
	Needs         *facts.Needs // nil: it was not asked, or did not say; its rooms are those of Wants
	Wants         []Want
	Facts         *facts.Facts // nil: as Needs
}

// Failure is why a host could not be looked at.
type Failure struct {
	Said string // in the words of who failed
	Try  string // what to type; empty: not known
	Then string // in words: what to do with what that shows, or in place of typing
}

// Folder is where a run folder would go.
type Folder struct {
	Path  string
	Free  unit.Opt[unit.Bytes]
	Write bool // this user may write into it
}

// Lab is what this machine has for a lab.
type Lab struct {
	QEMU  string // the program; empty: Lacks says why guests are not possible
	Lacks string
	Try   string
	NoKVM string // why guests are emulated; empty: they are not
	// Images are those that were built: their names, as lab build takes them ("small" is the one without a name).
	Images, Missing []string
	Cache           string // why the cache could not be looked at; empty: it could
}

// reached says whether there is anything to say of the host itself.
func (h *Host) reached() bool { return h.Failure == nil }

// can says whether the user there has a capability, by its number (linux/capability.h); not known: no.
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

// uses says whether an experiment of the plan is of one of these methods and has the host, or a drive of it, at one of its ends.
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

// root is a command as it is typed where root's rights are needed: behind sudo, where linerate there does not run as root.
func (h *Host) root(command string) string {
	if h.Needs == nil || h.Needs.UID <= 0 {
		return command
	}
	return "sudo " + command
}
