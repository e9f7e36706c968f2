package guide

import (
	"fmt"
	"net/netip"
	"slices"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
)

// pair is a test: from one port to another.
type pair struct {
	from, to *plan.Port
	path     plan.Path
}

// pairs returns the tests: in each network from every host to one, which on a link between two is the other end. That
// one should not run Windows, whose firewall would need a rule. more reports whether a host has several ports in one
// network; the test uses the one that its system chooses.
func (w *writer) pairs() (out []pair, more bool) {
	members := map[netip.Prefix][]*plan.Port{}
	for _, h := range w.p.Hosts {
		for _, p := range h.Ports {
			if p.Address.IsValid() {
				members[p.Address.Masked()] = append(members[p.Address.Masked()], p)
			}
		}
	}
	for _, r := range w.ranges() {
		ports := members[r]
		hub := ports[max(0, slices.IndexFunc(ports, func(p *plan.Port) bool { return w.p.Host(p.Host).OS != "windows" }))]
		tested := map[string]bool{hub.Host: true}
		known := map[string]plan.Path{} // from a switch
		for _, p := range ports {
			if tested[p.Host] {
				more = more || p != hub
				continue
			}
			if path, ok := w.path(p, hub, known); ok {
				out, tested[p.Host] = append(out, pair{p, hub, path}), true
			}
		}
	}
	return out, more
}

// path returns the path between two ports. Paths from ports of one switch differ only in the first link, so they are
// searched once.
func (w *writer) path(from, to *plan.Port, known map[string]plan.Path) (plan.Path, bool) {
	link := w.p.Link(from.Link)
	if link == nil {
		return plan.Path{}, false
	}
	at := link.Ends[0].Switch + link.Ends[1].Switch // one of them is empty: the other end is the port's
	if path, ok := known[at]; ok && at != "" && len(path.Links) > 1 {
		path.From, path.FromPort = from.Host, from
		path.NoTimestamps[0] = w.p.Host(from.Host).NoTimestamps()
		path.Links = slices.Clone(path.Links)
		path.Links[0] = link
		path.Bundles = make([]*plan.Bundle, len(path.Links))
		path.Bundles[0], path.Bundles[len(path.Links)-1] = w.p.Bundle(from), w.p.Bundle(to)
		return path, true
	}
	for _, path := range w.p.Paths(from.Host, to.Host) {
		if path.FromPort == from && path.ToPort == to {
			known[at] = path
			return path, true
		}
	}
	return plan.Path{}, false
}

// test is a row of the table of tests, for all hosts with the same test.
type test struct {
	to, ping, whole, iperf, rate, why string
}

// tests writes the commands that test each link, and what they should show.
func (w *writer) tests() {
	pairs, more := w.pairs()
	if len(pairs) == 0 {
		return
	}
	w.section("Test each link")
	w.say("1. Check the speed of each port. It must be the speed in the table of cables. %s.",
		w.by(func(s system) string { return s.speed }))
	w.firewall(pairs)
	w.step = 1
	w.next("For each row, start `iperf3 -s` on the host in column \"to\". Then run the commands on the host in column " +
		"\"from\". Add `-R` for the other direction. Omit `-P 8` for one stream.")
	var tests []test
	from := map[test][]*plan.Host{}
	large := false
	for _, x := range pairs {
		h, name := w.p.Host(x.from.Host), w.name(x)
		t := test{to: x.to.Host, iperf: "iperf3 -c " + name + " -P 8"}
		t.ping, t.whole = pings(h, x, name)
		if t.rate, t.why = expect(x.path, x.path.Timestamps()); t.rate == "" {
			t.rate = "unknown"
		}
		large = large || t.whole != ""
		if from[t] == nil {
			tests = append(tests, t)
		}
		from[t] = append(from[t], h)
	}
	rows := [][]string{{"from", "to", "ping", "throughput", "ceiling", "limited by"}}
	for _, t := range tests {
		rows = append(rows, []string{w.names(from[t]), t.to, t.ping, t.iperf, t.rate, t.why})
		if t.whole != "" {
			rows = append(rows, []string{"", "", t.whole})
		}
	}
	w.table(rows, "tests of the same kind: one for every link between two hosts, and one for each host of other networks")
	if more {
		w.under("A host has several ports in one network. To test one of them, add `-B` and its address to iperf3.")
	}
	if large {
		w.under("The second ping sends a packet of the full MTU without fragmentation. If it fails and the first one " +
			"works, a device on the path has a smaller MTU.")
	}
	if slices.ContainsFunc(tests, func(t test) bool { return t.rate != "unknown" }) {
		w.figures(pairs)
	}
	w.next("iperf3: %s.", w.by(func(s system) string { return s.iperf }))
	w.linerate()
}

// figures describes how to read the ceilings.
func (w *writer) figures(pairs []pair) {
	w.under("The ceiling is computed: TCP payload in full Ethernet frames of that MTU. It is the lower one of link " +
		"and slot, if the file names the slot. Eight streams on idle hosts come close to it. One stream is often " +
		"slower, because one CPU core at each end does all its work. iperf3 before 3.16 uses one core for all streams " +
		"(its release notes).")
	for _, x := range pairs {
		if x.path.Timestamps() {
			continue
		}
		with, _ := expect(x.path, true)
		if without, _ := expect(x.path, false); with != "" && with != without {
			w.under("Windows sends no TCP timestamps by default. The ceiling with a Windows end is %s; with timestamps it "+
				"is %s.", without, with)
			break
		}
	}
	w.under("If both ports of a cable have a link but ping gets no answer, there are two usual causes. Two cables of " +
		"one machine are swapped (every link is its own network), or a firewall drops the packets.")
	if rows := w.narrowSlots(); len(rows) > 0 {
		w.under("If the result is far below the ceiling, check how many PCIe lanes the NIC uses. Linux: `lspci -vv` " +
			"(LnkSta); FreeBSD: `pciconf -lc` (link); Windows: `Get-NetAdapterHardwareInfo`. Fewer lanes carry:")
		w.table(append([][]string{{"NIC", "lanes"}}, rows...), "NICs")
	}
}

