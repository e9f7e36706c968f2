package lab

import (
	"fmt"
	"hash/fnv"
	"time"

	"linerate/internal/design/plan"
	"linerate/internal/lab/layout"
)

// GuestCommand is the hidden argument with which the kernel of a guest starts this program as its init.
const GuestCommand = "lab-guest"

// bootTimeout bounds the time from the start of QEMU to the first message of a guest's init. With software emulation on
// two busy cores it took up to 15 s.
const bootTimeout = 90 * time.Second

// systemTimeout is the same for a guest with an operating system, whose boot took up to 60 s under these conditions.
const systemTimeout = 240 * time.Second

// The operations of a guest's init besides commands.
const (
	opSetup   = "setup"
	opShape   = "shape"
	opMTU     = "mtu"
	opReceive = "receive"
	opSend    = "send"
	opRate    = "rate"
)

// Guests returns the hosts of a plan that will be guests.
func Guests(p *plan.Plan, o Options) (names []string) {
	if o.NoGuests {
		return nil
	}
	for _, h := range p.Hosts {
		if o.AllGuests || h.Decl != nil && h.Decl.Guest || len(layout.NeedsOf(o.Needs, h.Name)) > 0 {
			names = append(names, h.Name)
		}
	}
	return names
}

// guestSetup turns a guest into a host of the plan.
type guestSetup struct {
	Node layout.Node `json:"node"`
	NICs []guestNIC  `json:"nics"`
	// Share is the folder that QEMU shares with the guest; nil: none.
	Share *Share `json:"share,omitempty"`
}

// guestNIC gives the NIC with this address the name of the plan.
type guestNIC struct {
	MAC       string `json:"mac"`
	Interface string `json:"interface"`
	Alias     string `json:"alias"`
}

// guestState is the state of a guest after its setup.
type guestState struct {
	Kernel     string   `json:"kernel"`
	Congestion string   `json:"congestion"`
	Notes      []string `json:"notes"` // what is not as planned
	RDMA       []string `json:"rdma"`  // its RDMA devices
	// Files are the files of configuration of an operating system's network. With any of them the lab has set no address,
	// MTU, route, bond or VLAN.
	Files []string `json:"files,omitempty"`
}

// guestLink is an interface of a guest with its settings.
type guestLink struct {
	Interface string  `json:"interface"`
	MTU       int     `json:"mtu,omitempty"`
	Rate      float64 `json:"rate,omitempty"` // bits per second of the token bucket; 0: none
}

// guestTransfer is one end of the calibration.
type guestTransfer struct {
	Address string `json:"address"` // to listen on; to connect to, with its port
}

type guestTransferred struct {
	Address string  `json:"address,omitempty"`
	Rate    float64 `json:"rate,omitempty"` // bits per second
}

// guestMAC returns the MAC address of a guest's NIC: always the same, in QEMU's own range.
func guestMAC(host, iface string) string {
	h := fnv.New32a()
	h.Write([]byte(host + "/" + iface))
	s := h.Sum32()
	return fmt.Sprintf("52:54:00:%02x:%02x:%02x", byte(s>>16), byte(s>>8), byte(s))
}

// guestNote is the note of every page about hosts that are guests.
func guestNote(kvm bool, why string) string {
	if kvm {
		return "it is an emulated machine (QEMU with KVM): its figures say what works, never how fast hardware is"
	}
	return fmt.Sprintf(
		"it is an emulated machine, its CPU in software (QEMU without KVM: %s): its figures say what works, never "+
			"how fast hardware is", why)
}
