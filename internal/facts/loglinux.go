package facts

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// linuxLog is the kernel's log of Linux, while it is read.
type linuxLog struct {
	facts   *Facts
	class   map[string]string       // of cards, by address: "0200"
	rate    map[string]unit.BitRate // of a port, by address, as its driver names it
	speed   map[string]string       // "Speed:5.0GT/s, Width: x8" of the driver's older words, by address
	windows []Event                 // that could not be given, so far
}

var (
	logClass     = lazyregexp.New(`^\[[0-9a-f]{4}:[0-9a-f]{4}\] type \w+ class 0x([0-9a-f]{6})`)
	logBandwidth = lazyregexp.New(`^([\d.]+) Gb/s available PCIe bandwidth, limited by (\S+ GT/s PCIe x(\d+)) link at (\S+) \(capable of ([\d.]+) Gb/s with (\S+ GT/s PCIe x(\d+)) link\)`)
	logSpeed     = lazyregexp.New(`\(Speed: ?([\d.]+)GT/s, Width: ?x(\d+)`)
	logNarrow    = lazyregexp.New(`(?i)not sufficient for optimal performance|bandwidth available for this device may be insufficient|PCIe BW is different than device's capability`)
	logRate      = lazyregexp.New(`^(?:Intel\(R\) )?(\d+) Gigabit (?:Dual Port )?Network Connection`)
	logProbe     = lazyregexp.New(`^([\w-]+): probe of ([0-9a-f:.]+) failed with error (-\d+)|^([\w-]+) ([0-9a-f:.]+): probe with driver \S+ failed with error (-\d+)`)
	logWindow    = lazyregexp.New(`^(?:BAR (\d+)(?: (\[[^\]]*\]))?|(bridge window|VF BAR \d+)(?: (\[[^\]]*\]))?): (failed to assign|assigned|releasing)(?: (\[[^\]]*\]))?`)
	logLinkDown  = lazyregexp.New(`(?:^|[ :])([A-Za-z][\w.-]*)(?:: (?:NIC )?[Ll]ink (?:is )?[Dd]own| NIC Link is Down)\b`)
	logWatchdog  = lazyregexp.New(`NETDEV WATCHDOG: (?:CPU: \d+: )?([\w.-]+) \(([\w-]+)\)`)
	logTimeout   = lazyregexp.New(`(?i)initiating reset due to tx timeout|Detected Tx Unit Hang|tx_timeout: VSI_seid|TX timeout detected|transmit queue \d+ timed out|tx timeout on queue`)
	logRefused   = lazyregexp.New(`(?i)(?:unsupported|unqualified|unknown/unsupported) [^.]*?(?:s?qsfp|sfp|module|cable|transceiver)|unsupported cable|Enforce part number list|unknown port module inserted`)
	logAER       = lazyregexp.New(`AER: (?:Multiple )?(Corrected|Uncorrected|Correctable|Uncorrectable)[^:]*error[^:]*(?:received|message received)[: ]+(?:from )?([0-9a-f]{4}:[0-9a-f:.]+)?|PCIe Bus Error: severity=([^,]+)`)
)

// netDrivers are the drivers of wired network, InfiniBand and fibre channel cards: of others it is not said that they failed.
var netDrivers = []string{"mlx4_core", "mlx5_core", "mlx4_en", "ixgbe", "i40e", "ice", "idpf", "igb", "igc", "e1000", "e1000e", "bnxt_en", "bnx2x", "bnx2", "tg3",
	"qede", "qed", "qlcnic", "qla2xxx", "lpfc", "elx", "bfa", "csiostor", "cxgb3", "cxgb4", "be2net", "sfc", "sfc_siena", "atlantic", "ena", "nfp", "hinic", "hns3",
	"liquidio", "r8169", "r8125", "fm10k", "enic", "myri10ge", "netxen_nic", "ib_qib", "hfi1", "ionic", "octeontx2", "alx", "sky2", "aq_nic"}

// logWords are in every message that means something here: most have none, and logs are long.
var logWords = []string{"GT/s", "] type ", "Gigabit", "probe", "BAR ", "window", "ink ", "WATCHDOG", "imeout", "timed out", "Hang", "odule", "SFP", "able", "AER", "PCIe", "PCI-E", "ptimal"}

