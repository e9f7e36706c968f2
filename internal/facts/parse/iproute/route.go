package iproute

import (
	"fmt"
	"net/netip"
	"slices"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Route is a route of "ip -j route".
type Route struct {
	Type     string    `json:"type,omitempty"`
	Dst      string    `json:"dst"`
	Gateway  string    `json:"gateway,omitempty"`
	Via      *Via      `json:"via,omitempty"`
	Dev      string    `json:"dev,omitempty"`
	Source   string    `json:"prefsrc,omitempty"`
	Metric   int       `json:"metric,omitempty"`
	Flags    []string  `json:"flags"`
	Nexthops []NextHop `json:"nexthops,omitempty"`
	Metrics  []Metrics `json:"metrics,omitempty"`
}

// Metrics are the metrics of a route that bound a connection. The JSON omits whether one is locked.
type Metrics struct {
	TCPWindow int64 `json:"window,omitempty"`
	Cwnd      int64 `json:"cwnd,omitempty"`
}

// Via is a gateway of the other family.
type Via struct {
	Family string `json:"family,omitempty"`
	Host   string `json:"host"`
}

type NextHop struct {
	Gateway string   `json:"gateway,omitempty"`
	Via     *Via     `json:"via,omitempty"`
	Dev     string   `json:"dev"`
	Weight  int      `json:"weight,omitempty"`
	Flags   []string `json:"flags"`
}

// ParseIPRoute reads the JSON of "ip -j route" and "ip -j -6 route", the main table. It ignores next hops that the
// kernel marked dead. Format: https://man7.org/linux/man-pages/man8/ip-route.8.html, iproute2's ip/iproute.c.
func ParseIPRoute(text []byte) ([]facts.Route, error) {
	var list []Route
	if err := parse.ParseJSON(text, &list); err != nil {
		return nil, err
	}
	// "default" is of either family, which the other routes of the list determine.
	family := netip.IPv4Unspecified()
	for _, r := range list {
		for _, s := range []string{r.Dst, r.Gateway, r.Source} {
			if p, err := toPrefix(s, family); err == nil && s != "default" && p.Addr().Is6() {
				family = netip.IPv6Unspecified()
			}
		}
		for _, hop := range r.Nexthops {
			if a, err := netip.ParseAddr(hop.Gateway); err == nil && a.Is6() {
				family = netip.IPv6Unspecified()
			}
		}
	}
	routes := []facts.Route{}
	var damage error
	for _, r := range list {
		dst, err := toPrefix(r.Dst, family)
		if err != nil {
			damage = parse.Partial{Err: fmt.Errorf("%.60q is not a destination", r.Dst)}
			continue
		}
		route := facts.Route{Dst: dst, Metric: r.Metric}
		route.Source, _ = netip.ParseAddr(r.Source)
		if r.Type != "" && r.Type != "unicast" {
			route.Kind = r.Type
		}
		for _, m := range r.Metrics {
			route.TCPWindow, route.Cwnd = max(route.TCPWindow, m.TCPWindow), max(route.Cwnd, m.Cwnd)
		}
		hops := r.Nexthops
		if len(hops) == 0 {
			hops = []NextHop{{Gateway: r.Gateway, Via: r.Via, Dev: r.Dev, Flags: r.Flags}}
		}
		for _, hop := range hops {
			if slices.Contains(hop.Flags, "dead") {
				continue
			}
			via := hop.Gateway
			if hop.Via != nil {
				via = hop.Via.Host
			}
			route.Gateway, _ = netip.ParseAddr(via)
			route.Interface = hop.Dev
			routes = append(routes, route)
		}
	}
	return routes, damage
}

// toPrefix reads a destination: "default", a prefix, or one address.
func toPrefix(s string, family netip.Addr) (netip.Prefix, error) {
	if s == "default" {
		return netip.PrefixFrom(family, 0), nil
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(a.WithZone(""), a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	return p.Masked(), err
}

// putIPRoute adds routes; args is the device of "ip route show dev X", if any.
func putIPRoute(f *parse.Builder, args []string, routes []facts.Route) {
	if f.Routes == nil {
		f.Routes = []facts.Route{}
	}
	for _, r := range routes {
		if r.Interface == "" && r.Kind == "" && len(args) == 1 {
			r.Interface = args[0]
		}
		f.Routes = append(f.Routes, r)
	}
}
