package report

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// What the hosts of a volume did for it is said of the cell with the highest rate, and the copies of one that only writes.
func TestVolumeSaid(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	own := 0.25
	of := func(read string, rate float64) *record.Experiment {
		b := &record.Block{Hosts: []record.BlockHost{{Host: "vm1", Asks: true, Own: &own},
			{Host: "n1", Stores: true, Received: n(15e6), Processes: []record.ProcessCount{{Name: "glusterfsd", Count: 1, Cores: 0.5, WrittenBytes: n(20e6)}, {Name: "glusterfs", Count: 1, Cores: 0.125, WrittenBytes: n(9e6)}}},
			{Host: "n2", Stores: true, Received: n(5e6), Processes: []record.ProcessCount{{Name: "glusterfsd", Count: 1, Cores: 0.25, WrittenBytes: n(10e6)}}}}}
		if k := (&record.BlockCount{Bytes: 10e6}); read == "0%" {
			b.Write = k
		} else {
			b.Read = k
		}
		return &record.Experiment{Settings: map[string]string{"read": read}, Block: b, Bytes: &record.Estimate{Median: rate}}
	}
	text := strings.Join(volumeSaid([]*record.Experiment{of("100%", 5), of("0%", 3)}), "\n")
	for _, want := range []string{"cores that the processes of each host used (read 100%): n1 0.62 (glusterfsd 0.50, glusterfs 0.12); n2 0.25 (glusterfsd 0.25); of all that ask together 0.25",
		"copies (read 0%):", "3.00 times as much; over the network between the hosts came", ", 2.00 times as much"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if got := volumeSaid([]*record.Experiment{{Block: &record.Block{Hosts: []record.BlockHost{{Host: "nas", Stores: true}}}, Bytes: &record.Estimate{}}}); len(got) != 0 {
		t.Errorf("%v of a host that is no lab's", got)
	}
}
