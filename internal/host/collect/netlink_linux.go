package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/facts"
	"linerate/internal/facts/parse/iproute"
)

const (
	// dumpTries is the number of attempts at a dump that changes while it is read.
	dumpTries = 5
	// dumpTimeout bounds one answer of the kernel, which answers immediately unless its lock is held.
	dumpTimeout = 2 * time.Second
	// maxRoutes bounds a snapshot on a router with the full Internet table.
	maxRoutes = 4096
	// maxNeighbours is the kernel's default limit (net.ipv4.neigh.default.gc_thresh3).
	maxNeighbours = 1024
)

var errUnstable = errors.New("unstable: it changed while it was read, " + itoa(dumpTries) + " times in a row; try " +
	"again when nothing changes interfaces or routes")

func itoa(n int) string { return strconv.Itoa(n) }

// dump reads a list, and repeats that if it changed meanwhile.
func dump[T any](get func() (T, error)) (T, error) {
	for range dumpTries {
		list, err := get()
		if !errors.Is(err, netlink.ErrDumpInterrupted) {
			return list, err
		}
	}
	var none T
	return none, errUnstable
}

// netlink adds what the kernel reports about links, queueing disciplines and, at the full level, addresses and routes,
// in the form in which ip and tc print it.
func (c *collector) netlink(full bool) []iproute.Link {
	h, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err == nil {
		defer h.Close()
		err = h.SetSocketTimeout(dumpTimeout)
	}
	if err != nil {
		c.unknown("netlink", err)
		return nil
	}
	var links []iproute.Link
	names := map[int]string{}
	c.read("ip -j -d -s -s link", func() ([]byte, error) {
		list, err := dump(h.LinkList)
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			names[l.Attrs().Index] = l.Attrs().Name
		}
		for _, l := range list {
			links = append(links, renderLink(l, names))
		}
		return renderJSON(links)
	})
	var qdiscs []netlink.Qdisc
	c.read("tc -j -s -d qdisc", func() ([]byte, error) {
		var err error
		if qdiscs, err = dump(func() ([]netlink.Qdisc, error) { return h.QdiscList(nil) }); err != nil {
			return nil, err
		}
		return renderJSON(renderQdiscs(qdiscs, names))
	})
	c.classes(h, qdiscs, names)
	if !full {
		return links
	}
	c.read("ip -j address", func() ([]byte, error) {
		list, err := dump(func() ([]netlink.Addr, error) { return h.AddrList(nil, netlink.FAMILY_ALL) })
		if err != nil {
			return nil, err
		}
		return renderJSON(renderAddresses(list, links))
	})
	c.read("ip -j neigh", func() ([]byte, error) {
		list, err := dump(func() ([]netlink.Neigh, error) { return h.NeighList(0, netlink.FAMILY_ALL) })
		if err != nil {
			return nil, err
		}
		return renderJSON(renderNeighbours(list, names))
	})
	for _, f := range []struct {
		option string
		family int
	}{{"", netlink.FAMILY_V4}, {" -6", netlink.FAMILY_V6}} {
		c.read("ip -j"+f.option+" route", func() ([]byte, error) {
			list, err := dump(func() ([]netlink.Route, error) { return mainRoutes(h, f.family) })
			if err != nil {
				return nil, err
			}
			routes := []iproute.Route{}
			for _, r := range list {
				routes = append(routes, renderRoute(r, names))
			}
			return renderJSON(routes)
		})
		c.read("ip -j"+f.option+" rule", func() ([]byte, error) {
			list, err := dump(func() ([]netlink.Rule, error) { return h.RuleList(f.family) })
			if err != nil {
				return nil, err
			}
			return renderJSON(renderRules(list))
		})
	}
	return links
}

// renderJSON writes a list, one entry a line.
func renderJSON[T any](list []T) ([]byte, error) {
	b := []byte("[")
	for i, v := range list {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		one, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b = append(b, one...)
	}
	return append(b, "]\n"...), nil
}

