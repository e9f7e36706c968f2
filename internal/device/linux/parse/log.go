package parse

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// linuxLog is the kernel's log of Linux during parsing.
type linuxLog struct {
	facts      *parse.Builder
	class      map[string]string       // of adapters, by address: "0200"
	rate       map[string]unit.BitRate // of a port, by address, from its driver's name
	speed      map[string]string       // "Speed:5.0GT/s, Width: x8" in the driver's older messages, by address
	unassigned []facts.Event           // address ranges that could not be assigned so far
}

var (
	logClass     = lazyregexp.New(`^\[[0-9a-f]{4}:[0-9a-f]{4}\] type \w+ class 0x([0-9a-f]{6})`)
	logBandwidth = lazyregexp.New(`^([\d.]+) Gb/s available PCIe bandwidth, limited by (\S+ GT/s PCIe x(\d+)) link at (\S+) \(capable of ([\d.]+) Gb/s with (\S+ GT/s PCIe x(\d+)) link\)`)
	logSpeed     = lazyregexp.New(`\(Speed: ?([\d.]+)GT/s, Width: ?x(\d+)`)
	logNarrow    = lazyregexp.New(`(?i)not sufficient for optimal performance|bandwidth available for this device may be insufficient|PCIe BW is different than device's capability`)
	logRate      = lazyregexp.New(`^(?:Intel\(R\) )?(\d+) Gigabit (?:Dual Port )?Network Connection`)
	logProbe     = lazyregexp.New(`^([\w-]+): probe of ([0-9a-f:.]+) failed with error (-\d+)|^([\w-]+) ([0-9a-f:.]+): probe with driver \S+ failed with error (-\d+)`)
	logInterval  = lazyregexp.New(`^(?:BAR (\d+)(?: (\[[^\]]*\]))?|(bridge window|VF BAR \d+)(?: (\[[^\]]*\]))?): (failed to assign|assigned|releasing)(?: (\[[^\]]*\]))?`)
	logLinkDown  = lazyregexp.New(`(?:^|[ :])([A-Za-z][\w.-]*)(?:: (?:NIC )?[Ll]ink (?:is )?[Dd]own| NIC Link is Down)\b`)
	logWatchdog  = lazyregexp.New(`NETDEV WATCHDOG: (?:CPU: \d+: )?([\w.-]+) \(([\w-]+)\)`)
	logTimeout   = lazyregexp.New(`(?i)initiating reset due to tx timeout|Detected Tx Unit Hang|tx_timeout: VSI_seid|TX timeout detected|transmit queue \d+ timed out|tx timeout on queue`)
	logRefused   = lazyregexp.New(`(?i)(?:unsupported|unqualified|unknown/unsupported) [^.]*?(?:s?qsfp|sfp|module|cable|transceiver)|unsupported cable|Enforce part number list|unknown port module inserted`)
	logAER       = lazyregexp.New(`AER: (?:Multiple )?(Corrected|Uncorrected|Correctable|Uncorrectable)[^:]*error[^:]*(?:received|message received)[: ]+(?:from )?([0-9a-f]{4}:[0-9a-f:.]+)?|PCIe Bus Error: severity=([^,]+)`)
)

// netDrivers are the drivers of wired network, InfiniBand and fibre channel adapters: failures of other drivers are not
// reported.
var netDrivers = []string{"mlx4_core", "mlx5_core", "mlx4_en", "ixgbe", "i40e", "ice", "idpf", "igb", "igc", "e1000",
	"e1000e", "bnxt_en", "bnx2x", "bnx2", "tg3", "qede", "qed", "qlcnic", "qla2xxx", "lpfc", "elx", "bfa", "csiostor",
	"cxgb3", "cxgb4", "be2net", "sfc", "sfc_siena", "atlantic", "ena", "nfp", "hinic", "hns3", "liquidio", "r8169",
	"r8125", "fm10k", "enic", "myri10ge", "netxen_nic", "ib_qib", "hfi1", "ionic", "octeontx2", "alx", "sky2", "aq_nic"}

