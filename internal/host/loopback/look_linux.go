package loopback

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Look reads the state of both ports. Errors are about ports that can never be used.
func Look(names [2]string) (ports [2]Port, err error) {
	if os.Geteuid() != 0 {
		return ports, errors.New("moving ports into network namespaces needs root; run it with sudo")
	}
	nl, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return ports, fmt.Errorf("netlink: %w", err)
	}
	defer nl.Close()
	var wrong []error
	session := sessions()
	for i, name := range names {
		if ports[i], err = look(nl, name, session); err != nil {
			wrong = append(wrong, err)
		}
	}
	return ports, errors.Join(wrong...)
}

func look(nl *netlink.Handle, name string, session []connection) (Port, error) {
	link, err := nl.LinkByName(name)
	if err != nil {
		return Port{}, fmt.Errorf("%s: %w; there are %s", name, err, strings.Join(candidates(nl), ", "))
	}
	a := link.Attrs()
	p := Port{Name: a.Name, Index: a.Index, MTU: a.MTU, Up: a.RawFlags&unix.IFF_UP != 0,
		Settings: settings(a.Name), NIC: link.Type() == "device"}
	if p.Name != name {
		return p, fmt.Errorf("%s: it is another name of %s; give that", name, p.Name)
	}
	if why := unfit(nl, link); why != "" {
		return p, fmt.Errorf("%s: %s", name, why)
	}
	if err := p.addresses(nl, link); err != nil {
		return p, fmt.Errorf("%s: its addresses: %w", name, err)
	}
	if err := p.routes(nl, link); err != nil {
		return p, fmt.Errorf("%s: its routes: %w", name, err)
	}
	for _, s := range session {
		if slices.ContainsFunc(p.Addresses, func(a PortAddr) bool { return a.Address.Addr() == s.here }) ||
			leavesBy(nl, s.there, a.Index) {
			p.InUse = append(p.InUse, fmt.Sprintf("this session's ssh connection (from %s)", s.there))
		}
	}
	qdiscs, err := nl.QdiscList(link)
	if err != nil {
		return p, fmt.Errorf("%s: its queue disciplines: %w", name, err)
	}
	for _, q := range qdiscs {
		if q.Attrs().Handle != 0 { // the kernel's default disciplines have none
			p.InUse = append(p.InUse, "a queue discipline that somebody set ("+q.Type()+")")
			p.Lost = append(p.Lost, "the queue discipline "+q.Type())
		}
	}
	return p, nil
}

// unfit returns the reason why a link is not a port for a cable; empty: it is one.
func unfit(nl *netlink.Handle, link netlink.Link) string {
	a := link.Attrs()
	if a.EncapType != "ether" || link.Type() != "device" && link.Type() != "veth" {
		kind := link.Type()
		if kind == "device" {
			kind = a.EncapType
		}
		return fmt.Sprintf("it is not an Ethernet port of a NIC (%s); name one", kind)
	}
	folder := filepath.Join("/sys/class/net", a.Name)
	if _, err := os.Stat(filepath.Join(folder, "phy80211")); err == nil {
		return "it is a radio; name a port that has a cable"
	}
	if a.MasterIndex != 0 {
		master := "another interface"
		if m, err := nl.LinkByIndex(a.MasterIndex); err == nil {
			master = m.Attrs().Name
		}
		return fmt.Sprintf("it is a member of %s, which would lose it; take it out first: ip link set dev %s nomaster",
			master, a.Name)
	}
	if upper, _ := filepath.Glob(filepath.Join(folder, "upper_*")); len(upper) > 0 {
		name := strings.TrimPrefix(filepath.Base(upper[0]), "upper_")
		return fmt.Sprintf("%s uses it, and the kernel would remove that; remove it first: ip link delete %s", name,
			name)
	}
	return ""
}

// candidates returns the Ethernet ports of adapters.
func candidates(nl *netlink.Handle) []string {
	var out []string
	links, _ := nl.LinkList()
	for _, l := range links {
		if l.Attrs().EncapType == "ether" && (l.Type() == "device" || l.Type() == "veth") {
			out = append(out, l.Attrs().Name)
		}
	}
	if len(out) == 0 {
		return []string{"no Ethernet ports"}
	}
	return out
}

// The flags of an address that its creator sets. The kernel sets the others.
const addrFlags = unix.IFA_F_NODAD | unix.IFA_F_HOMEADDRESS | unix.IFA_F_NOPREFIXROUTE | unix.IFA_F_MCAUTOJOIN

