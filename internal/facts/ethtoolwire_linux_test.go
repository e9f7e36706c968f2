package facts

import (
	"strings"
	"testing"
)

// What is asked of the kernel reads back as what ethtool prints.
func TestRenderedModes(t *testing.T) {
	var b strings.Builder
	b.WriteString("Settings for e1:\n")
	renderModes(&b, "Supported link modes", []uint32{1<<12 | 1<<31 | 1<<6, 1 << 0}) // 10000baseT, 25000baseCR, Autoneg, 25000baseKR
	renderModes(&b, "Advertised link modes", []uint32{0, 0})
	renderSpeed(&b, 25000, 1)
	f := new(Facts)
	if err := readEthtoolLink(f, []string{"e1"}, []byte(b.String())); err != nil {
		t.Fatal(err)
	}
	w := f.nic("e1").Wire
	var names []string
	for _, m := range w.Supported {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "10000baseT/Full 25000baseCR/Full 25000baseKR/Full" || len(w.Advertised) != 0 || Fastest(w.Supported) != 25e9 || f.nic("e1").Speed.Or(0) != 25e9 {
		t.Errorf("%s; %+v; from %s", got, w, b.String())
	}
}