func renderLink(link netlink.Link, names map[int]string) iproute.Link {
	a := link.Attrs()
	l := iproute.Link{Index: a.Index, Name: a.Name, Alias: a.Alias, Flags: linkFlags(a.RawFlags), MTU: a.MTU,
		Master: names[a.MasterIndex], State: strings.ToUpper(a.OperState.String()), TxQLen: max(a.TxQLen, 0),
		LinkType: a.EncapType, Address: a.HardwareAddr.String(), TxQueues: a.NumTxQueues, RxQueues: a.NumRxQueues,
		GSOMax: a.GSOMaxSize, GSOSegs: a.GSOMaxSegs, GROMax: a.GROMaxSize, Bus: a.ParentDevBus, Device: a.ParentDev}
	if kind := link.Type(); kind != "device" && kind != "" {
		l.Info = &iproute.LinkInfo{Kind: kind}
		if facts.Stacked(kind) {
			l.Link = names[a.ParentIndex]
		}
		if v, ok := link.(*netlink.Vlan); ok {
			l.Info.Data = &iproute.LinkData{Protocol: v.VlanProtocol.String(), ID: v.VlanId}
		}
	}
	if a.Slave != nil {
		if l.Info == nil {
			l.Info = new(iproute.LinkInfo)
		}
		l.Info.SlaveKind = a.Slave.SlaveType()
	}
	l.VFs = renderFunctions(a.Vfs)
	if s := a.Statistics; s != nil {
		l.Stats64 = &iproute.LinkStatistics{
			Rx: map[string]uint64{"bytes": s.RxBytes, "packets": s.RxPackets, "errors": s.RxErrors, "dropped": s.RxDropped,
				"over_errors": s.RxOverErrors, "multicast": s.Multicast, "length_errors": s.RxLengthErrors,
				"crc_errors":   s.RxCrcErrors,
				"frame_errors": s.RxFrameErrors, "fifo_errors": s.RxFifoErrors, "missed_errors": s.RxMissedErrors},
			Tx: map[string]uint64{"bytes": s.TxBytes, "packets": s.TxPackets, "errors": s.TxErrors, "dropped": s.TxDropped,
				"carrier_errors": s.TxCarrierErrors, "collisions": s.Collisions, "aborted_errors": s.TxAbortedErrors,
				"fifo_errors": s.TxFifoErrors, "window_errors": s.TxWindowErrors, "heartbeat_errors": s.TxHeartbeatErrors},
		}
	}
	return l
}

// linkFlags names the flags as ip does (if.h, IFF_*).
func linkFlags(raw uint32) []string {
	flags := []string{}
	if raw&unix.IFF_UP != 0 && raw&unix.IFF_RUNNING == 0 {
		flags = append(flags, "NO-CARRIER")
	}
	for _, f := range []struct {
		bit  uint32
		name string
	}{
		{unix.IFF_LOOPBACK, "LOOPBACK"}, {unix.IFF_BROADCAST, "BROADCAST"}, {unix.IFF_POINTOPOINT, "POINTOPOINT"},
		{unix.IFF_MULTICAST, "MULTICAST"}, {unix.IFF_NOARP, "NOARP"}, {unix.IFF_ALLMULTI, "ALLMULTI"},
		{unix.IFF_PROMISC, "PROMISC"},
		{unix.IFF_MASTER, "MASTER"}, {unix.IFF_SLAVE, "SLAVE"}, {unix.IFF_UP, "UP"}, {unix.IFF_LOWER_UP, "LOWER_UP"},
		{unix.IFF_DORMANT, "DORMANT"},
	} {
		if raw&f.bit != 0 {
			flags = append(flags, f.name)
		}
	}
	return flags
}

func renderAddresses(list []netlink.Addr, links []iproute.Link) []iproute.Addresses {
	out := []iproute.Addresses{}
	for _, l := range links {
		entry := iproute.Addresses{Name: l.Name, Addresses: []iproute.Address{}}
		for _, a := range list {
			if a.LinkIndex != l.Index || a.IPNet == nil {
				continue
			}
			ones, _ := a.Mask.Size()
			one := iproute.Address{Family: familyName(a.IP), Local: a.IP.String(), Prefix: ones, Scope: scopeName(a.Scope)}
			if a.Peer != nil && !a.Peer.IP.Equal(a.IP) { // the prefix is the peer's
				one.Peer = a.Peer.IP.String()
				one.Prefix, _ = a.Peer.Mask.Size()
			}
			entry.Addresses = append(entry.Addresses, one)
		}
		out = append(out, entry)
	}
	return out
}

// renderNeighbours omits entries that are not hosts: multicast, and the entries of interfaces without addresses of
// their own.
func renderNeighbours(list []netlink.Neigh, names map[int]string) []iproute.Neighbour {
	out := []iproute.Neighbour{}
	for _, n := range list {
		if n.IP == nil || n.IP.IsMulticast() || n.State&(unix.NUD_NOARP|unix.NUD_NONE) != 0 || names[n.LinkIndex] == "" ||
			len(out) == maxNeighbours {
			continue
		}
		e := iproute.Neighbour{Dst: n.IP.String(), Dev: names[n.LinkIndex], MAC: n.HardwareAddr.String()}
		for _, s := range []struct {
			bit  int
			name string
		}{{unix.NUD_INCOMPLETE, "INCOMPLETE"}, {unix.NUD_REACHABLE, "REACHABLE"}, {unix.NUD_STALE, "STALE"},
			{unix.NUD_DELAY, "DELAY"},
			{unix.NUD_PROBE, "PROBE"}, {unix.NUD_FAILED, "FAILED"}, {unix.NUD_PERMANENT, "PERMANENT"}} {
			if n.State&s.bit != 0 {
				e.State = append(e.State, s.name)
			}
		}
		out = append(out, e)
	}
	return out
}

