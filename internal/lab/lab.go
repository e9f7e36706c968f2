package lab

import (
	"slices"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
)

// InitCommand is the hidden first argument with which Up starts this program again.
const InitCommand = "lab-init"

// Options say how a lab is to live.
type Options struct {
	// Detach leaves the lab up until Down. Without it the lab dies with the process that called Up.
	Detach bool
	// Scale, if not 0, is the scale of all rates, 0 < Scale <= 1. 0 chooses it by calibration.
	Scale float64
	// Busy is the sum of the rates of all links that run at once, each direction counted. 0: both directions of the fastest link.
	Busy unit.BitRate
	// UserNamespace asks for a user namespace also as root. An ordinary user always gets one.
	UserNamespace bool
	// AllGuests makes every host a guest, a whole machine; without it those are that the fabric says guest: true of.
	AllGuests bool
	// Needs make their hosts guests as well, as far as this machine has memory for them: by themselves, for what experiments need.
	Needs []Need
	// NoGuests leaves every host a namespace, whatever the fabric says.
	NoGuests bool
	// Guests says what guests are made of. Nil, where guests are asked for: Up finds it, and tells Say.
	Guests *GuestParts
	// Share, if not nil, is a folder of this machine that guests see. Namespaces see all of this machine's files where they are.
	Share *Share
	// Say, if not nil, is told what takes long before the lab is built: the guests' image.
	Say func(text string)
	// Progress, if not nil, is told each step of Up ("host nas", "link desk--nas").
	Progress func(step string)
}

// Info is what came up.
type Info struct {
	ID         string       `json:"id"`
	Fabric     string       `json:"fabric"`
	Scale      float64      `json:"scale"`      // of all rates; 1, 0.5, .. 0.001
	Calibrated unit.BitRate `json:"calibrated"` // what one TCP stream between two namespaces reached at up, 0 if the scale was given
	Busy       unit.BitRate `json:"busy"`
	Shaped     []string     `json:"shaped"`   // names of the links whose rate is limited to the planned one
	Emulated   []string     `json:"emulated"` // a sentence for each thing that is not as on real hardware
	Hosts      []string     `json:"hosts"`
	Switches   []string     `json:"switches"`   // in which commands run as in hosts; they have no addresses
	Congestion string       `json:"congestion"` // the TCP congestion control in effect on every host, as read back
	Rootless   bool         `json:"rootless"`   // it runs in a user namespace
	Guests     []Guest      `json:"guests,omitempty"`
	Share      *Share       `json:"share,omitempty"` // what the guests see of this machine's files
}

// Guest is a host that is a whole machine, or was to be one.
type Guest struct {
	Host   string   `json:"host"`
	Kernel string   `json:"kernel,omitempty"`
	KVM    bool     `json:"kvm"` // else its processor is emulated in software
	Boot   float64  `json:"boot_seconds,omitempty"`
	System string   `json:"system,omitempty"` // its operating system: systemd; empty: programs alone
	RDMA   []string `json:"rdma,omitempty"`   // its RDMA devices
	// Because is which experiments need what, of a host that is a guest for them alone.
	Because string `json:"because,omitempty"`
	// Lacks are the sets of modules that the plan needs there and that are not in the cache: siw, smbdirect. lab build --modules builds them.
	Lacks []string `json:"lacks,omitempty"`
	// Failed is why it is not there; its console's last lines stand in it. The other hosts are up.
	Failed string `json:"failed,omitempty"`
}

// Lacking returns the hosts that lack a set of modules, and the sets.
func (i Info) Lacking() (hosts, sets []string) {
	for _, g := range i.Guests {
		if len(g.Lacks) > 0 {
			hosts, sets = append(hosts, g.Host), append(sets, g.Lacks...)
		}
	}
	slices.Sort(sets)
	return hosts, slices.Compact(sets)
}

// GuestNames are the hosts of the lab that are guests and were up when the lab was.
func (i Info) GuestNames() []string {
	var out []string
	for _, g := range i.Guests {
		if g.Failed == "" {
			out = append(out, g.Host)
		}
	}
	return out
}

// Summary is one line of List.
type Summary struct {
	ID       string    `json:"id"`
	Fabric   string    `json:"fabric"`
	Created  time.Time `json:"created"`
	Detached bool      `json:"detached"`
	Hosts    []string  `json:"hosts"`
	Guests   []string  `json:"guests"`                  // those of the hosts that are guests, or are to be while it is coming up
	Failed   []string  `json:"guests_failed,omitempty"` // those that were to be guests and did not come up
	Share    *Share    `json:"share,omitempty"`         // what the guests see of this machine's files
	Scale    float64   `json:"scale"`                   // 0 while it is coming up
	Ready    bool      `json:"ready"`
	// Stray says why this is no lab any more ("its init is gone"); Down removes what is left. Empty for a living lab.
	Stray  string `json:"stray,omitempty"`
	Folder string `json:"folder"`
}

// Lab is a lab that this process has brought up.
type Lab struct {
	Info Info
	// Lacking is what this machine lacks for guests, so that namespaces stand in their place; nil if nothing.
	Lacking error
	id      string
	dir     string
	init    *initProcess
}

// Reach is how a host of the lab is got at.
func (l *Lab) Reach(host string) connect.Spec {
	return connect.Spec{Kind: connect.Lab, Lab: l.id, Name: host}
}
