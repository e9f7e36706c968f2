package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/design/plan"
)

// bought is a fabric with every role, every origin of a price and two currencies.
const bought = `fabric: bought
hosts:
  a: {os: linux, price: 450 EUR, nics: {n: {part: MCX354A-FCCT, price: 25.33 USD / 2}}, drives: {d: {part: P5800X, price: owned}}}
  b: {os: linux, nics: {n: {part: MCX354A-FCCT, price: 25.33 USD / 2}, m: {part: SP350, speed: 100G}}}
  "h[1-4]": {os: linux, nics: {n: {part: MCX512A-ACAT}}}
switches:
  sw: {part: CRS504}
links:
  - {ends: [a.n.1, b.n.1], cable: {part: FCBG410QB1C50-FC, price: 37.32 USD}}
  - {ends: [a.n.2, b.n.2], cable: {part: 40gbase-sr4, price: 7 EUR}}
  - {ends: ["h[1-4].n.1", "sw.1/[1-4]"], cable: {part: qsfp28-to-4sfp28-dac, price: 30 EUR}}
  - {ends: [h1.n.2, sw.2], cable: {part: SFP+-DAC-1m, price: owned}, adapter: {part: QSA, price: 12 EUR}}
spares:
  - {part: AOC-Q-Q-40G-10M, price: 31.88 USD, count: 2}
  - {part: MCX311A-XCAT}
`

// TestBill expects one line a role, part and price; a breakout cable once for its lanes, transceivers and adapters at
// each end; one total a currency, without what has no price.
func TestBill(t *testing.T) {
	b := plan.Build(parse(t, bought)).BOM
	var got []string
	for _, i := range b.Items {
		total := "not known"
		if i.Total != nil {
			total = i.Total.String()
		}
		got = append(got, fmt.Sprintf("%s %dx %s: %s (%s)", i.Role, i.Count, i.Part, total, i.Origin))
	}
	want := `host 1x a: 450.00 EUR (written)
nic 2x Mellanox MCX354A-FCCT: 25.33 USD (written)
drive 1x Intel Optane SSD DC P5800X: not known (owned)
nic 1x Huawei SP350: not known (unknown)
nic 4x NVIDIA MCX512A-ACAT: not known (unknown)
switch 1x MikroTik CRS504-4XQ-IN: 4000.00 CNY (catalogue)
cable 1x Finisar FCBG410QB1C50-FC: 37.32 USD (written)
transceiver 2x 40GBASE-SR4 QSFP+: 14.00 EUR (written)
cable 1x QSFP28 to 4x SFP28 DAC: 30.00 EUR (written)
cable 1x SFP+ passive DAC 1 m: not known (owned)
adapter 1x QSA, QSFP+ plug to SFP+ cage: 12.00 EUR (written)
spare 2x Arista AOC-Q-Q-40G-10M: 63.76 USD (written)
spare 1x Mellanox MCX311A-XCAT: not known (unknown)`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	totals := ""
	for _, x := range b.Totals {
		totals += fmt.Sprintf("%s of it spares %s, %d without a price; ", x.Amount, x.Spares, x.Unpriced)
	}
	if want := "4000.00 CNY of it spares 0.00, 6 without a price; 506.00 EUR of it spares 0.00, 6 without a price; " +
		"126.41 USD of it spares 63.76 USD, 6 without a price; "; totals != want {
		t.Errorf("got\n%s\nwant\n%s", totals, want)
	}
}