// narrowSlots returns the slot widths that would limit NICs whose slot is not in the file.
func (w *writer) narrowSlots() [][]string {
	var rows [][]string
	seen := map[string]bool{}
	for _, h := range w.p.Hosts {
		for _, n := range h.Decl.NICs {
			ports := plugged(h, n)
			if n.Part == nil || n.Slot != "" || n.Part.PCIe == nil || len(ports) == 0 || seen[n.Part.Name] {
				continue
			}
			seen[n.Part.Name] = true
			row := []string{n.Part.Name}
			for lanes := 1; lanes < n.Part.PCIe.Lanes; lanes *= 2 {
				if c := carries(n.Part.PCIe.Gen, lanes); c > 0 && c < ports[0].Speed {
					row = append(row, fmt.Sprintf("PCIe %d.0 x%d: %s", n.Part.PCIe.Gen, lanes, c))
				}
			}
			if len(row) > 1 {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// firewall writes the firewall rules that a host with Windows needs to answer.
func (w *writer) firewall(pairs []pair) {
	hosts := xslices.Filter(w.p.Hosts, func(h *plan.Host) bool { return h.OS == "windows" })
	if len(hosts) == 0 {
		return
	}
	need := " The tests below start on Windows and need no rule."
	if slices.ContainsFunc(pairs, func(x pair) bool { return w.p.Host(x.to.Host).OS == "windows" }) {
		need = ""
	}
	w.under("%s: the Windows firewall blocks incoming ping and iperf3 by default, although the link works. "+
		"Microsoft's documentation says so: DefaultInboundAction is Block by default.%s To allow both from the local "+
		"subnets, run in PowerShell as administrator:", w.names(hosts), need)
	w.say("")
	icmp := "-Protocol ICMPv4 -IcmpType 8"
	if slices.ContainsFunc(w.ranges(), func(r netip.Prefix) bool { return r.Addr().Is6() }) {
		icmp = "-Protocol ICMPv6 -IcmpType 128"
	}
	w.say("       New-NetFirewallRule -DisplayName 'linerate ping' -Direction Inbound %s -RemoteAddress LocalSubnet "+
		"-Action Allow", icmp)
	w.say("       New-NetFirewallRule -DisplayName 'linerate iperf3' -Direction Inbound -Protocol TCP -LocalPort 5201 " +
		"-RemoteAddress LocalSubnet -Action Allow")
	w.say("")
	w.under("After the test, remove both rules:")
	w.say("")
	w.say("       Remove-NetFirewallRule -DisplayName 'linerate ping', 'linerate iperf3'")
	w.say("")
	w.under("Source: Microsoft's reference of New-NetFirewallRule. Not tested on Windows yet.")
}

// name returns the other end's name at the from end: that of the hosts file, else its address.
func (w *writer) name(x pair) string {
	if w.named() {
		for _, n := range w.p.Host(x.from.Host).Names {
			if n.Address == x.to.Address.Addr() && len(n.Names) > 0 {
				return n.Names[0]
			}
		}
	}
	return x.to.Address.Addr().String()
}

// pings returns a plain ping, and with an MTU above 1500 one of the full length that must not be fragmented; empty:
// none is known.
func pings(h *plan.Host, x pair, name string) (plain, whole string) {
	six, mtu := x.to.Address.Addr().Is6(), min(x.from.MTU, x.to.MTU)
	size := mtu - 28 // the headers of IPv4 and ICMP
	if six {
		size = mtu - 48
	}
	plain = "ping -c 3 " + name
	switch systemOf(h) {
	case "windows":
		plain = "ping " + name
		if !six { // -f works only with IPv4
			whole = fmt.Sprintf("ping -f -l %d %s", size, name)
		}
	case "freebsd":
		whole = fmt.Sprintf("ping -c 3 -D -s %d %s", size, name)
		if six {
			plain, whole = "ping6 -c 3 "+name, fmt.Sprintf("ping6 -c 3 -m -s %d %s", size, name)
		}
	case "linux":
		whole = fmt.Sprintf("ping -c 3 -M do -s %d %s", size, name)
	}
	if mtu <= 1500 {
		whole = ""
	}
	return plain, whole
}

// linerate describes how linerate itself tests it.
func (w *writer) linerate() {
	without := xslices.Filter(w.p.Hosts, func(h *plan.Host) bool { return h.Connection == "" })
	connection := ""
	if len(without) > 0 {
		connection = fmt.Sprintf(" First add `connect: ssh USER@HOST` to the file for: %s.", w.names(without))
	}
	w.next("With linerate: `linerate run %s` tests the links as the file says, and names the bottleneck of each. "+
		"`linerate ceiling %s` lists the ceilings.%s", w.p.Arguments(), w.p.Arguments(), connection)
}