// LogWords are the words of relevant messages: most messages have none, and logs are long.
var LogWords = []string{"GT/s", "] type ", "Gigabit", "probe", "BAR ", "window", "ink ", "WATCHDOG", "imeout",
	"timed out", "Hang", "odule", "SFP", "able", "AER", "PCIe", "PCI-E", "ptimal"}

// ReadLog reads the kernel's log from dmesg, journalctl -k or a file of syslog. Sources of the messages:
// drivers/pci/pci.c (available PCIe bandwidth), drivers/base/dd.c (probe), drivers/pci/setup-res.c (assign),
// net/sched/sch_generic.c (watchdog), drivers/pci/pcie/aer.c, and the drivers. Snapshots: bandwidth in both forms, a
// refused module (i40e), a failed probe (mlx5), a range that was not assigned; none of watchdogs, AER and full tables.
func ReadLog(f *parse.Builder, text []byte) error {
	l := &linuxLog{facts: f, class: map[string]string{}, rate: map[string]unit.BitRate{}, speed: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		if len(line) > 4096 {
			line = line[:4096]
		}
		if !slices.ContainsFunc(LogWords, func(w string) bool { return strings.Contains(line, w) }) {
			continue
		}
		message := strings.TrimSpace(afterHead(line))
		if message != "" {
			l.read(message, line)
		}
	}
	for _, e := range l.unassigned { // one event per adapter
		i := slices.IndexFunc(f.Events, func(o facts.Event) bool {
			return o.What == facts.NoResource && o.Subject == e.Subject && o.Source == e.Source
		})
		if i >= 0 {
			f.Events[i].Count++
			continue
		}
		f.Happened(e)
	}
	for i := range f.Events {
		e := &f.Events[i]
		if e.What == facts.BusNarrow && !e.Needs.IsKnown() && e.Source == f.Reading {
			e.Needs = l.needs(e.Subject)
		}
	}
	return nil
}

// afterHead removes the prefix of a message: a level (<6>), a time and a host of syslog (Nov 17 13:44:29 host kernel:),
// a time of the kernel ([   12.966685], [Fri Nov 17 13:44:29 2026]), a caller ([  T123]).
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

// submatch searches an expression only in messages with a word, because most do not have it.
func submatch(re *lazyregexp.Regexp, message, word string) []string {
	if !strings.Contains(message, word) {
		return nil
	}
	return re.FindStringSubmatch(message)
}

// logDevice splits a driver's message, "ixgbe 0000:06:00.1 eth4: NIC Link is Down", into the driver, the adapter's
// address, the interface if it has a name yet, and the text.
func logDevice(message string) (driver, address, name, said string, ok bool) {
	who, said, ok := strings.Cut(message, ": ")
	words := strings.Fields(who)
	if !ok || len(words) < 2 || len(words) > 4 || len(words[1]) != len("0000:01:00.0") || words[1][4] != ':' ||
		words[1][7] != ':' || words[1][10] != '.' {
		return "", "", "", "", false
	}
	if len(words) > 2 && words[2][0] != '(' { // "(unregistered net_device)"
		name = words[2]
	}
	return words[0], words[1], name, strings.TrimSpace(said), true
}

