package parse

import (
	"cmp"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/pci"
)

// bsdSetting is a line of FreeBSD's sysctl: "net.inet.tcp.recvbuf_max: 2097152", or with = as "sysctl -e" prints it and
// as /etc/sysctl.conf has it.
var bsdSetting = lazyregexp.New(`^((?:kern|hw|dev|net|vm|vfs|security|debug|machdep|compat)(?:\.[\w%-]+)+)(?:: ?|=)(.*)$`)

// looksBSD reports whether a text has settings of FreeBSD: Linux does not have the roots hw, dev.DRIVER.N and net.inet.
var looksBSD = lazyregexp.New(`(?m)^(?:hw\.[\w.%-]+|dev\.[a-z]\w*\.(?:\d+|%)[\w.%-]*|net\.inet6?\.[\w.%-]+|kern\.(?:ipc|osrelease|ostype|hz|smp|cp_time|features|geom|random|maxvnodes|hostname)\b[\w.%-]*|net\.(?:link|isr|route)\.[\w.%-]+|vfs\.zfs\.[\w.%-]+|vm\.stats\.[\w.%-]+|vm\.ndomains)(?:: ?|=)`)

// ReadSysctl reads the output of sysctl of Linux or FreeBSD, whose names differ.
func ReadSysctl(f *parse.Builder, args []string, text []byte) error {
	if looksBSD.Match(text) {
		readBSDSysctl(f, text)
		return nil
	}
	values, err := parse.ParseSysctl(text)
	if err == nil {
		parse.PutSysctls(f, args, values)
	}
	return err
}

// bsdValue is a setting with its line.
type bsdValue struct{ name, value, line string }

// parseBSDSysctl reads settings, one a line. Other lines continue the value before them, which is then not needed.
// Format: https://man.freebsd.org/sysctl(8); snapshots of releases 12 to 14.
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
func readBSDSysctl(f *parse.Builder, text []byte) {
	f.OS = cmp.Or(f.OS, "freebsd")
	values := parseBSDSysctl(text)
	for _, v := range values {
		f.SettingIs(v.name, v.value, f.Proof(v.line))
		for _, s := range bsdSettings(f) {
			if s.Name == v.name {
				s.Set(v.name, v.value)
			}
		}
		if keptBSD[v.name] {
			if f.Sysctls == nil {
				f.Sysctls = map[string]facts.Proof{}
			}
			f.Sysctls[v.name] = f.Proof(v.name + " = " + v.value)
		}
		bsdDevice(f, v)
		if nic, name, ok := mlx5Setting(v.name); ok {
			p := facts.Proof{Source: f.Reading, Line: v.line}
			f.Later(func() { // an interface of another source
				if n := f.NIC(nic); n != nil {
					if n.Effect == nil {
						n.Effect = new(facts.Classes)
					}
					mlx5(n.Effect, name, v.value, p)
				}
			})
		}
	}
	bsdCounts(f, values)
}

// keptBSD are settings that are kept unchanged for checks.
var keptBSD = map[string]bool{"net.inet.tcp.tso": true, "net.inet.tcp.recvbuf_max": true,
	"net.inet.tcp.sendbuf_max": true, "kern.ipc.maxsockbuf": true,
	"net.inet.ip.forwarding": true, "net.inet.tcp.hostcache.enable": true}

