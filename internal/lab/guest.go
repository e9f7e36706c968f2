package lab

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// GuestCommand is the hidden argument with which the kernel of a guest starts this program as its init.
const GuestCommand = "lab-guest"

// bootTimeout is how long a guest may take from the start of QEMU to the first word of its init. Emulated in software on
// two busy cores it took up to 15 s.
const bootTimeout = 90 * time.Second

// systemTimeout is the same for a guest with an operating system, whose boot took up to 60 s there.
const systemTimeout = 240 * time.Second

// The operations that a guest's init knows beside commands.
const (
	opSetup   = "setup"
	opShape   = "shape"
	opMTU     = "mtu"
	opReceive = "receive"
	opSend    = "send"
	opRate    = "rate"
)

// Guests are the hosts of a plan that are to be guests.
func Guests(p *plan.Plan, o Options) (names []string) {
	if o.NoGuests {
		return nil
	}
	for _, h := range p.Hosts {
		if o.AllGuests || h.Decl != nil && h.Decl.Guest || len(of(o.Needs, h.Name)) > 0 {
			names = append(names, h.Name)
		}
	}
	return names
}

// guestSetup makes a guest the host of the plan.
type guestSetup struct {
	Node node       `json:"node"`
	NICs []guestNIC `json:"nics"`
	// Share is the folder that QEMU shares with the guest; nil: none.
	Share *Share `json:"share,omitempty"`
}

// guestNIC gives the card with this address the name of the plan.
type guestNIC struct {
	MAC       string `json:"mac"`
	Interface string `json:"interface"`
	Alias     string `json:"alias"`
}

// guestState is what a guest is after its setup.
type guestState struct {
	Kernel     string   `json:"kernel"`
	Congestion string   `json:"congestion"`
	Notes      []string `json:"notes"` // what is not as planned
	RDMA       []string `json:"rdma"`  // its RDMA devices
	// Files are the files of configuration that an operating system's network is made of; with any of them the lab has set
	// no address, MTU, route, bond or VLAN.
	Files []string `json:"files,omitempty"`
}

// guestLink names an interface of a guest with what it is to be.
type guestLink struct {
	Interface string  `json:"interface"`
	MTU       int     `json:"mtu,omitempty"`
	Rate      float64 `json:"rate,omitempty"` // bits a second of the token bucket; 0: none
}

// guestTransfer is one end of the calibration.
type guestTransfer struct {
	Address string `json:"address"` // to listen on; to connect to, with its port
}

type guestTransferred struct {
	Address string  `json:"address,omitempty"`
	Rate    float64 `json:"rate,omitempty"` // bits a second
}

// guestMAC is the address of a guest's card: the same each time, of QEMU's own range.
func guestMAC(host, iface string) string {
	h := fnv.New32a()
	h.Write([]byte(host + "/" + iface))
	s := h.Sum32()
	return fmt.Sprintf("52:54:00:%02x:%02x:%02x", byte(s>>16), byte(s>>8), byte(s))
}

// rdmaPorts are the interfaces of a host over which the plan speaks RDMA.
func rdmaPorts(h *plan.Host) (out []rdmaPort) {
	if h.Decl == nil {
		return nil
	}
	var first *fabric.NIC // of the InfiniBand cards
	for _, nic := range h.Decl.NICs {
		if nic.RDMA == "" || nic.RDMA == "none" {
			continue
		}
		other := false
		if nic.RDMA == infiniBand {
			first = cmp.Or(first, nic)
			other = nic.Part != first.Part
		}
		for _, p := range h.Ports {
			if p.Card != nic.Name || p.Link == "" {
				continue
			}
			name := interfaceName(overBond(h, p.Interface))
			if !slices.ContainsFunc(out, func(q rdmaPort) bool { return q.Interface == name }) {
				out = append(out, rdmaPort{Interface: name, Transport: nic.RDMA, InPlace: other})
			}
		}
	}
	return out
}

// overBond is the bond of an interface, or the interface. What comes in by a member is the bond's for the kernel, so that soft RDMA over
// the member would never see it.
func overBond(h *plan.Host, name string) string {
	for _, s := range h.Settings {
		if s.Kind == plan.SetBond && slices.Contains(s.Of, name) {
			return s.Interface
		}
	}
	return name
}

// guestNotes is what every page says of hosts that are guests.
func guestNote(kvm bool, why string) string {
	if kvm {
		return "it is an emulated machine (QEMU with KVM): its figures say what works, never how fast hardware is"
	}
	return fmt.Sprintf("it is an emulated machine, its processor in software (QEMU without KVM: %s): its figures say what works, never how fast hardware is", why)
}
