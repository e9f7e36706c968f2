package read

import (
	"slices"
	"testing"
)

func TestIfconfig(t *testing.T) {
	f := load(t, "freebsd.txtar")
	if pfc, why := f.NIC("mce0").Effect.PFC(); !slices.Equal(pfc, []int{3}) {
		t.Error(pfc, why)
	}
	if b := f.NIC("lagg0").Bond; !b.Spreads() || b.PerPacket() {
		t.Errorf("%+v", b)
	}
}
