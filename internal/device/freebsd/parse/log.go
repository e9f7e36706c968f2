package parse

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Messages of FreeBSD's log. Those that are in no snapshot are marked; they come from the drivers' sources.
var (
	bsdPrefix   = lazyregexp.New(`^(?:<\d+>)?(?:\[ *[\d.]+\] )?(?:[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \S+ kernel: )?`)
	bsdBoot     = lazyregexp.New(`^(?:---<<BOOT>>---|Copyright \(c\) \S+ The FreeBSD Project)`)
	bsdRelease  = lazyregexp.New(`^FreeBSD (\d+\.\d+-\S+)`)
	bsdCPU      = lazyregexp.New(`^CPU: (.+?) +\([\d.]+-MHz`)
	bsdMemory   = lazyregexp.New(`^real memory += (\d+) `)
	bsdSMP      = lazyregexp.New(`^FreeBSD/SMP: Multiprocessor System Detected: (\d+) CPUs`)
	bsdAttach   = lazyregexp.New(`^([a-z][a-z0-9_]*?)(\d+): <(.*)>.* at device (\d+)\.(\d+)(?: numa-domain \d+)? on (pci\d+)$`)
	bsdChild    = lazyregexp.New(`^([a-z][a-z0-9_]*?\d+): <port \d+>.* on ([a-z][a-z0-9_]*?\d+)$`)
	bsdNoDriver = lazyregexp.New(`^(pci\d+): <(.*)> at device (\d+)\.(\d+) \(no driver attached\)$`)
	bsdFailed   = lazyregexp.New(`^device_attach: ([a-z][a-z0-9_]*?\d+) attach returned (\d+)$`)
	bsdLine     = lazyregexp.New(`^([a-z][a-z0-9_]*?)(\d+): (.*)$`)
	bsdBus      = lazyregexp.New(`^PCI Express Bus: Speed ([\d.]+)GT/s Width x(\d+)$`)
	bsdChelsio  = lazyregexp.New(`^PCIe gen(\d) x(\d+), (\d+) ports?,`)
	bsdNarrow   = lazyregexp.New(`(?i)PCI-Express bandwidth available for this device may be insufficient|For optimal performance a x\d+ PCIE`)
	bsdUp       = lazyregexp.New(`(?i)^Link is up, (\d+) Gbps`)
	bsdQueues   = lazyregexp.New(`^Using (\d+) (?:RX queues|Tx and Rx queues)`)
	bsdOffload  = lazyregexp.New(`(?:^|: )((?:tso|lro|txcsum|rxcsum)\d?) disabled(?: due to -(\w+))?`)
	// seen: "watchdog timeout"
	bsdWatchdog = lazyregexp.New(`(?i)^watchdog timeout|TX(?: queue)? timeout|^TX hang`)
	// not seen
	bsdRefused = lazyregexp.New(`(?i)unsupported (?:SFP|QSFP|transceiver|module|optic)|unqualified module|transceiver is not supported|Module \d+, status: error`)
)

// ReadLog reads dmesg, or /var/run/dmesg.boot, of FreeBSD: https://man.freebsd.org/dmesg(8). It may contain several
// boots: attached devices are those of the last one, events those of all. Snapshots: releases 12 and 13.
func ReadLog(f *parse.Builder, text []byte) error {
	l := &bsdLog{f: f}
	l.boot()
	known := false
	for raw := range strings.Lines(string(text)) {
		line := strings.TrimRight(raw[len(bsdPrefix.FindString(raw)):], "\r\n ")
		known = l.line(line) || known
	}
	l.end()
	if !known {
		return errors.New("no line of it is one that FreeBSD's kernel writes about its CPU, memory, NICs or links")
	}
	f.OS = cmp.Or(f.OS, "freebsd")
	return nil
}

// line reads one line; false: the line is not relevant.
func (l *bsdLog) line(line string) bool {
	find := func(form *lazyregexp.Regexp) []string { return form.FindStringSubmatch(line) }
	if bsdBoot.MatchString(line) {
		l.boot()
		return true
	}
	if m := find(bsdRelease); m != nil {
		l.release = m[1]
	} else if m := find(bsdCPU); m != nil {
		l.f.CPU.Model = unit.Known(facts.OneLine(m[1]))
	} else if m := find(bsdMemory); m != nil {
		if n, err := strconv.ParseInt(m[1], 10, 63); err == nil && n > 0 {
			l.f.Memory = unit.Known(unit.Bytes(n))
		}
	} else if m := find(bsdSMP); m != nil {
		l.cpus, _ = strconv.Atoi(m[1])
	} else if m := find(bsdNoDriver); m != nil {
		l.open[bsdPlace{m[1], m[3], m[4]}] = bsdLeft{m[2], line}
	} else if m := find(bsdAttach); m != nil {
		l.attach(m[1], m[2], m[3], bsdPlace{m[6], m[4], m[5]})
	} else if m := find(bsdChild); m != nil {
		if parent := l.nics[m[2]]; parent != nil {
			l.nics[m[1]] = parent
		}
	} else if m := find(bsdFailed); m != nil {
		l.failed(m[1], m[2], line)
	} else if m := find(bsdLine); m != nil {
		return l.says(m[1], m[1]+m[2], m[3], line)
	} else {
		return false
	}
	return true
}

// says reads a message of a driver's instance.
func (l *bsdLog) says(driver, name, words, line string) bool {
	if MadeBySystem(name) {
		return words == "link state changed to DOWN" || words == "link state changed to UP"
	}
	e := facts.Event{Subject: name, Rate: l.rate(driver, name), Proof: l.f.Proof(line)}
	switch {
	case words == "link state changed to UP":
		return true
	case words == "link state changed to DOWN":
		e.What = facts.LinkDown
	case bsdOffload.MatchString(words):
		m := bsdOffload.FindStringSubmatch(words)
		e.What, e.Detail = facts.OffloadOff, m[1]
	case driver != "health_watchdog" && bsdWatchdog.MatchString(words):
		e.What = facts.TxTimeout
	case bsdRefused.MatchString(words):
		e.What, e.Detail = facts.ModuleRefused, words
	default:
		return l.ofNIC(name, words, line)
	}
	l.f.Happened(e)
	return true
}

// MadeBySystem reports whether an interface does not belong to an adapter: its link depends on the interface below it,
// or on another program.
func MadeBySystem(name string) bool { return bsdStacked.MatchString(name) }

var bsdStacked = lazyregexp.New(`^(?:vlan|lagg|bridge|tun|tap|wg|ovpn[cs]|lo|gif|gre|vxlan|epair|enc|pflog|pfsync|carp|ipsec|stf|usbus|ng)\d|_vlan\d+$|\.\d+$`)
