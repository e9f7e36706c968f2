package collect

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"linerate/internal/base/lazyregexp"
	freebsd "linerate/internal/device/freebsd/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/snapshot"
)

// dmesgBoot is the log of the last boot, which the kernel's own log may have lost.
const dmesgBoot = "/var/run/dmesg.boot"

// freebsdAsked has the functions that read a host with FreeBSD: a program, a file, and the names of its interfaces.
type freebsdAsked struct {
	run        func(argv ...string) ([]byte, error)
	file       func(path string) ([]byte, error)
	interfaces []string
}

// freebsd reads a host with FreeBSD by its own programs. It was tested with substitutes that print recorded output, not
// on a real machine.
func (c *collector) freebsd(from freebsdAsked) {
	for _, p := range freebsdPrograms {
		switch {
		case c.head.Level != facts.Full && !p.light:
		case p.line == "sysctl -i dev.*" || p.line == "sysctl -i hw.*":
			for _, nic := range from.interfaces {
				if name, ok := sysctlNode(p.line, nic); ok {
					c.program(from, name)
				}
			}
		case p.line == "dmesg":
			c.freebsdLog(from)
		default:
			c.program(from, p.line)
		}
	}
	if c.head.Level != facts.Full {
		return
	}
	if !c.program(from, pciconfAsRoot) {
		c.program(from, pciconfAsUser)
	}
}

// nicName matches the name of an adapter's interface.
var nicName = lazyregexp.New(`^([a-z][a-z0-9_]*?)(\d+)$`)

// sysctlNode returns the command for the settings and counters of an interface: dev.DRIVER.N for most drivers,
// hw.mlxenN for mlx4en.
func sysctlNode(line, nic string) (string, bool) {
	m := nicName.FindStringSubmatch(nic)
	if m == nil || freebsd.MadeBySystem(nic) || (m[1] == "mlxen") != strings.Contains(line, " hw.") {
		return "", false
	}
	if m[1] == "mlxen" {
		return "sysctl -i hw." + nic, true
	}
	return "sysctl -i dev." + m[1] + "." + m[2], true
}

// program adds the output of a program. Without output it adds the reason and returns false.
func (c *collector) program(from freebsdAsked, line string) bool {
	if c.ctx != nil && c.ctx.Err() != nil {
		return false
	}
	argv := strings.Fields(line)
	if err := announcedProgram("freebsd", argv); err != nil {
		c.unknown(line, err)
		return false
	}
	out, err := from.run(argv...)
	if err == nil && len(bytes.TrimSpace(out)) == 0 {
		if strings.HasPrefix(line, "sysctl -i ") {
			return false // a driver without settings
		}
		err = errors.New("it printed nothing")
	}
	if err != nil {
		c.unknown(line, err)
		return false
	}
	c.files = append(c.files, snapshot.File{Name: line, Data: out})
	return true
}

// freebsdLog adds the kernel's log, preceded by that of the last boot where the kernel has lost it.
func (c *collector) freebsdLog(from freebsdAsked) {
	out, err := from.run("dmesg")
	if err != nil {
		c.unknown("dmesg", err)
		return
	}
	if !bytes.Contains(out, []byte("The FreeBSD Project")) {
		boot, err := from.file(dmesgBoot)
		if err != nil {
			c.unknown("dmesg of the last boot", fmt.Errorf("the kernel has lost it, and %s: %w", dmesgBoot, err))
		}
		out = append(append(boot, '\n'), out...)
	}
	if len(bytes.TrimSpace(out)) > 0 {
		c.files = append(c.files, snapshot.File{Name: "dmesg", Data: out})
	}
}

// freebsdPrograms are run on a host with FreeBSD, each line a program with its arguments. None changes anything. What
// an ordinary user may not read is unknown, with the reason. pciconf's list with capabilities needs root. If it fails,
// the list without them is read.
var freebsdPrograms = []struct {
	line  string
	light bool
}{
	{"ifconfig -vma", false},
	{"netstat -ibdnW", true},
	{"netstat -rnW", false},
	{"netstat -s", true},
	{"netstat -m", false},
	{"netstat -Q", true},
	{"sysctl -i kern.osrelease kern.ipc.maxsockbuf hw.model hw.ncpu hw.physmem net.inet.tcp net.inet.ip.forwarding " +
		"vm.ndomains", false},
	{"sysctl -i dev.*", false},
	{"sysctl -i hw.*", false},
	{"kldstat", false},
	{"vmstat -i", false},
	{"dmesg", false},
	{"zpool status", false},
	{"zpool list", false},
}

// pciconfAsRoot runs first; pciconfAsUser is what every user may run.
const (
	pciconfAsRoot = "pciconf -lvbceB"
	pciconfAsUser = "pciconf -lv"
)

// freebsdReadings returns everything that is read from a host with FreeBSD.
func freebsdReadings() []Reading {
	list := []Reading{
		{Source: "ip -j -d -s -s link", How: AskKernel,
			What: "the interfaces with their state and MTU, where ifconfig is not asked", Light: true},
		{Source: "ip -j address", How: AskKernel, What: "the addresses of the interfaces, where ifconfig is not asked",
			Light: true},
		{How: AskKernel, What: "the names of the interfaces, of which sysctl is asked"},
		{How: ReadFile, What: dmesgBoot},
	}
	for _, p := range freebsdPrograms {
		list = append(list, Reading{Source: p.line, How: RunProgram, What: p.line, Light: p.light})
	}
	for _, line := range []string{pciconfAsRoot, pciconfAsUser} {
		list = append(list, Reading{Source: line, How: RunProgram, What: line})
	}
	return list
}