// bsdSettings are the settings of FreeBSD that are facts.
func bsdSettings(f *parse.Builder) []parse.Setting {
	t := &f.TCP
	return []parse.Setting{
		parse.NewSetting("net.inet.tcp.recvbuf_max", &t.ReceiveMost, parse.Size),
		parse.NewSetting("net.inet.tcp.sendbuf_max", &t.SendMost, parse.Size),
		parse.NewSetting("kern.ipc.maxsockbuf", &t.SocketMost, parse.Size),
		parse.NewSetting("net.inet.tcp.recvbuf_auto", &t.AutoTuning, parse.SwitchedOn),
		parse.NewSetting("net.inet.tcp.sack.enable", &t.SACK, parse.SwitchedOn),
		parse.NewSetting("net.inet.tcp.rfc1323", &t.WindowScaling, parse.SwitchedOn),
		parse.NewSetting("net.inet.tcp.rfc1323", &t.Timestamps, parse.SwitchedOn),
		parse.NewSetting("net.inet.tcp.ecn.enable", &t.ECN, parse.Integer),
		parse.NewSetting("net.inet.tcp.pmtud_blackhole_detection", &t.MTUProbing, parse.Integer),
		parse.NewSetting("net.inet.tcp.cc.algorithm", &t.CongestionControl, parse.Word),
		parse.NewSetting("hw.model", &f.CPU.Model, anyText), parse.NewSetting("hw.ncpu", &f.CPU.Count, parse.Integer),
		{Name: "hw.physmem", Set: func(_, value string) {
			if n, err := parse.Size(value); err == nil && n > 0 && !f.Memory.IsKnown() {
				f.Memory = unit.Known(unit.Bytes(n))
			}
		}, Miss: nil},
		{Name: "kern.osrelease", Set: func(_, value string) { f.Kernel = value }, Miss: nil},
	}
}

func anyText(s string) (string, error) { return facts.OneLine(s), nil }

var (
	bsdLocation = lazyregexp.New(`^dev\.([a-z]\w*?)\.(\d+)\.%location$`)
	bsdOwnName  = lazyregexp.New(`^dev\.([a-z]\w*?)\.(\d+)\.(?:conf\.device_name|%parent)$`)
	bsdAt       = lazyregexp.New(`\bdbsf=pci(\d+):(\d+):(\d+):(\d+)`)
	bsdQueuesOf = lazyregexp.New(`^dev\.([a-z]\w*?)\.(\d+)\.(?:conf\.channels|nrxq)$`)
)

// bsdDevice stores an interface's device on the bus, and its queues.
func bsdDevice(f *parse.Builder, v bsdValue) {
	if m := bsdLocation.FindStringSubmatch(v.name); m != nil {
		if at := bsdAt.FindStringSubmatch(v.value); at != nil {
			if address, ok := pci.FreeBSDAddress(at[1:]); ok {
				f.Later(func() {
					if n := f.NIC(m[1] + m[2]); n != nil {
						n.PCI = address
					}
				})
			}
		}
	}
	// A port of an adapter with one device for all ports (cxl0 of t5nex0), or whose device has another name (mce0 of
	// mlx5_core0).
	if m := bsdOwnName.FindStringSubmatch(v.name); m != nil && !strings.HasPrefix(v.value, "pci") {
		f.Later(func() {
			if n := f.NIC(m[1] + m[2]); n != nil && n.PCI == "" {
				parents := parse.StateOf[bsdParents](f)
				if *parents == nil {
					*parents = bsdParents{}
				}
				(*parents)[n.Name] = v.value
			}
		})
	}
	if m := bsdQueuesOf.FindStringSubmatch(v.name); m != nil {
		if count, err := strconv.Atoi(v.value); err == nil && count > 0 {
			f.Later(func() {
				if n := f.NIC(m[1] + m[2]); n != nil {
					n.Queues = unit.Known(count)
				}
			})
		}
	}
}

// Settle assigns devices on the bus to interfaces: pciconf names each by its driver's instance.
func Settle(f *parse.Builder) {
	if f.OS != "freebsd" {
		return
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		if n.PCI != "" || n.Kind != "" {
			continue
		}
		for _, name := range []string{n.Name, (*parse.StateOf[bsdParents](f))[n.Name]} {
			for k := range f.PCI {
				if d := &f.PCI[k]; name != "" && d.Driver == name {
					n.PCI = d.Address
				}
			}
		}
	}
}

// bsdParents are the devices of interfaces, by the interface: t5nex0.
type bsdParents map[string]string
