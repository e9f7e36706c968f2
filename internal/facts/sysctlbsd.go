package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// bsdSetting is a line of FreeBSD's sysctl: "net.inet.tcp.recvbuf_max: 2097152", or with = as "sysctl -e" prints it and as
// /etc/sysctl.conf has it.
var bsdSetting = lazyregexp.New(`^((?:kern|hw|dev|net|vm|vfs|security|debug|machdep|compat)(?:\.[\w%-]+)+)(?:: ?|=)(.*)$`)

// looksBSD says whether a text has settings of FreeBSD: Linux has none of the roots hw, dev.DRIVER.N and net.inet.
var looksBSD = lazyregexp.New(`(?m)^(?:hw\.[\w.%-]+|dev\.[a-z]\w*\.(?:\d+|%)[\w.%-]*|net\.inet6?\.[\w.%-]+|kern\.(?:ipc|osrelease|ostype|hz|smp|cp_time|features|geom|random|maxvnodes|hostname)\b[\w.%-]*|net\.(?:link|isr|route)\.[\w.%-]+|vfs\.zfs\.[\w.%-]+|vm\.stats\.[\w.%-]+|vm\.ndomains)(?:: ?|=)`)

// readSysctl reads the output of sysctl of Linux or of FreeBSD: the two have other names.
func readSysctl(f *Facts, args []string, text []byte) error {
	if looksBSD.Match(text) {
		readBSDSysctl(f, text)
		return nil
	}
	values, err := parseSysctl(text)
	if err == nil {
		putSysctls(f, args, values)
	}
	return err
}

// bsdLine is a setting with its line.
type bsdValue struct{ name, value, line string }

// parseBSDSysctl reads settings, one a line; other lines belong to the value before them, which is then a text of several lines and of
// no interest here. Format: https://man.freebsd.org/sysctl(8); captured of releases 12 to 14.
func parseBSDSysctl(text []byte) (out []bsdValue) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := bsdSetting.FindStringSubmatch(line); m != nil {
			out = append(out, bsdValue{m[1], strings.Trim(strings.TrimSpace(m[2]), `"`), line})
		}
	}
	return out
}

// readBSDSysctl stores the settings and counters of FreeBSD that are facts.
func readBSDSysctl(f *Facts, text []byte) {
	if f.OS == "" {
		f.OS = "freebsd"
	}
	values := parseBSDSysctl(text)
	for _, v := range values {
		f.is(v.name, v.value, f.proof(v.line))
		for _, s := range bsdSettings(f) {
			if s.name == v.name {
				s.set(v.name, v.value)
			}
		}
		if keptBSD[v.name] {
			if f.Sysctls == nil {
				f.Sysctls = map[string]Proof{}
			}
			f.Sysctls[v.name] = f.proof(v.name + " = " + v.value)
		}
		f.bsdDevice(v)
		if nic, name, ok := mlx5Setting(v.name); ok {
			p := Proof{f.reading, v.line}
			f.later(func() { // an interface that another source names
				if n := f.NIC(nic); n != nil {
					if n.Effect == nil {
						n.Effect = new(Classes)
					}
					n.Effect.mlx5(name, v.value, p)
				}
			})
		}
	}
	f.bsdCounts(values)
}

// keptBSD are settings that are kept as they stand: those that checks look at.
var keptBSD = map[string]bool{"net.inet.tcp.tso": true, "net.inet.tcp.recvbuf_max": true, "net.inet.tcp.sendbuf_max": true, "kern.ipc.maxsockbuf": true,
	"net.inet.ip.forwarding": true, "net.inet.tcp.hostcache.enable": true}

// bsdSettings are the settings of FreeBSD that are facts.
func bsdSettings(f *Facts) []setting {
	t := &f.TCP
	return []setting{
		fact("net.inet.tcp.recvbuf_max", &t.ReceiveMost, size), fact("net.inet.tcp.sendbuf_max", &t.SendMost, size), fact("kern.ipc.maxsockbuf", &t.SocketMost, size),
		fact("net.inet.tcp.recvbuf_auto", &t.AutoTuning, switchedOn), fact("net.inet.tcp.sack.enable", &t.SACK, switchedOn),
		fact("net.inet.tcp.rfc1323", &t.WindowScaling, switchedOn), fact("net.inet.tcp.rfc1323", &t.Timestamps, switchedOn),
		fact("net.inet.tcp.ecn.enable", &t.ECN, integer), fact("net.inet.tcp.pmtud_blackhole_detection", &t.MTUProbing, integer),
		fact("net.inet.tcp.cc.algorithm", &t.CongestionControl, word),
		fact("hw.model", &f.CPU.Model, anyText), fact("hw.ncpu", &f.CPU.Count, integer),
		{"hw.physmem", func(_, value string) {
			if n, err := size(value); err == nil && n > 0 && !f.Memory.IsKnown() {
				f.Memory = known(unit.Bytes(n))
			}
		}, nil},
		{"kern.osrelease", func(_, value string) { f.Kernel = value }, nil},
	}
}

func anyText(s string) (string, error) { return oneLine(s), nil }

var (
	bsdLocation = lazyregexp.New(`^dev\.([a-z]\w*?)\.(\d+)\.%location$`)
	bsdOwnName  = lazyregexp.New(`^dev\.([a-z]\w*?)\.(\d+)\.(?:conf\.device_name|%parent)$`)
	bsdAt       = lazyregexp.New(`\bdbsf=pci(\d+):(\d+):(\d+):(\d+)`)
	bsdQueuesOf = lazyregexp.New(`^dev\.([a-z]\w*?)\.(\d+)\.(?:conf\.channels|nrxq)$`)
)

// bsdDevice stores where an interface's device is on the bus, and its queues.
func (f *Facts) bsdDevice(v bsdValue) {
	if m := bsdLocation.FindStringSubmatch(v.name); m != nil {
		if at := bsdAt.FindStringSubmatch(v.value); at != nil {
			if address, ok := bsdAddress(at[1:]); ok {
				f.later(func() {
					if n := f.NIC(m[1] + m[2]); n != nil {
						n.PCI = address
					}
				})
			}
		}
	}
	// A port of a card with one device for all of them (cxl0 of t5nex0), or whose device has another name (mce0 of mlx5_core0).
	if m := bsdOwnName.FindStringSubmatch(v.name); m != nil && !strings.HasPrefix(v.value, "pci") {
		f.later(func() {
			if n := f.NIC(m[1] + m[2]); n != nil && n.PCI == "" {
				n.parent = v.value
			}
		})
	}
	if m := bsdQueuesOf.FindStringSubmatch(v.name); m != nil {
		if count, err := strconv.Atoi(v.value); err == nil && count > 0 {
			f.later(func() {
				if n := f.NIC(m[1] + m[2]); n != nil {
					n.Queues = known(count)
				}
			})
		}
	}
}

// settleFreeBSD gives the interfaces their devices on the bus: pciconf names each by its driver's instance.
func settleFreeBSD(f *Facts) {
	if f.OS != "freebsd" {
		return
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		if n.PCI != "" || n.Kind != "" {
			continue
		}
		for _, name := range []string{n.Name, n.parent} {
			for k := range f.PCI {
				if d := &f.PCI[k]; name != "" && d.Driver == name {
					n.PCI = d.Address
				}
			}
		}
	}
}