// scopeName names the scope of an address as ip does.
func scopeName(scope int) string {
	switch scope {
	case unix.RT_SCOPE_UNIVERSE:
		return "global"
	case unix.RT_SCOPE_LINK:
		return "link"
	case unix.RT_SCOPE_HOST:
		return "host"
	}
	return itoa(scope)
}

func familyName(ip net.IP) string {
	if ip.To4() != nil {
		return "inet"
	}
	return "inet6"
}

func mainRoutes(h *netlink.Handle, family int) ([]netlink.Route, error) {
	var routes []netlink.Route
	many := false
	filter := &netlink.Route{Table: unix.RT_TABLE_MAIN}
	err := h.RouteListFilteredIter(family, filter, netlink.RT_FILTER_TABLE, func(r netlink.Route) bool {
		many = len(routes) == maxRoutes
		if !many {
			routes = append(routes, r)
		}
		return !many
	})
	if many {
		return nil, fmt.Errorf("the table has more than %d routes, which is as many as are read", maxRoutes)
	}
	return routes, err
}

func renderRoute(r netlink.Route, names map[int]string) iproute.Route {
	out := iproute.Route{Dst: "default", Dev: names[r.LinkIndex], Metric: r.Priority, Flags: nexthopFlags(r.Flags)}
	if r.Dst != nil {
		if ones, bits := r.Dst.Mask.Size(); ones > 0 || bits == 0 {
			out.Dst = r.Dst.String()
		}
	}
	if name, ok := routeTypes()[r.Type]; ok {
		out.Type = name
	}
	if r.Src != nil {
		out.Source = r.Src.String()
	}
	if r.Window > 0 || r.Cwnd > 0 {
		out.Metrics = []iproute.Metrics{{TCPWindow: int64(r.Window), Cwnd: int64(r.Cwnd)}}
	}
	out.Gateway, out.Via = renderGateway(r.Gw, r.Via)
	for _, hop := range r.MultiPath {
		n := iproute.NextHop{Dev: names[hop.LinkIndex], Weight: hop.Hops + 1, Flags: nexthopFlags(hop.Flags)}
		n.Gateway, n.Via = renderGateway(hop.Gw, hop.Via)
		out.Nexthops = append(out.Nexthops, n)
	}
	return out
}

func routeTypes() map[int]string {
	return map[int]string{unix.RTN_BLACKHOLE: "blackhole", unix.RTN_UNREACHABLE: "unreachable",
		unix.RTN_PROHIBIT: "prohibit", unix.RTN_THROW: "throw"}
}

func renderGateway(gw net.IP, via netlink.Destination) (string, *iproute.Via) {
	if v, ok := via.(*netlink.Via); ok && v != nil {
		return "", &iproute.Via{Host: v.Addr.String()}
	}
	if gw == nil {
		return "", nil
	}
	return gw.String(), nil
}

func nexthopFlags(flags int) []string {
	names := []string{}
	for bit, name := range map[int]string{unix.RTNH_F_DEAD: "dead", unix.RTNH_F_ONLINK: "onlink",
		unix.RTNH_F_LINKDOWN: "linkdown"} {
		if flags&bit != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func renderRules(list []netlink.Rule) []iproute.Rule {
	rules := []iproute.Rule{}
	for _, r := range list {
		out := iproute.Rule{Priority: max(r.Priority, 0), Source: "all", Table: itoa(r.Table)}
		switch r.Table {
		case unix.RT_TABLE_LOCAL:
			out.Table = "local"
		case unix.RT_TABLE_MAIN:
			out.Table = "main"
		case unix.RT_TABLE_DEFAULT:
			out.Table = "default"
		}
		if r.Src != nil {
			out.Source = r.Src.String()
		}
		rules = append(rules, out)
	}
	return rules
}

// renderFunctions writes the functions of SR-IOV as "ip -j -d link" does (ip/ipaddress.c, print_vfinfo). Where a driver
// does not have a setting, the kernel returns all ones, and ip omits it. The library only reports whether spoof
// checking is off.
func renderFunctions(list []netlink.VfInfo) (out []iproute.VFInfo) {
	for _, v := range list {
		spoof := v.Spoofchk
		vf := iproute.VFInfo{VF: v.ID, MAC: v.Mac.String(), SpoofCheck: &spoof}
		if v.Vlan != 0 {
			vf.VLANs = []iproute.VFVLAN{{VLAN: v.Vlan}}
		}
		switch v.LinkState {
		case 0:
			vf.LinkState = "auto"
		case 1:
			vf.LinkState = "enable"
		case 2:
			vf.LinkState = "disable"
		}
		switch v.Trust {
		case 0:
			vf.Trust = json.RawMessage("false")
		case 1:
			vf.Trust = json.RawMessage("true")
		}
		out = append(out, vf)
	}
	return out
}
