package facts

import (
	"fmt"
	"net/netip"
	"slices"
)

// ipRoute is a route as "ip -j route" prints it.
type ipRoute struct {
	Type     string      `json:"type,omitempty"`
	Dst      string      `json:"dst"`
	Gateway  string      `json:"gateway,omitempty"`
	Via      *ipVia      `json:"via,omitempty"`
	Dev      string      `json:"dev,omitempty"`
	Source   string      `json:"prefsrc,omitempty"`
	Metric   int         `json:"metric,omitempty"`
	Flags    []string    `json:"flags"`
	Nexthops []ipNexthop `json:"nexthops,omitempty"`
	Metrics  []ipMetrics `json:"metrics,omitempty"`
}

// ipMetrics are those of a route's metrics that bound a connection. Whether one is locked is not in the JSON.
type ipMetrics struct {
	Window int64 `json:"window,omitempty"`
	Cwnd   int64 `json:"cwnd,omitempty"`
}

// ipVia is a gateway of the other family.
type ipVia struct {
	Family string `json:"family,omitempty"`
	Host   string `json:"host"`
}

type ipNexthop struct {
	Gateway string   `json:"gateway,omitempty"`
	Via     *ipVia   `json:"via,omitempty"`
	Dev     string   `json:"dev"`
	Weight  int      `json:"weight,omitempty"`
	Flags   []string `json:"flags"`
}

// parseIPRoute reads the JSON of "ip -j route" and "ip -j -6 route", that is of the
// main table. Next hops that the kernel has marked dead are left out.
// Format: https://man7.org/linux/man-pages/man8/ip-route.8.html, iproute2's ip/iproute.c.
func parseIPRoute(text []byte) ([]Route, error) {
	var list []ipRoute
	if err := parseJSON(text, &list); err != nil {
		return nil, err
	}
	// "default" is of either family; the other routes tell which list this is.
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
	routes := []Route{}
	var damage error
	for _, r := range list {
		dst, err := toPrefix(r.Dst, family)
		if err != nil {
			damage = partial{fmt.Errorf("%.60q is no destination", r.Dst)}
			continue
		}
		route := Route{Dst: dst, Metric: r.Metric}
		route.Source, _ = netip.ParseAddr(r.Source)
		if r.Type != "" && r.Type != "unicast" {
			route.Kind = r.Type
		}
		for _, m := range r.Metrics {
			route.Window, route.Cwnd = max(route.Window, m.Window), max(route.Cwnd, m.Cwnd)
		}
		hops := r.Nexthops
		if len(hops) == 0 {
			hops = []ipNexthop{{Gateway: r.Gateway, Via: r.Via, Dev: r.Dev, Flags: r.Flags}}
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
func putIPRoute(f *Facts, args []string, routes []Route) {
	if f.Routes == nil {
		f.Routes = []Route{}
	}
	for _, r := range routes {
		if r.Interface == "" && r.Kind == "" && len(args) == 1 {
			r.Interface = args[0]
		}
		f.Routes = append(f.Routes, r)
	}
}
