package loopback

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// comesBack bounds the time that the kernel takes to return an adapter whose namespace has ended.
const comesBack = 10 * time.Second

// restore restores a port in this namespace. It returns what could not be restored, in sentences that name the port.
func restore(nl *netlink.Handle, p Port, wait time.Duration) (problems []string) {
	missing := func(what string, err error) {
		problems = append(problems, fmt.Sprintf("%s: %s: %v", p.Name, what, err))
	}
	link, err := nl.LinkByName(p.Name)
	for end := time.Now().Add(wait); err != nil && time.Now().Before(end); link, err = nl.LinkByName(p.Name) {
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		if !p.NIC {
			return []string{fmt.Sprintf("%s: it is gone: it was not a NIC, and its namespace has ended", p.Name)}
		}
		return []string{
			fmt.Sprintf(
				"%s: it is not in this network namespace (%v): the kernel gives NICs back to the machine's first one; there: %s",
				p.Name, err, strings.Join(p.Commands(), "; ")),
		}
	}
	if link.Attrs().MTU != p.MTU {
		if err := nl.LinkSetMTU(link, p.MTU); err != nil {
			missing(fmt.Sprintf("MTU %d", p.MTU), err)
		}
	}
	// Some settings must be set before the port goes up (automatic actions of IPv6). Others exist only once it is up.
	set(p)
	if p.Up {
		if err := nl.LinkSetUp(link); err != nil {
			missing("up", err)
		}
	}
	for _, a := range p.Addresses {
		if err := nl.AddrReplace(link, a.netlink()); err != nil {
			missing("the address "+a.Address.String(), err)
		}
	}
	for _, r := range p.Routes {
		if err := r.add(nl, link); err != nil && !errors.Is(err, unix.EEXIST) {
			missing("the route to "+r.To, err)
		}
	}
	for _, path := range set(p) {
		missing("the setting "+strings.ReplaceAll(path, "/", "."), fmt.Errorf("it was %s", p.Settings[path]))
	}
	return problems
}

// set writes the settings that differ, and returns those that still do.
func set(p Port) (left []string) {
	now := settings(p.Name)
	for path, was := range p.Settings {
		if have, ok := now[path]; !ok || have == was {
			continue
		}
		os.WriteFile(filepath.Join(sysctls, path), []byte(was), 0)
		if b, err := os.ReadFile(filepath.Join(sysctls, path)); err != nil || strings.TrimSpace(string(b)) != was {
			left = append(left, path)
		}
	}
	slices.Sort(left)
	return left
}

func (a PortAddr) netlink() *netlink.Addr {
	out := &netlink.Addr{IPNet: ipNet(a.Address.String()), Label: a.Label, Scope: a.Scope,
		Flags: a.Flags, ValidLft: a.Valid, PreferedLft: a.Preferred}
	if a.Peer != "" {
		out.Peer = ipNet(a.Peer)
	}
	if a.Broadcast != "" {
		out.Broadcast = net.ParseIP(a.Broadcast).To4()
	}
	return out
}

// ipNet returns a prefix with its host bits; nil if the text is not one.
func ipNet(text string) *net.IPNet {
	ip, n, err := net.ParseCIDR(text)
	if err != nil {
		return nil
	}
	return &net.IPNet{IP: ip, Mask: n.Mask}
}

// add adds a route. A route over an IPv6 address that is not ready yet is retried for a moment.
func (r Route) add(nl *netlink.Handle, link netlink.Link) (err error) {
	x := &netlink.Route{LinkIndex: link.Attrs().Index, Table: r.Table, Priority: r.Metric,
		Scope: netlink.Scope(r.Scope), Protocol: netlink.RouteProtocol(r.Protocol), Flags: r.Flags, MTU: r.MTU}
	to := r.To
	if to == "default" && r.IPv6 {
		to = "::/0"
	} else if to == "default" {
		to = "0.0.0.0/0"
	}
	x.Dst = ipNet(to)
	if r.Gateway != "" {
		x.Gw = net.ParseIP(r.Gateway)
	}
	if r.Source != "" {
		x.Src = net.ParseIP(r.Source)
	}
	for range 20 {
		if err = nl.RouteAdd(x); err == nil || !r.IPv6 {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}