// readLinuxLog reads the kernel's log, as dmesg, journalctl -k or a file of syslog has it. Sources of the words: drivers/pci/pci.c
// (available PCIe bandwidth), drivers/base/dd.c (probe), drivers/pci/setup-res.c (assign), net/sched/sch_generic.c (watchdog),
// drivers/pci/pcie/aer.c; the drivers' own. Captures: bandwidth in both forms, a refused module (i40e), a failed probe (mlx5), a
// window not given; of watchdogs, AER and full tables there is none.
func readLinuxLog(f *Facts, text []byte) error {
	l := &linuxLog{facts: f, class: map[string]string{}, rate: map[string]unit.BitRate{}, speed: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		if len(line) > 4096 {
			line = line[:4096]
		}
		if !slices.ContainsFunc(logWords, func(w string) bool { return strings.Contains(line, w) }) {
			continue
		}
		message := strings.TrimSpace(afterHead(line))
		if message != "" {
			l.read(message, line)
		}
	}
	for _, e := range l.windows { // one event a card
		i := slices.IndexFunc(f.Events, func(o Event) bool { return o.What == NoResource && o.Subject == e.Subject && o.Source == e.Source })
		if i >= 0 {
			f.Events[i].Count++
			continue
		}
		f.happened(e)
	}
	for i := range f.Events {
		e := &f.Events[i]
		if e.What == BusNarrow && !e.Needs.IsKnown() && e.Source == f.reading {
			e.Needs = l.needs(e.Subject)
		}
	}
	return nil
}

// afterHead leaves out what stands before a message: a level (<6>), a time and a host of syslog (Nov 17 13:44:29 host kernel:), a
// time of the kernel ([   12.966685], [Fri Nov 17 13:44:29 2026]), a caller ([  T123]).
func afterHead(line string) string {
	head := line[:min(len(line), 120)]
	if i := strings.Index(head, " kernel: "); i >= 0 {
		line = line[i+len(" kernel: "):]
	}
	if strings.HasPrefix(line, "<") {
		if i := strings.IndexByte(line[:min(len(line), 5)], '>'); i > 0 {
			line = line[i+1:]
		}
	}
	for strings.HasPrefix(line, "[") {
		i := strings.IndexByte(line[:min(len(line), 40)], ']')
		if i < 0 || !strings.ContainsAny(line[:i], "0123456789") {
			break
		}
		line = strings.TrimLeft(line[i+1:], " ")
	}
	return line
}

// submatch is a match of an expression that needs a word: most messages do not have it.
func submatch(re *lazyregexp.Regexp, message, word string) []string {
	if !strings.Contains(message, word) {
		return nil
	}
	return re.FindStringSubmatch(message)
}

// logDevice says who speaks: "ixgbe 0000:06:00.1 eth4: NIC Link is Down" is a driver, a card's address, the interface where it
// has a name already, and what is said.
func logDevice(message string) (driver, address, name, said string, ok bool) {
	who, said, ok := strings.Cut(message, ": ")
	words := strings.Fields(who)
	if !ok || len(words) < 2 || len(words) > 4 || len(words[1]) != len("0000:01:00.0") || words[1][4] != ':' || words[1][7] != ':' || words[1][10] != '.' {
		return "", "", "", "", false
	}
	if len(words) > 2 && words[2][0] != '(' { // "(unregistered net_device)"
		name = words[2]
	}
	return words[0], words[1], name, strings.TrimSpace(said), true
}

// read takes up one message.
func (l *linuxLog) read(message, line string) {
	f := l.facts
	if m := submatch(logProbe, message, "probe"); m != nil {
		driver, address, code := m[1]+m[4], m[2]+m[5], m[3]+m[6]
		if slices.Contains(netDrivers, driver) {
			f.happened(Event{What: ProbeFailed, Subject: address, Detail: driver + ", error " + code, Proof: f.proof(line)})
		}
		return
	}
	driver, address, subject := "", "", ""
	if d, at, name, said, ok := logDevice(message); ok {
		driver, address, message = d, at, said
		if subject = name; subject == "" {
			subject = address
		}
		if l.device(driver, address, message, line) {
			return
		}
	}
	switch {
	case logWatchdog.MatchString(message):
		m := logWatchdog.FindStringSubmatch(message)
		f.happened(Event{What: TxTimeout, Subject: m[1], Proof: f.proof(line)})
	case logTimeout.MatchString(message) && subject != "":
		f.happened(Event{What: TxTimeout, Subject: subject, Proof: f.proof(line)})
	case logRefused.MatchString(message):
		f.happened(Event{What: ModuleRefused, Subject: subject, Proof: f.proof(line)})
	case strings.Contains(message, "nf_conntrack: table full"):
		f.happened(Event{What: TableFull, Proof: f.proof(line)})
	case logAER.MatchString(message):
		m := logAER.FindStringSubmatch(message)
		kind := strings.ToLower(m[1] + m[3])
		if m[2] != "" {
			address = m[2]
		}
		f.happened(Event{What: BusError, Subject: address, Detail: kind, Proof: f.proof(line)})
	case strings.Contains(message, "ink"):
		if subject != "" && logDown.MatchString(message) {
			f.happened(Event{What: LinkDown, Subject: subject, Proof: f.proof(line)})
		} else if m := logLinkDown.FindStringSubmatch(message); m != nil {
			f.happened(Event{What: LinkDown, Subject: m[1], Proof: f.proof(line)})
		}
	}
}

