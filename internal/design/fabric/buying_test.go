package fabric

import (
	"strings"
	"testing"
)

// What only buyers need: the slots of a machine, how far apart ends are, adapters.
const buying = `fabric: buying
hosts:
  a: {os: linux, slots: [pcie3x16, pcie 3.0 x8], nics: {n: {part: MCX354A-FCCT}}}
  b: {os: linux, nics: {n: {part: MCX311A-XCAT}}}
links: {ends: [a.n.1, b.n.1], cable: SFP+-DAC-3m, adapter: {part: QSA, price: 20 USD}, length: 2.5m}
`

func TestBuying(t *testing.T) {
	f, problems := loadText(t, buying)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := strings.Join(f.Hosts[0].Slots, " "); got != "pcie3x16 pcie3x8" {
		t.Errorf("slots: %q", got)
	}
	l := f.Links[0]
	if l.Length != 2.5 || l.Adapter.Part == nil || l.Adapter.Part.ID != "qsa" || l.Adapter.Price.Money.String() != "20 USD" || l.Adapted != [2]bool{true, false} {
		t.Errorf("%+v", l)
	}
	for _, x := range []struct{ old, new, want string }{
		{"pcie3x16", "sas3", `"sas3" is no PCI Express slot`},
		{"pcie3x16", "pcie", `"pcie" is no PCI Express slot`},
		{"2.5m", "0m", "0 m is not a length"},
		{"2.5m", "90000m", "90000 m is not a length"},
		{"2.5m", "far", "far"},
		{"part: QSA, price: 20 USD", "part: SFP+-DAC-1m", "is a cable"},
		{", adapter: {part: QSA, price: 20 USD}", "", "the sfp+ plug"},
		{"MCX311A-XCAT", "X540-T2", "does not fit"},
		{"[pcie3x16, pcie 3.0 x8]", "[" + strings.Repeat("pcie3x1, ", maxSlots+1) + "]", "there are 65 slots"},
	} {
		_, problems := loadText(t, strings.Replace(buying, x.old, x.new, 1))
		if len(problems) == 0 || !strings.Contains(problems.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.new, problems, x.want)
		}
	}
}
