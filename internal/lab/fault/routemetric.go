package fault

import "fmt"

// routeWindow bounds the window that the receiver offers over one route.
var routeWindow = Fault{
	ID: "route-window", Title: "a route of the receiver with a window", Cause: "receive-window-cap", Kind: Live, Terrain: Far,
	Parameters: []Parameter{{Name: "window", Unit: "B", Low: 12 << 10, High: 60 << 10, Log: true}},
	Make:       func(p *Place, v Values) { p.routeMetric(p.Receiver, fmt.Sprintf("window %.0f", v["window"])) },
}

// routeMetric adds words to the connected route of an end's subnet.
func (p *Place) routeMetric(e End, words string) {
	route := fmt.Sprintf("ip route change %s dev %s proto kernel scope link src %s", e.Prefix, e.Interface, e.Address)
	p.run(e.Host, route+" "+words, route)
}