func (p *Port) addresses(nl *netlink.Handle, link netlink.Link) error {
	all, err := nl.AddrList(link, netlink.FAMILY_ALL)
	if err != nil {
		return err
	}
	for _, a := range all {
		bits, _ := a.Mask.Size()
		addr, ok := netip.AddrFromSlice(a.IP)
		if !ok {
			continue
		}
		x := PortAddr{Address: netip.PrefixFrom(addr.Unmap(), bits), Label: a.Label, Scope: a.Scope,
			Flags: a.Flags & addrFlags}
		six := x.Address.Addr().Is6()
		if six && (x.Address.Addr().IsLinkLocalUnicast() || a.Flags&unix.IFA_F_TEMPORARY != 0) {
			continue // the kernel recreates it when the port comes up
		}
		if six && a.Flags&unix.IFA_F_PERMANENT == 0 {
			p.InUse = append(p.InUse, "the address "+x.Address.String())
			p.Lost = append(p.Lost, "the address "+x.Address.String()+", which a router or DHCP gave and gives again")
			continue
		}
		if a.Peer != nil && !a.Peer.IP.Equal(a.IP) {
			x.Peer = a.Peer.String()
		}
		if a.Broadcast != nil && !six {
			x.Broadcast = a.Broadcast.String()
		}
		if a.Flags&unix.IFA_F_PERMANENT == 0 && a.ValidLft > 0 {
			x.Valid, x.Preferred = a.ValidLft, a.PreferedLft
		}
		p.Addresses = append(p.Addresses, x)
		p.InUse = append(p.InUse, "the address "+x.Address.String())
	}
	return nil
}

func (p *Port) routes(nl *netlink.Handle, link netlink.Link) error {
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		all, err := nl.RouteListFiltered(family, &netlink.Route{LinkIndex: link.Attrs().Index, Table: unix.RT_TABLE_UNSPEC},
			netlink.RT_FILTER_OIF|netlink.RT_FILTER_TABLE)
		if err != nil {
			return err
		}
		for _, r := range all {
			if r.Protocol == unix.RTPROT_KERNEL || r.Type != unix.RTN_UNICAST {
				continue
			}
			to := "default"
			if r.Dst != nil && r.Dst.String() != "0.0.0.0/0" && r.Dst.String() != "::/0" {
				to = r.Dst.String()
			}
			text := routeTo(to)
			p.InUse = append(p.InUse, text)
			if r.Protocol == unix.RTPROT_RA || r.Protocol == unix.RTPROT_REDIRECT {
				p.Lost = append(p.Lost, text+", which a router gave and gives again")
				continue
			}
			if r.Encap != nil || r.Via != nil || r.NewDst != nil {
				p.Lost = append(p.Lost, text+", which has an encapsulation")
				continue
			}
			x := Route{To: to, IPv6: family == netlink.FAMILY_V6, Table: r.Table, Metric: r.Priority,
				Scope: int(r.Scope), Protocol: int(r.Protocol), Flags: r.Flags & unix.RTNH_F_ONLINK, MTU: r.MTU}
			if r.Gw != nil {
				x.Gateway = r.Gw.String()
			}
			if r.Src != nil {
				x.Source = r.Src.String()
			}
			p.Routes = append(p.Routes, x)
		}
	}
	// Routes to gateways have no gateway themselves, and must be restored first.
	slices.SortStableFunc(p.Routes, func(a, b Route) int { return len(a.Gateway) - len(b.Gateway) })
	return nil
}

// settings returns the kernel's settings of a port: a port that moves gets the defaults of its new namespace.
func settings(port string) map[string]string {
	out := map[string]string{}
	for _, family := range []string{"ipv4", "ipv6"} {
		folder := filepath.Join(family, "conf", port)
		entries, _ := os.ReadDir(filepath.Join(sysctls, folder))
		for _, e := range entries {
			if e.Name() == "mtu" {
				continue // the link's own
			}
			if b, err := os.ReadFile(filepath.Join(sysctls, folder, e.Name())); err == nil {
				out[filepath.Join(folder, e.Name())] = strings.TrimSpace(string(b))
			}
		}
	}
	return out
}

const sysctls = "/proc/sys/net"

// connection is one of ssh's.
type connection struct{ there, here netip.Addr }

// sessions returns the ssh connections over which this process was started. sudo removes the variable, but parent
// shells still have it.
func sessions() (out []connection) {
	for pid := os.Getpid(); pid > 1; {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil {
			for _, kv := range strings.Split(string(b), "\x00") {
				words := strings.Fields(strings.TrimPrefix(kv, "SSH_CONNECTION="))
				if !strings.HasPrefix(kv, "SSH_CONNECTION=") || len(words) != 4 {
					continue
				}
				there, err1 := netip.ParseAddr(words[0])
				here, err2 := netip.ParseAddr(words[2])
				c := connection{there.Unmap(), here.Unmap()}
				if err1 == nil && err2 == nil && !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return out
		}
		// The name is in parentheses and may contain parentheses.
		words := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(words) < 2 {
			return out
		}
		if pid, err = strconv.Atoi(words[1]); err != nil {
			return out
		}
	}
	return out
}

// leavesBy reports whether packets to an address leave through a link.
func leavesBy(nl *netlink.Handle, to netip.Addr, link int) bool {
	if to.IsLoopback() {
		return false
	}
	routes, err := nl.RouteGet(net.IP(to.AsSlice()))
	return err == nil && len(routes) > 0 && routes[0].LinkIndex == link
}
