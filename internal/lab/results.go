package lab

import (
	"errors"
	"slices"
	"time"

	"linerate/internal/base/unit"
)

// Info describes a lab that is up.
type Info struct {
	ID     string  `json:"id"`
	Fabric string  `json:"fabric"`
	Scale  float64 `json:"scale"` // of all rates; 1, 0.5, .. 0.001
	// Calibrated is the rate of one TCP stream between two namespaces at the start; 0 if the scale was given.
	Calibrated unit.BitRate `json:"calibrated"`
	Busy       unit.BitRate `json:"busy"`
	Shaped     []string     `json:"shaped"`   // names of the links whose rate is limited to the planned one
	Emulated   []string     `json:"emulated"` // a sentence for each difference from real hardware
	Hosts      []string     `json:"hosts"`
	Switches   []string     `json:"switches"`   // in which commands run as in hosts; they have no addresses
	Congestion string       `json:"congestion"` // the TCP congestion control in effect on every host, as read back
	Rootless   bool         `json:"rootless"`   // it runs in a user namespace
	Guests     []Guest      `json:"guests,omitempty"`
	Share      *Share       `json:"share,omitempty"` // the folder that guests can access
}

// Guest is a host that is a whole machine, or should have been.
type Guest struct {
	Host   string   `json:"host"`
	Kernel string   `json:"kernel,omitempty"`
	KVM    bool     `json:"kvm"` // otherwise its CPU is emulated in software
	Boot   float64  `json:"boot_seconds,omitempty"`
	System string   `json:"system,omitempty"` // its operating system: systemd; empty: only programs
	RDMA   []string `json:"rdma,omitempty"`   // its RDMA devices
	// Because is what experiments need, if the host is a guest only for that.
	Because string `json:"because,omitempty"`
	// Missing are the sets of modules that the plan needs on it and that are not in the cache: siw, smbdirect. lab build
	// --modules builds them.
	Missing []string `json:"lacks,omitempty"`
	// Failed is the reason why it did not start, with its console's last lines. The other hosts are up.
	Failed string `json:"failed,omitempty"`
}

// MissingModules returns the hosts that do not have a set of modules, and the sets.
func (i Info) MissingModules() (hosts, sets []string) {
	for _, g := range i.Guests {
		if len(g.Missing) > 0 {
			hosts, sets = append(hosts, g.Host), append(sets, g.Missing...)
		}
	}
	slices.Sort(sets)
	return hosts, slices.Compact(sets)
}

// GuestNames returns the hosts of the lab that are guests and were up when the lab was.
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
	// Guests are the hosts that are guests, or will be once it is up.
	Guests []string `json:"guests"`
	Failed []string `json:"guests_failed,omitempty"` // guests that did not come up
	Share  *Share   `json:"share,omitempty"`         // the folder that guests can access
	Scale  float64  `json:"scale"`                   // 0 while it is coming up
	Ready  bool     `json:"ready"`
	// Stray is the reason why this is no longer a lab ("its init is gone"). Down removes the remains. Empty for a running
	// lab.
	Stray  string `json:"stray,omitempty"`
	Folder string `json:"folder"`
}

// Built are the parts for guests that Build put in the cache.
type Built struct {
	Image BuiltPart `json:"image"`
	// Systems are the images of operating systems that were requested; the Names of each have one entry.
	Systems []BuiltPart `json:"systems,omitempty"`
	Modules *BuiltPart  `json:"modules,omitempty"` // nil: none were requested
	// NoQEMU is the reason why this machine cannot start guests, with the next step; empty if it can.
	NoQEMU string `json:"no_qemu,omitempty"`
}

// BuiltPart is a folder of the cache.
type BuiltPart struct {
	Folder  string   `json:"folder"`
	Bytes   int64    `json:"bytes"`
	Kernel  string   `json:"kernel"`
	Names   []string `json:"names,omitempty"`  // of modules: siw, smbdirect; of an operating system: systemd
	Absent  []string `json:"absent,omitempty"` // of the image: modules that this kernel does not have as modules
	Built   bool     `json:"built"`            // by this call; otherwise it existed and is complete
	Seconds float64  `json:"seconds"`          // of this call
}

// ErrNoReboot is the error for a host that cannot reboot: it is not in the lab, or not a guest with an operating
// system.
var ErrNoReboot = errors.New("it cannot reboot")

// Rebooted is the state of a guest with an operating system after a reboot.
type Rebooted struct {
	Host    string  `json:"host"`
	Seconds float64 `json:"seconds"` // from the request until its network was up
	// Files are the configuration files of its network. Without any, the lab has set the plan's addresses.
	Files []string `json:"files"`
	Notes []string `json:"notes"` // differences from the plan
}
