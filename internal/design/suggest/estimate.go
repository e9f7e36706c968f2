package suggest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
)

// Estimate is the estimated price of pieces without a known price.
type Estimate struct {
	Part  string
	Count int
	Each  unit.Money
	From  string // how it is estimated
}

// estimateWeight is how often an estimate counts in an order, so that what has a known price is replaced only by what
// is clearly cheaper.
const estimateWeight = 2

// roughDollars are US dollars for one unit of a currency, rounded averages of 2025. They serve only to put designs in
// an order: the prices of used parts differ by more than exchange rates. Printed totals are never converted.
var roughDollars = map[string]float64{"USD": 1, "EUR": 1.1, "GBP": 1.3, "CHF": 1.2, "CAD": 0.72, "AUD": 0.65,
	"CNY": 0.14, "JPY": 0.0067, "KRW": 0.0007, "TWD": 0.032, "HKD": 0.13, "INR": 0.0115, "SEK": 0.1, "NOK": 0.1,
	"DKK": 0.15, "PLN": 0.26, "CZK": 0.045, "NZD": 0.59, "SGD": 0.76, "BRL": 0.18}

// dollars returns a price in rough US dollars; ok is false for a currency without a rough rate.
func dollars(m unit.Money) (v float64, ok bool) {
	rate, ok := roughDollars[m.Currency]
	return m.Amount() * rate, ok
}

// capacity returns the sum of the rates of a part's ports, or the rate of a cable or transceiver; 0: not known.
func capacity(p *catalog.Part) float64 {
	var sum unit.BitRate
	for _, port := range p.Ports {
		rate := port.Cage.Rate()
		switch {
		case len(port.Speeds) > 0:
			rate = slices.Max(port.Speeds)
		case len(p.InfiniBand) > 0:
			rate = ibRate(p)
		}
		sum += rate
	}
	if p.Cable != nil {
		sum = p.Fastest()
		if sum == 0 && len(p.Cable.Ends) > 0 {
			sum = p.Cable.Ends[0].Rate()
		}
	}
	return float64(sum)
}

func mediumOf(p *catalog.Part) catalog.Media {
	if p.Cable == nil {
		return ""
	}
	return p.Cable.Media
}

// estimate estimates the price of one piece of a part from the catalogue's known prices of parts of the same kind; for
// cables of the same medium, or of any if no cable of that medium has a price:
//
//	estimate = median(price / sqrt(capacity)) x sqrt(capacity of the part)
//
// Capacity is the sum of the port rates, or the rate of a cable. Of an even number the upper of the two middle parts
// counts, and the estimate has its currency and two significant digits. The square root fits the catalogue's own
// prices: the SN2700 (3200 Gb/s, 6000 CNY) has 6.7 times the capacity of the SX6012 (480 Gb/s, 2000 CNY) for 3 times
// the price. A transceiver is half of an active optical cable of its rate, which has two of them. ok is false if no
// such part has a price, or if the capacity is not known.
func (m *maker) estimate(p *catalog.Part) (each unit.Money, from string, ok bool) {
	if p == nil {
		return unit.Money{}, "", false
	}
	size := capacity(p)
	key := estimateKey{p.Kind, mediumOf(p), size}
	if e, seen := m.estimates[key]; seen {
		return e.Each, e.From, e.From != ""
	}
	e := Estimate{}
	switch known := m.knownPrices(p.Kind, mediumOf(p)); {
	case size <= 0:
	case len(known) > 0:
		e = middle(known, size, 1)
	case p.Kind == catalog.Cable:
		e = middle(m.knownPrices(catalog.Cable, ""), size, 1)
	case p.Kind == catalog.Transceiver:
		e = middle(m.knownPrices(catalog.Cable, catalog.AOC), size, 0.5)
	}
	m.estimates[key] = e
	return e.Each, e.From, e.From != ""
}

type estimateKey struct {
	kind     catalog.Kind
	medium   catalog.Media
	capacity float64
}

// knownPrices returns the parts of a kind and medium with a price; an empty medium is any.
func (m *maker) knownPrices(kind catalog.Kind, medium catalog.Media) (all []*catalog.Part) {
	for _, p := range m.catalog.Parts {
		if p.Kind != kind || p.Price == nil || capacity(p) <= 0 || medium != "" && mediumOf(p) != medium {
			continue
		}
		if _, ok := dollars(p.Price.Money); ok {
			all = append(all, p)
		}
	}
	return all
}

// middle estimates a price for a capacity from parts with known prices, times a factor.
func middle(known []*catalog.Part, size, factor float64) Estimate {
	if len(known) == 0 {
		return Estimate{}
	}
	perRoot := func(p *catalog.Part) float64 {
		v, _ := dollars(p.Price.Money)
		return v / math.Sqrt(capacity(p))
	}
	slices.SortStableFunc(known, func(a, b *catalog.Part) int { return cmp.Compare(perRoot(a), perRoot(b)) })
	p := known[len(known)/2]
	amount := factor * p.Price.Money.Amount() * math.Sqrt(size/capacity(p))
	money, err := unit.ParseMoney(twoDigits(amount) + " " + p.Price.Money.Currency)
	if err != nil || money.Amount() <= 0 {
		return Estimate{}
	}
	return Estimate{Each: money, From: fmt.Sprintf("from %s at %s, by the square root of the rate%s", p.Name,
		p.Price.Money, unit.If(factor == 1, "", ", halved"))}
}

// twoDigits prints a positive amount with two significant digits and without an exponent.
func twoDigits(v float64) string {
	scale := math.Pow(10, math.Floor(math.Log10(v))-1)
	return strconv.FormatFloat(math.Round(v/scale)*scale, 'f', max(0, int(-math.Floor(math.Log10(scale)))), 64)
}

// pricing estimates what has no known price in a design, and adds all up in rough dollars for the order.
func (m *maker) pricing(d *Design, l line) {
	for _, t := range totals(d) {
		v, ok := dollars(t.Amount)
		if !ok {
			d.Unestimated++
		}
		d.rough, d.plain = d.rough+v, d.plain+v
	}
	for _, i := range d.Plan.BOM.Items {
		if i.Total == nil && i.Origin != fabric.PriceOwned {
			m.guess(d, i.Part, i.Bought, i.Count)
		}
	}
	if l.fibre != "" {
		m.guess(d, "fibre "+l.fibre, fibreOf(l.part), d.Cables)
	}
}

// fibreOf returns the fibre between two transceivers as a cable to estimate.
func fibreOf(p *catalog.Part) *catalog.Part {
	return &catalog.Part{Kind: catalog.Cable, Speeds: p.Speeds,
		Cable: &catalog.CableInfo{Media: catalog.Fiber, Ends: p.Cable.Ends}}
}

// guess counts pieces without a known price.
func (m *maker) guess(d *Design, name string, p *catalog.Part, n int) {
	d.Unpriced += n
	each, from, ok := m.estimate(p)
	if !ok {
		d.Unestimated += n
		return
	}
	v, _ := dollars(each)
	d.rough += v * float64(n) * estimateWeight
	d.plain += v * float64(n)
	d.Estimates = append(d.Estimates, Estimate{Part: name, Count: n, Each: each, From: from})
}
