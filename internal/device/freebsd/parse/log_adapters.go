package parse

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// bsdLog is a log of FreeBSD during parsing: the devices attached since the last boot.
type bsdLog struct {
	f       *parse.Builder
	cpus    int // 0: not known
	release string
	nics    map[string]*bsdNIC
	open    map[bsdPlace]bsdLeft     // adapters without a driver
	bad     map[bsdPlace]facts.Event // adapters whose driver could not start them
}

// bsdPlace is the location of an adapter: "pci8" is the eighth bus that was found, not the bus number.
type bsdPlace struct{ bus, device, function string }

func (p bsdPlace) slot() bsdPlace { return bsdPlace{bus: p.bus, device: p.device} }

func (p bsdPlace) String() string { return p.bus + " device " + p.device + "." + p.function }

// bsdLeft is an adapter without a driver: its class in words, and the line.
type bsdLeft struct{ class, line string }

// bsdNIC is a driver's instance.
type bsdNIC struct {
	name, driver string
	words        string // the driver's name of the adapter
	place        bsdPlace
	link         facts.PCIeLink
	ports        int // ports on the line of its link; 0: it is a port itself
	says         string
	complains    bool // the driver reports that the link is too narrow
	rate         unit.BitRate
	queues       int
	queueLine    string
}

func (l *bsdLog) boot() {
	l.nics, l.open, l.bad, l.cpus = map[string]*bsdNIC{}, map[bsdPlace]bsdLeft{}, map[bsdPlace]facts.Event{}, 0
}

// attach records that a driver attached to an adapter.
func (l *bsdLog) attach(driver, number, words string, at bsdPlace) {
	delete(l.open, at)
	delete(l.bad, at)
	l.nics[driver+number] = &bsdNIC{name: driver + number, driver: driver, words: words, place: at}
}

// failed records that a driver could not start an adapter. Other kinds of devices are ignored.
func (l *bsdLog) failed(name, code, line string) {
	c := l.nics[name]
	if c == nil || bsdRate[c.driver] == 0 && !bsdWired.MatchString(c.words) {
		return
	}
	delete(l.nics, name)
	l.bad[c.place] = facts.Event{What: facts.ProbeFailed, Subject: name,
		Detail: strings.TrimSpace(c.words + ", error " + code), Proof: l.f.Proof(line)}
}

var bsdWired = lazyregexp.New(`(?i)ethernet|fibre|FC Adapter|network|infiniband|ConnectX`)

// ofNIC reads a driver's message about its adapter and bus.
func (l *bsdLog) ofNIC(name, words, line string) bool {
	c := l.nics[name]
	if c == nil {
		return false
	}
	if m := bsdBus.FindStringSubmatch(words); m != nil {
		c.link.Speed, _ = strconv.ParseFloat(m[1], 64)
		c.link.Width, _ = strconv.Atoi(m[2])
		c.says = cmp.Or(c.says, line)
	} else if m := bsdChelsio.FindStringSubmatch(words); m != nil {
		generation, _ := strconv.Atoi(m[1])
		c.link.Speed = []float64{0, 2.5, 5, 8, 16, 32, 64}[min(generation, 6)]
		c.link.Width, _ = strconv.Atoi(m[2])
		c.ports, _ = strconv.Atoi(m[3])
		c.says = line
	} else if bsdNarrow.MatchString(words) {
		c.says, c.complains = line, true
	} else if m := bsdUp.FindStringSubmatch(words); m != nil {
		n, err := strconv.Atoi(m[1])
		if err == nil && n <= 1600 {
			c.rate = unit.BitRate(n) * 1e9
		}
	} else if m := bsdQueues.FindStringSubmatch(words); m != nil {
		c.queues, _ = strconv.Atoi(m[1])
		c.queueLine = cmp.Or(c.queueLine, line)
	} else if strings.Contains(words, "Entering Safe Mode") {
		c.queueLine = line
	} else {
		return false
	}
	return true
}

// end adds the state since the last boot.
func (l *bsdLog) end() {
	l.f.Kernel = cmp.Or(l.f.Kernel, l.release)
	functions := map[bsdPlace]int{} // of an adapter
	for name, c := range l.nics {
		if c.name == name {
			functions[c.place.slot()]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.nics)) {
		if c := l.nics[name]; c.name == name {
			l.narrow(c, functions[c.place.slot()])
			if rate := l.rate(c.driver, name); c.queues == 1 && l.cpus > 1 && rate.Or(0) >= 10e9 {
				l.f.Happened(facts.Event{What: facts.OneQueue, Subject: name, Detail: "1 receive queue", Rate: rate,
					Proof: l.f.Proof(c.queueLine)})
			}
		}
	}
	order := func(a, b bsdPlace) int {
		return cmp.Or(strings.Compare(a.bus, b.bus), strings.Compare(a.device, b.device),
			strings.Compare(a.function, b.function))
	}
	reported := map[bsdPlace]bool{} // the functions of an adapter are reported once
	for _, at := range slices.SortedFunc(maps.Keys(l.bad), order) {
		if !reported[at.slot()] {
			l.f.Happened(l.bad[at])
		}
		reported[at.slot()] = true
	}
	for _, at := range slices.SortedFunc(maps.Keys(l.open), order) {
		class := l.open[at].class
		if functions[at.slot()] > 0 || reported[at.slot()] || class != "network, ethernet" &&
			class != "serial bus, Fibre Channel" && class != "network, InfiniBand" {
			continue // the storage function of a working adapter is rarely used
		}
		reported[at.slot()] = true
		l.f.Happened(facts.Event{What: facts.NoDriverFound, Subject: at.String(), Detail: class,
			Proof: l.f.Proof(l.open[at].line)})
	}
}

