package loopback

import (
	"fmt"
	"net/netip"
	"strings"
)

// OwnerCommand is the hidden first argument with which Open starts this program again.
const OwnerCommand = "loop-owner"

// Network has the ports' addresses in their namespaces, .1 and .2. RFC 2544 reserves the range for measurements between
// network devices, and the namespaces contain nothing else.
var Network = netip.MustParsePrefix("198.18.71.0/30")

// Address returns the address of the nth port, 0 or 1.
func Address(n int) netip.Prefix {
	a := Network.Addr().Next()
	if n > 0 {
		a = a.Next()
	}
	return netip.PrefixFrom(a, Network.Bits())
}

// Port is the state of a port that was found and is restored.
type Port struct {
	Name      string     `json:"name"`
	Index     int        `json:"index"`
	MTU       int        `json:"mtu"`
	Up        bool       `json:"up"`
	Addresses []PortAddr `json:"addresses"` // without those that the kernel makes
	Routes    []Route    `json:"routes"`    // without those that the kernel makes
	// Settings are the kernel's settings of the port, by their paths below /proc/sys/net.
	Settings map[string]string `json:"settings"`
	// NIC reports whether it is a device on a bus, which the kernel returns when its namespace ends; a veth would be
	// deleted.
	NIC   bool     `json:"nic"`
	InUse []string `json:"in_use"` // what uses it, so that it should not be moved: "the address 10.0.0.5/24"
	Lost  []string `json:"lost"`   // what cannot be restored
}

// PortAddr is an address of a port.
type PortAddr struct {
	Address   netip.Prefix `json:"address"`
	Peer      string       `json:"peer,omitempty"`
	Broadcast string       `json:"broadcast,omitempty"`
	Label     string       `json:"label,omitempty"`
	Scope     int          `json:"scope"`
	Flags     int          `json:"flags"`
	Valid     int          `json:"valid"` // seconds; 0: forever
	Preferred int          `json:"preferred"`
}

// Route is a route through a port.
type Route struct {
	To       string `json:"to"` // 10.0.0.0/8, or default
	IPv6     bool   `json:"ipv6"`
	Gateway  string `json:"gateway,omitempty"`
	Source   string `json:"source,omitempty"`
	Table    int    `json:"table"`
	Metric   int    `json:"metric"`
	Scope    int    `json:"scope"`
	Protocol int    `json:"protocol"`
	Flags    int    `json:"flags"`
	MTU      int    `json:"mtu"`
}

// routeTo names a route by its destination.
func routeTo(to string) string {
	if to == "default" {
		return "the default route"
	}
	return "a route to " + to
}

// Commands returns the commands that restore a port by hand, in case no process is left to do it.
func (p Port) Commands() []string {
	ip := func(format string, args ...any) string { return "ip " + fmt.Sprintf(format, args...) }
	state := "down"
	if p.Up {
		state = "up"
	}
	out := []string{ip("link set dev %s mtu %d %s", p.Name, p.MTU, state)}
	for _, a := range p.Addresses {
		line := ip("address add %s", a.Address)
		if a.Peer != "" {
			line = ip("address add %s peer %s", a.Address.Addr(), a.Peer)
		}
		if a.Broadcast != "" {
			line += " broadcast " + a.Broadcast
		}
		out = append(out, line+" dev "+p.Name)
	}
	for _, r := range p.Routes {
		family := ""
		if r.IPv6 {
			family = "-6 "
		}
		line := ip("%sroute add %s", family, r.To)
		if r.Gateway != "" {
			line += " via " + r.Gateway
		}
		line += " dev " + p.Name
		if r.Source != "" {
			line += " src " + r.Source
		}
		if r.Metric != 0 {
			line += fmt.Sprintf(" metric %d", r.Metric)
		}
		if r.Table != 0 && r.Table != 254 {
			line += fmt.Sprintf(" table %d", r.Table)
		}
		out = append(out, line)
	}
	return out
}

// Plan describes what will happen to both ports, one sentence a line, and how to restore them by hand.
func Plan(ports [2]Port) []string {
	out := []string{
		fmt.Sprintf(
			"loop: for the time of the measurement %s and %s move into a network namespace each, with the addresses %s and "+
				"%s; then they come back", ports[0].Name, ports[1].Name, Address(0), Address(1)),
	}
	for _, p := range ports {
		has := []string{fmt.Sprintf("MTU %d", p.MTU), "down"}
		if p.Up {
			has[1] = "up"
		}
		for _, a := range p.Addresses {
			has = append(has, a.Address.String())
		}
		for _, r := range p.Routes {
			has = append(has, routeTo(r.To))
		}
		out = append(out, fmt.Sprintf("loop: %s is put back as it is: %s", p.Name, strings.Join(has, ", ")))
		for _, l := range p.Lost {
			out = append(out, fmt.Sprintf("loop: %s: not put back: %s", p.Name, l))
		}
	}
	for _, p := range ports {
		if !p.NIC {
			out = append(out, fmt.Sprintf(
				"loop: %s is not a NIC: if this program and the process that holds the namespaces are both killed (kill -9), the "+
					"kernel removes it", p.Name))
			continue
		}
		out = append(out, fmt.Sprintf(
			"loop: if this program and the process that holds the namespaces are both killed (kill -9), the kernel brings "+
				"%s back, down and without addresses; then by hand: %s", p.Name, strings.Join(p.Commands(), "; ")))
	}
	return out
}

// order is the first and only line that the controller writes to the owner; the end of its input ends the loop.
type order struct {
	Ports [2]Port `json:"ports"`
}

// said is a line that the owner writes.
type said struct {
	// Files are the namespaces, ready to be entered: the link is up, and the ports reach each other.
	Files []string `json:"files,omitempty"`
	Text  string   `json:"text,omitempty"`  // progress to report
	Error string   `json:"error,omitempty"` // the loop failed; changes were undone
	// Over marks the last line: everything possible was restored. Problems lists the rest.
	Over     bool     `json:"over,omitempty"`
	Problems []string `json:"problems,omitempty"`
}
