package figures

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/record/claims"
)

// Every entry of the tables of pasted figures is needed.
func TestWithoutAFigureCause(t *testing.T) {
	t.Parallel()
	lost := func(alone []Cause, grouped []GroupCause) (out []string) {
		for _, c := range figureCases(t) {
			all := c.claims(t)
			judgeClaims(alone, grouped, all)
			if all[0].Verdict.Limiter != c.limiter {
				out = append(out, c.name)
			}
		}
		return out
	}
	if wrong := lost(Causes(), GroupCauses()); len(wrong) > 0 {
		t.Fatalf("with every cause: %v", wrong)
	}
	for i, cause := range Causes() {
		names := lost(slices.Delete(Causes(), i, i+1), GroupCauses())
		if len(names) == 0 {
			t.Errorf("without Causes()[%d] (%s) every figure is judged as rightly as with it", i, cause.Title)
		}
		t.Logf("| figureCauses[%d] (%s) | %s |", i, cause.Title, strings.Join(names, ", "))
	}
	for i, cause := range GroupCauses() {
		names := lost(Causes(), slices.Delete(GroupCauses(), i, i+1))
		if len(names) == 0 {
			t.Errorf("without figureGroupCauses[%d] (%s) every figure is judged as rightly as with it", i, cause.Title)
		}
		t.Logf("| figureGroupCauses[%d] (%s) | %s |", i, cause.Title, strings.Join(names, ", "))
	}
}

// figureCase is a figure with its true verdict.
type figureCase struct {
	name, limiter string
	claims        func(t *testing.T) []*Claim // the first is judged
}

func figureCases(t *testing.T) []figureCase {
	t.Helper()
	said := func(rate unit.BitRate, a path.Asked, over string) func(*testing.T) []*Claim {
		return func(t *testing.T) []*Claim { return []*Claim{heldClaim(t, claims.Said(rate, "said"), a, over)} }
	}
	streams := func(t *testing.T) []*Claim {
		return []*Claim{claim(t, claims.Figure{Tool: "iperf3", Rate: 12e9, Streams: []unit.BitRate{3e9, 3e9, 3e9, 2.99e9},
			OneThread: unit.Known(true), SenderCPU: unit.Known(0.99)}, 40e9, 1500)}
	}
	row := func(t *testing.T, depth, threads int, latency, bytes float64) *Claim {
		f := claims.Said(unit.BitRate(8*bytes), "row")
		f.Tool, f.Row, f.Way, f.Block, f.Pattern = "crystaldiskmark", "RND", "read", 4096, "random"
		f.Depth, f.Threads, f.Latency = unit.Known(depth), unit.Known(threads), unit.Known(latency)
		return heldClaim(t, f, path.Asked{Drive: "pcie4x4", WithoutLink: true}, "")
	}
	return []figureCase{
		{"less than a rate that the bus does not reach", "pcie", func(t *testing.T) []*Claim {
			c, errs := NewClaim(claims.Said(20e9, "said"), Said{Name: "<20G", LessThan: true},
				path.Asked{Rate: 100e9, PCIe: "1.1x8", Frame: ceiling.Ethernet{MTU: 1500}}, transport(t, "rocev2"))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			return []*Claim{c}
		}},
		{"line rate of 25GbE", "layer-mixed", said(25e9, path.Asked{Rate: 25e9}, "tcp")},
		{"frames of 10GbE", "layer-mixed", said(9.6e9, path.Asked{Rate: 10e9}, "tcp")},
		{"two functions of one port, added", "above-ceiling", said(189.85e9, path.Asked{Rate: 200e9, PathMTU: 1024},
			"rocev2")},
		{"QL41212 in 3.0x2, MaxPayload not known", "pcie", said(13e9, path.Asked{Rate: 25e9, PCIe: "3.0x2"}, "rocev2")},
		{"ib_send_bw on 100GbE", "link", said(97e9, path.Asked{Rate: 100e9, PathMTU: 4096}, "rocev2")},
		{"four streams of one thread", "tool-single-thread", streams},
		{"one request at a time, and 512", record.LimiterOneConnection, func(t *testing.T) []*Claim {
			return []*Claim{row(t, 1, 1, 48.38e-6, 84.503e6), row(t, 32, 16, 494.56e-6, 4094.649e6)}
		}},
	}
}
