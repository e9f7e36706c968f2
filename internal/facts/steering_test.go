package facts

import (
	"slices"
	"testing"
)

func TestCPUMask(t *testing.T) {
	for text, want := range map[string][]int{
		"0": nil, "00000000,00000000": nil, "3": {0, 1}, "00000001,0000ff00": {8, 9, 10, 11, 12, 13, 14, 15, 32}, "1,00000000,00000000": {64},
	} {
		set, ok := parseCPUMask(text)
		if !ok || !slices.Equal(set.List(), want) {
			t.Errorf("%s: %v, %v", text, set.List(), ok)
		}
	}
	for _, text := range []string{"", ",", "0-3", "xyz", "1 2"} {
		if set, ok := parseCPUMask(text); ok {
			t.Errorf("%q is no mask, and it is read as %v", text, set)
		}
	}
}

// What a pair of interfaces with four queues says.
func TestSteering(t *testing.T) {
	f := load(t, "host.txtar")
	v0 := f.NIC("v0")
	if v0 == nil || len(v0.Steered) != 6 || !v0.RPS.Or(false) {
		t.Fatalf("%+v", v0)
	}
	rx, tx := v0.Steered[0], v0.Steered[4]
	if rx.Transmit || rx.Queue != 0 || !slices.Equal(rx.CPUs.List(), []int{0, 1}) || !tx.Transmit || tx.Queue != 2 || tx.CPUs.List() != nil || tx.Line != "/sys/class/net/v0/queues/tx-2/xps_cpus:0" {
		t.Errorf("%+v %+v", rx, tx)
	}
	if v1 := f.NIC("v1"); v1.RPS.Or(true) || len(v1.Steered) != 1 {
		t.Errorf("%+v", v1)
	}
	if q := f.NIC("ens1").Steered[1]; !slices.Equal(q.CPUs.List(), []int{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("%+v", q)
	}
}
