// Package lab builds a fabric on one Linux machine out of namespaces, so that the same plan, facts, check, measure and
// explain run as for a real one.
//
// A lab is one process, its init, in pid, mount, network and UTS namespaces of its own (and a user namespace when it is
// started by an ordinary user). Every host is a thread of the init in namespaces of its own, which nothing else holds;
// every switch is a bridge in the init's network namespace. When the init dies for any reason, the kernel kills all
// processes of the lab and removes every namespace, link and queueing discipline: nothing is left.
//
//	Up ------> init: calibrate, hosts, links, settings, shaping, serve
//	             ^
//	connection --+   a Unix socket in the lab's folder: exec, status, down
//
// A program that calls Up must call InitMain for the argument "lab-init", because Up starts the program again.
package lab

import (
	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
	"linerate/internal/lab/layout"
)

// InitCommand is the hidden first argument with which Up starts this program again.
const InitCommand = "lab-init"

// Options are the options of a lab.
type Options struct {
	// Detach keeps the lab running until Down. Without it the lab ends with the process that called Up.
	Detach bool
	// Scale, if not 0, is the scale of all rates, 0 < Scale <= 1. 0 chooses it by calibration.
	Scale float64
	// Busy is the sum of the rates of all links in use at the same time, each direction counted. 0: both directions of the
	// fastest link.
	Busy unit.BitRate
	// UserNamespace requests a user namespace even as root. An ordinary user always gets one.
	UserNamespace bool
	// AllGuests makes every host a guest, a whole machine. Without it only hosts with guest: true in the fabric file are.
	AllGuests bool
	// Needs are what experiments need from guests. Their hosts become guests, too, as far as this machine has memory for
	// them.
	Needs []layout.Need
	// NoGuests makes every host a namespace, whatever the fabric file has.
	NoGuests bool
	// Guests are the parts for guests. If it is nil and guests are needed, Up finds them, and calls Say.
	Guests *GuestParts
	// Share, if not nil, is a folder of this machine that guests can access. Namespaces can access all of this machine's
	// files anyway.
	Share *Share
	// Say, if not nil, is called with progress messages before the lab is built, such as about the guests' image.
	Say func(text string)
	// Progress, if not nil, is called with each step of Up ("host nas", "link desk--nas").
	Progress func(step string)
}

// Lab is a lab that this process started.
type Lab struct {
	Info Info
	// Missing is what this machine needs for guests and does not have, so that namespaces replace them; nil if nothing is
	// missing.
	Missing error
	id      string
	dir     string
	init    *initProcess
}

// Connection returns the connection to a host of the lab.
func (l *Lab) Connection(host string) connect.Spec {
	return connect.Spec{Kind: connect.Lab, Lab: l.id, Name: host}
}

// QuotaGroups are the control groups of a lab's hosts, QuotaPrefix + lab + "-" + host below QuotaGroups (CPUs) or
// DriveGroups (drives). A host's thread starts its processes, which stay in its group. Groups remain when their
// processes end, so they are removed by name when the lab is ended, or labs are listed.
const (
	QuotaGroups = "/sys/fs/cgroup/cpu"
	DriveGroups = "/sys/fs/cgroup/blkio"
	QuotaPrefix = "linerate-lab-"
)
