package explain

import (
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// explainedCosts returns what packets and bytes cost in a recorded run, after edit has changed the text of its
// snapshots.
func explainedCosts(t *testing.T, name string, edit func(text string) string) []record.Cost {
	t.Helper()
	run, read := load(t, name).run, load(t, name).read
	Variants([]*plan.Plan{planOf(t, run)}, run, func(name string) ([]byte, error) {
		text, err := read(name)
		return []byte(edit(string(text))), err
	})
	return run.Costs
}

// In a recorded run without offloads, every packet is handled on its own and is nearly as large as its MTU allows. A
// CPU second carries more bits in large packets. The run separates the cost of a packet from that of a byte, in the
// right order of magnitude.
func TestCostsOfRecordedMTUs(t *testing.T) {
	all := explainedCosts(t, "two-mtus", func(text string) string { return text })
	if len(all) != 2 || all[0].Settings["streams"] != "1" || all[1].Settings["streams"] != "4" {
		t.Fatalf("%+v", all)
	}
	for _, c := range all {
		if c.Host != "nas+workstation" || c.End != "both" || c.Why != "" || len(c.Merged) > 0 || c.Repeats != 3 ||
			len(c.Combinations) != 2 {
			t.Fatalf("%+v", c)
		}
		for i, most := range []float64{1448, 8948} {
			if x := c.Combinations[i]; x.Packet > most || x.Packet < most*0.9 {
				t.Errorf("MTU %s: packets carry %.0f bytes, want up to %.0f", x.MTU, x.Packet, most)
			}
		}
		if small, large := c.Combinations[0], c.Combinations[1]; small.MTU != "1500" || large.MTU != "9000" ||
			large.Measured < 2*small.Measured {
			t.Errorf("a CPU second carries %.3g bits at MTU %s and %.3g at %s", small.Measured, small.MTU, large.Measured,
				large.MTU)
		}
		if p, b := c.PerPacket, c.PerByte; p == nil || b == nil || p.Median < 1e-6 || p.Median > 2e-6 || b.Median < 2e-10 ||
			b.Median > 4e-10 || c.PerCall != nil {
			t.Errorf("a packet costs %+v, a byte %+v, a call %+v", p, b, c.PerCall)
		}
	}
}

// Where packets were not counted, the cost of a byte includes theirs, and the record says so.
func TestCostsOfRecordedMTUsWithoutCounters(t *testing.T) {
	all := explainedCosts(t, "two-mtus", func(text string) string {
		return strings.ReplaceAll(text, `"packets":`, `"nothing":`)
	})
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	for _, c := range all {
		if c.PerPacket != nil || c.PerByte == nil || !strings.Contains(c.Why, "not counted") {
			t.Errorf("%+v", c)
		}
	}
}
