package iproute

import (
	"testing"
)

// TestRouteMetrics: the metrics of a route that bound a connection are kept.
func TestRouteMetrics(t *testing.T) {
	routes, err := ParseIPRoute(
		[]byte(
			`[{"dst":"10.1.1.0/24","dev":"v0","scope":"link","prefsrc":"10.1.1.1","flags":[],"metrics":[{"window":20000,"cwnd":10,"initcwnd":5}]},
{"dst":"10.1.2.0/24","dev":"v1","scope":"link","prefsrc":"10.1.2.1","flags":[],"metrics":[{"mtu":1400}]}]`,
		),
	)
	if err != nil || len(routes) != 2 || routes[0].TCPWindow != 20000 || routes[0].Cwnd != 10 ||
		routes[1].TCPWindow != 0 ||
		routes[1].Cwnd != 0 {
		t.Errorf("%+v: %v", routes, err)
	}
}