// narrow adds that the bus limits an adapter, if its driver reports it or its ports are known to be faster. Ports
// inside the CPU or chipset print a bus that does not limit them.
func (l *bsdLog) narrow(c *bsdNIC, functions int) {
	carries := c.link.Rate()
	if bsdInside.MatchString(c.words) || !c.complains && (carries == 0 || c.says == "") {
		return
	}
	needs := c.needs(functions)
	if own := bsdEdge[c.driver]; !c.complains && (needs == 0 || carries >= needs || own.Width > 0 && !c.link.Below(own)) {
		return
	}
	e := facts.Event{What: facts.BusNarrow, Subject: c.name, Detail: c.link.String(), Proof: l.f.Proof(c.says)}
	e.Carries, e.Needs = unit.Unknown[unit.BitRate]("the driver does not print its link"),
		unit.Unknown[unit.BitRate]("neither the NIC's name nor its driver's says how fast its ports are")
	if carries > 0 {
		e.Carries = unit.Known(carries)
	} else {
		e.Detail = ""
	}
	if needs > 0 {
		e.Needs = unit.Known(needs)
	}
	l.f.Happened(e)
}

// bsdEdge is the link of a driver's adapters, if all of them have the same: an adapter with more ports than its own
// edge carries is not limited by the machine. From the makers' data sheets, by recall.
var bsdEdge = map[string]facts.PCIeLink{"t4nex": {Speed: 5, Width: 8}, "t5nex": {Speed: 8, Width: 8},
	"t6nex": {Speed: 8, Width: 16}}

var bsdInside = lazyregexp.New(`Ethernet Connection (?:E8|X5|X7)`)

// needs returns the sum of the rates of an adapter's ports; 0: unknown.
func (c *bsdNIC) needs(functions int) unit.BitRate {
	if m := chelsioName.FindStringSubmatch(c.words); m != nil {
		n, _ := strconv.Atoi(m[2])
		if m[1] == "6" { // T62100: two of 100; T520: 20 together
			ports := n / 100
			if n >= 1000 {
				ports = n / 1000
			}
			return unit.BitRate(max(ports, 1)) * unit.BitRate(n%map[bool]int{true: 1000, false: 100}[n >= 1000]) * 1e9
		}
		return unit.BitRate(n) * 1e9
	}
	if c.ports > 0 {
		return 0
	}
	if strings.Contains(c.words, "E810-C") { // 100 Gb/s in total, whatever its ports
		return 100e9
	}
	one := c.rate
	if r := rateInWords(c.words); r > 0 {
		one = r
	}
	return unit.BitRate(functions) * max(one, bsdRate[c.driver])
}

// chelsioName is "Chelsio T540-CR": 4 ports of 10; "T62100-SO-CR": 2 of 100; "T6225-CR": 2 of 25.
var chelsioName = lazyregexp.New(`Chelsio T([3-6])(\d{2,4})`)

var rateWords = lazyregexp.New(`(?i)(?:^|[^\d.])(\d+(?:\.\d+)?)[ -]?(?:GbE|GBASE|Gb Ethernet|Gigabit)`)

// rateInWords returns the rate of a port in a driver's name of the adapter; 0: none, or several.
func rateInWords(words string) unit.BitRate {
	all := rateWords.FindAllStringSubmatch(words, -1)
	if len(all) != 1 || strings.Contains(words, "GbE/") {
		return 0
	}
	n, err := strconv.ParseFloat(all[0][1], 64)
	if err != nil || n > 1600 {
		return 0
	}
	return unit.BitRate(n * 1e9)
}

// bsdRate is the least port rate of a driver. Drivers that are missing are for 1 Gb/s and less, for many rates, or
// unknown. Source: FreeBSD's manual pages, section 4.
var bsdRate = map[string]unit.BitRate{"ix": 10e9, "ixv": 10e9, "ixl": 10e9, "ice": 10e9, "mlxen": 10e9, "mce": 10e9,
	"cxgb": 10e9, "cxgbe": 10e9, "cxl": 10e9, "cc": 10e9, "bxe": 10e9, "bnxt": 10e9, "ql": 10e9, "qlxgb": 10e9,
	"qlxge": 10e9, "sfxge": 10e9, "oce": 10e9, "mxge": 10e9, "vxge": 10e9, "nxge": 10e9}

// rate returns the rate of a port: of its link when it came up, of its adapter's name, or the least of its driver.
func (l *bsdLog) rate(driver, name string) unit.Opt[unit.BitRate] {
	if c := l.nics[name]; c != nil {
		if r := max(c.rate, rateInWords(c.words)); r > 0 {
			return unit.Known(r)
		}
	}
	if r := bsdRate[driver]; r > 0 {
		return unit.Known(r)
	}
	return unit.Unknown[unit.BitRate]("the log does not say how fast the port is")
}