// read processes one message.
func (l *linuxLog) read(message, line string) {
	f := l.facts
	if m := submatch(logProbe, message, "probe"); m != nil {
		driver, address, code := m[1]+m[4], m[2]+m[5], m[3]+m[6]
		if slices.Contains(netDrivers, driver) {
			f.Happened(facts.Event{What: facts.ProbeFailed, Subject: address, Detail: driver + ", error " + code,
				Proof: f.Proof(line)})
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
		f.Happened(facts.Event{What: facts.TxTimeout, Subject: m[1], Proof: f.Proof(line)})
	case logTimeout.MatchString(message) && subject != "":
		f.Happened(facts.Event{What: facts.TxTimeout, Subject: subject, Proof: f.Proof(line)})
	case logRefused.MatchString(message):
		f.Happened(facts.Event{What: facts.ModuleRefused, Subject: subject, Proof: f.Proof(line)})
	case strings.Contains(message, "nf_conntrack: table full"):
		f.Happened(facts.Event{What: facts.TableFull, Proof: f.Proof(line)})
	case logAER.MatchString(message):
		m := logAER.FindStringSubmatch(message)
		kind := strings.ToLower(m[1] + m[3])
		if m[2] != "" {
			address = m[2]
		}
		f.Happened(facts.Event{What: facts.BusError, Subject: address, Detail: kind, Proof: f.Proof(line)})
	case strings.Contains(message, "ink"):
		if subject != "" && logDown.MatchString(message) {
			f.Happened(facts.Event{What: facts.LinkDown, Subject: subject, Proof: f.Proof(line)})
		} else if m := logLinkDown.FindStringSubmatch(message); m != nil {
			f.Happened(facts.Event{What: facts.LinkDown, Subject: m[1], Proof: f.Proof(line)})
		}
	}
}

var logDown = lazyregexp.New(`^(?:NIC )?[Ll]ink (?:is )?[Dd]own\b`)

// device processes a message about an adapter and its bus; false: it is another message.
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
		if err != nil || carries == 0 || driver == "pcieport" || !nicClass(class) {
			return true // a virtual function has no link; the devices behind bridges are judged instead
		}
		if strings.HasPrefix(class, "03") && m[3] == m[7] {
			return true // an idle GPU runs at its lowest speed
		}
		f.Happened(facts.Event{What: facts.BusNarrow, Subject: address,
			Detail:  m[2] + " below " + m[4] + ", the NIC can " + m[6],
			Carries: unit.Known(unit.BitRate(carries * 1e9)), Proof: f.Proof(line)})
		return true
	}
	if m := submatch(logSpeed, message, "Width"); m != nil {
		l.speed[address] = m[1] + " " + m[2]
	}
	if logNarrow.MatchString(message) {
		e := facts.Event{What: facts.BusNarrow, Subject: address, Detail: driver, Proof: f.Proof(line)}
		if speed, width, ok := strings.Cut(l.speed[address], " "); ok {
			v, err1 := strconv.ParseFloat(speed, 64)
			n, err2 := strconv.Atoi(width)
			if err1 == nil && err2 == nil {
				e.Carries = unit.Known(facts.PCIeLink{Speed: v, Width: n}.Rate())
			}
		}
		f.Happened(e)
		return true
	}
	if m := submatch(logInterval, message, ": "); m != nil {
		l.barRange(address, m[1]+m[3], m[2]+m[4]+m[6], m[5], line)
		return true
	}
	return false
}

// barRange processes a range of addresses. It ignores ranges that a later try assigned, and those of I/O ports or a
// ROM.
func (l *linuxLog) barRange(address, name, space, what, line string) {
	same := func(e facts.Event) bool {
		return e.Subject == address && strings.HasPrefix(e.Detail, rangeName(name)+" ")
	}
	if what != "failed to assign" {
		l.unassigned = slices.DeleteFunc(l.unassigned, same)
		return
	}
	if strings.HasPrefix(space, "[io") || name == "6" || slices.ContainsFunc(l.unassigned, same) ||
		len(l.unassigned) > 1000 {
		return
	}
	l.unassigned = append(l.unassigned, facts.Event{What: facts.NoResource, Subject: address,
		Detail: rangeName(name) + " " + space, Proof: l.facts.Proof(line)})
}

// rangeName returns the name of a range of addresses: the number of a BAR, or words.
func rangeName(name string) string {
	if _, err := strconv.Atoi(name); err == nil {
		return "BAR " + name
	}
	return name
}

// needs returns the sum of the rates of an adapter's ports, if its driver names their rate.
func (l *linuxLog) needs(address string) unit.Opt[unit.BitRate] {
	var sum unit.BitRate
	for at, rate := range l.rate {
		if facts.PCISlot(at) == facts.PCISlot(address) {
			sum += rate
		}
	}
	if sum == 0 {
		return unit.Unknown[unit.BitRate]("the log does not name the ports' rate")
	}
	return unit.Known(sum)
}

// nicClass reports whether adapters of a class are judged: network, storage, graphics, fibre channel, InfiniBand, or
// unknown.
func nicClass(class string) bool {
	return slices.ContainsFunc([]string{"", "02", "01", "03", "0c04", "0c06", "12"}, func(c string) bool {
		return class == c || c != "" && strings.HasPrefix(class, c)
	})
}
