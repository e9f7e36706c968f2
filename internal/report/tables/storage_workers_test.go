package tables

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/reporttest"
)

// Workers that are alike are one line. How far apart they began, and which ended when, is printed.
func TestWorkersSaid(t *testing.T) {
	e := &record.Experiment{Settings: map[string]string{"size": "4KiB"},
		Block: &record.Block{Start: &record.BlockStart{Spread: 0.0034, Within: 0.0001, Host: "asks"}, SharedSeconds: 0.9}}
	for i := range 12 {
		first := float64(i) * 0.0003
		w := record.BlockWorker{Host: "asks", Target: fmt.Sprintf("nvme-tcp://10.0.0.%d:4420/x", i),
			Of: fmt.Sprintf("lun%d", i+1), Kind: "remote", Span: 64 << 20, Way: "nvme-tcp",
			LastSeconds: 0.9 + float64(i)*0.1, FirstSeconds: &first}
		e.Block.Workers = append(e.Block.Workers, w)
	}
	text := strings.Join(BlockSaid([]*record.Experiment{e}), "\n")
	reporttest.Has(t, text, "asks: 64 MiB of each remote lun[1-12]\n", "way: nvme-tcp\n",
		"12 workers began within 3.40 ms of each other; their clocks are known within 100 us",
		"the workers did not end together (size 4KiB): asks (lun1) after 900 ms, asks (lun12) after 2.00 s; throughput "+
			"and IOPS are of the 900 ms that all of them share")
}

// Each of several loads at once is printed.
func TestLoadsSaid(t *testing.T) {
	e := &record.Experiment{Block: &record.Block{Workers: []record.BlockWorker{
		{Host: "a", Load: "RND8K-Q32T1:70%", Read: 700, Write: 300},
		{Host: "a", Load: "SEQ32K-Q1T1:0%", Write: 50},
		{Host: "b", Load: "RND8K-Q32T1:70%", Read: 1000},
	}},
		Repeats: []record.Repeat{{Seconds: 2}}}
	if got := loadsSaid(e); got != "at once, in the last repeat: RND8K-Q32T1:70% 1.00 k IOPS; SEQ32K-Q1T1:0% 25.0 IOPS" {
		t.Errorf("%q", got)
	}
	e.Block.Workers = e.Block.Workers[:1]
	if got := loadsSaid(e); got != "" {
		t.Errorf("%q of one load", got)
	}
}

// The table has what the hosts of a volume did for it at the combination with the highest rate, and the copies of one
// that only writes.
func TestVolumeSaid(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	own := 0.25
	of := func(read string, rate float64) *record.Experiment {
		b := &record.Block{Hosts: []record.BlockHost{
			{Host: "vm1", Asks: true, Own: &own},
			{Host: "n1", Stores: true, Received: n(15e6),
				Processes: []record.ProcessCount{
					{Name: "glusterfsd", Count: 1, Cores: 0.5, WrittenBytes: n(20e6)},
					{Name: "glusterfs", Count: 1, Cores: 0.125, WrittenBytes: n(9e6)},
				}},
			{Host: "n2", Stores: true, Received: n(5e6),
				Processes: []record.ProcessCount{{Name: "glusterfsd", Count: 1, Cores: 0.25, WrittenBytes: n(10e6)}}},
		}}
		if k := (&record.BlockCount{Bytes: 10e6}); read == "0%" {
			b.Write = k
		} else {
			b.Read = k
		}
		return &record.Experiment{Settings: map[string]string{"read": read}, Block: b, Bytes: &record.Estimate{Median: rate}}
	}
	text := strings.Join(volumeSaid([]*record.Experiment{of("100%", 5), of("0%", 3)}), "\n")
	reporttest.Has(t, text, "cores that the processes of each host used (read 100%): n1 0.62 (glusterfsd 0.50, "+
		"glusterfs 0.12); n2 0.25 (glusterfsd 0.25); of all that ask together 0.25",
		"copies (read 0%):", "3.00 times as much; over the network between the hosts came", ", 2.00 times as much")
	if got := volumeSaid([]*record.Experiment{
		{Block: &record.Block{Hosts: []record.BlockHost{{Host: "nas", Stores: true}}}, Bytes: &record.Estimate{}},
	}); len(got) != 0 {
		t.Errorf("%v of a host outside a lab", got)
	}
}
