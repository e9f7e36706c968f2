package network

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/design/plan"
	"linerate/internal/traffic"
)

// The paths of a connection have the labels of the plan's links; a path between two links has none, and a connection
// that fell back is reported next to those that did not.
func TestMultipath(t *testing.T) {
	port := func(address, link string) *plan.Port {
		return &plan.Port{Address: netip.MustParsePrefix(address), Link: link}
	}
	p := &plan.Plan{Links: []*plan.Link{{Name: "a.1--b.1", Label: "C1"}, {Name: "a.2--b.2", Label: "C2"}},
		Hosts: []*plan.Host{
			{Name: "a", Ports: []*plan.Port{port("10.0.1.1/24", "a.1--b.1"), port("10.0.2.1/24", "a.2--b.2"), {}}},
			{Name: "b", Ports: []*plan.Port{port("10.0.1.2/24", "a.1--b.1"), port("10.0.2.2/24", "a.2--b.2")}}}}
	subflow := func(local, remote string, sent int64) traffic.Subflow {
		f := traffic.Subflow{Local: netip.MustParseAddrPort(local), Remote: netip.MustParseAddrPort(remote)}
		if sent > 0 {
			f.Sent = &sent
		}
		return f
	}
	from := &traffic.Outcome{Streams: []traffic.StreamEnd{{Active: true, Subflows: []traffic.Subflow{
		subflow("10.0.1.1:40000", "10.0.1.2:50000", 3<<20), subflow("10.0.2.1:40001", "10.0.2.2:50000", 5<<20),
		subflow("10.0.1.1:40002", "10.0.2.2:50000", 0)}}}}
	to := &traffic.Outcome{Streams: []traffic.StreamEnd{{Subflows: from.Streams[0].Subflows}}}
	effect := map[string]string{"multipath": "1 of 2 connections fell back to TCP: its options were taken out"}
	multipath(effect, Spec{Links: linkLabels(p)}, from, to)
	want := "link C1 (10.0.1.1:40000 -> 10.0.1.2:50000): 3 MiB sent; " +
		"link C2 (10.0.2.1:40001 -> 10.0.2.2:50000): 5 MiB sent; " +
		"10.0.1.1:40002 -> 10.0.2.2:50000: not counted over the interval; " +
		"1 of 2 connections fell back to TCP: its options were taken out"
	if diff := cmp.Diff(want, effect["multipath"]); diff != "" {
		t.Error(diff)
	}
	none := map[string]string{}
	multipath(none, Spec{}, &traffic.Outcome{Streams: []traffic.StreamEnd{{Active: true}}}, &traffic.Outcome{})
	if len(none) != 0 {
		t.Errorf("of plain TCP: %v", none)
	}
}
