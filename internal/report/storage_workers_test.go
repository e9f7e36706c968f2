package report

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/record"
)

// Workers that are alike are one line; how far apart they began, and who ended when, is said.
func TestWorkersSaid(t *testing.T) {
	e := &record.Experiment{Settings: map[string]string{"size": "4KiB"}, Block: &record.Block{Start: &record.BlockStart{Spread: 0.0034, Within: 0.0001, Host: "asks"}, SharedSeconds: 0.9}}
	for i := range 12 {
		first := float64(i) * 0.0003
		w := record.BlockWorker{Host: "asks", Target: fmt.Sprintf("nvme-tcp://10.0.0.%d:4420/x", i), Of: fmt.Sprintf("lun%d", i+1), Kind: "remote", Span: 64 << 20, Way: "nvme-tcp", LastSeconds: 0.9 + float64(i)*0.1, FirstSeconds: &first}
		e.Block.Workers = append(e.Block.Workers, w)
	}
	text := strings.Join(blockSaid([]*record.Experiment{e}), "\n")
	for _, want := range []string{"asks: 64 MiB of each remote lun[1-12]\n", "way: nvme-tcp\n", "12 workers began within 3.40 ms of each other; their clocks are known within 100 us",
		"the workers did not end together (size 4KiB): asks (lun1) after 900 ms, asks (lun12) after 2.00 s; throughput and IOPS are of the 900 ms that all of them share"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Of loads that stand beside each other each is told.
func TestLoadsSaid(t *testing.T) {
	e := &record.Experiment{Block: &record.Block{Workers: []record.BlockWorker{{Host: "a", Load: "RND8K-Q32T1:70%", Read: 700, Write: 300}, {Host: "a", Load: "SEQ32K-Q1T1:0%", Write: 50}, {Host: "b", Load: "RND8K-Q32T1:70%", Read: 1000}}}, Repeats: []record.Repeat{{Seconds: 2}}}
	if got := loadsSaid(e); got != "at once, in the last repeat: RND8K-Q32T1:70% 1.00 k IOPS; SEQ32K-Q1T1:0% 25.0 IOPS" {
		t.Errorf("%q", got)
	}
	e.Block.Workers = e.Block.Workers[:1]
	if got := loadsSaid(e); got != "" {
		t.Errorf("%q of one load", got)
	}
}