var logDown = lazyregexp.New(`^(?:NIC )?[Ll]ink (?:is )?[Dd]own\b`)

// device takes up what is said of a card and its bus; false: it is about something else.
func (l *linuxLog) device(driver, address, message, line string) bool {
	f := l.facts
	if m := submatch(logClass, message, "] type "); m != nil {
		l.class[address] = m[1][:4]
		return true
	}
	if m := submatch(logRate, message, "Gigabit"); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n <= 800 {
			l.rate[address] = unit.BitRate(n) * 1e9
		}
		return true
	}
	if m := submatch(logBandwidth, message, "Gb/s available"); m != nil {
		carries, err := strconv.ParseFloat(m[1], 64)
		class := l.class[address]
		if err != nil || carries == 0 || driver == "pcieport" || !cardClass(class) {
			return true // a virtual function has no link of its own; bridges are judged by what hangs on them
		}
		if strings.HasPrefix(class, "03") && m[3] == m[7] {
			return true // a graphics card at rest runs at its lowest speed
		}
		f.happened(Event{What: BusNarrow, Subject: address, Detail: m[2] + " below " + m[4] + ", the card can " + m[6],
			Carries: known(unit.BitRate(carries * 1e9)), Proof: f.proof(line)})
		return true
	}
	if m := submatch(logSpeed, message, "Width"); m != nil {
		l.speed[address] = m[1] + " " + m[2]
	}
	if logNarrow.MatchString(message) {
		e := Event{What: BusNarrow, Subject: address, Detail: driver, Proof: f.proof(line)}
		if speed, width, ok := strings.Cut(l.speed[address], " "); ok {
			v, err1 := strconv.ParseFloat(speed, 64)
			n, err2 := strconv.Atoi(width)
			if err1 == nil && err2 == nil {
				e.Carries = known(PCIeLink{Speed: v, Width: n}.Rate())
			}
		}
		f.happened(e)
		return true
	}
	if m := submatch(logWindow, message, ": "); m != nil {
		l.window(address, m[1]+m[3], m[2]+m[4]+m[6], m[5], line)
		return true
	}
	return false
}

// window takes up an address window: one that is given in a later try was no fault, and neither is one of I/O ports or of a ROM.
func (l *linuxLog) window(address, name, space, what, line string) {
	same := func(e Event) bool { return e.Subject == address && strings.HasPrefix(e.Detail, windowName(name)+" ") }
	if what != "failed to assign" {
		l.windows = slices.DeleteFunc(l.windows, same)
		return
	}
	if strings.HasPrefix(space, "[io") || name == "6" || slices.ContainsFunc(l.windows, same) || len(l.windows) > 1000 {
		return
	}
	l.windows = append(l.windows, Event{What: NoResource, Subject: address, Detail: windowName(name) + " " + space, Proof: l.facts.proof(line)})
}

// windowName is how a window is called: the number of a BAR, or words.
func windowName(name string) string {
	if _, err := strconv.Atoi(name); err == nil {
		return "BAR " + name
	}
	return name
}

// needs is what all ports of a card need together, as far as the driver names their rate.
func (l *linuxLog) needs(address string) unit.Opt[unit.BitRate] {
	var sum unit.BitRate
	for at, rate := range l.rate {
		if PCISlot(at) == PCISlot(address) {
			sum += rate
		}
	}
	if sum == 0 {
		return unit.Unknown[unit.BitRate]("the log does not name the ports' rate")
	}
	return known(sum)
}

// cardClass says whether a class is of cards that are judged: network, storage, graphics, fibre channel, InfiniBand; or not known.
func cardClass(class string) bool {
	for _, c := range []string{"", "02", "01", "03", "0c04", "0c06", "12"} {
		if class == c || c != "" && strings.HasPrefix(class, c) {
			return true
		}
	}
	return false
}
