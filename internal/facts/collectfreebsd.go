package facts

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// dmesgBoot is the log of the last boot, which the kernel's own log may have lost.
const dmesgBoot = "/var/run/dmesg.boot"

// freebsdAsked is how a host with FreeBSD is asked: by programs, by a file, and for the names of its interfaces.
type freebsdAsked struct {
	run        func(argv ...string) ([]byte, error)
	file       func(path string) ([]byte, error)
	interfaces []string
}

// freebsd reads a host with FreeBSD by its own programs. There is none here to try it on: it was run with stand-ins that answer
// as captures do.
func (c *collector) freebsd(from freebsdAsked) {
	for _, p := range freebsdPrograms {
		switch {
		case c.head.level != Full && !p.light:
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
	if c.head.level != Full {
		return
	}
	if !c.program(from, pciconfAsRoot) {
		c.program(from, pciconfAsUser)
	}
}

// cardName is the name of an interface that a card's driver made.
var cardName = lazyregexp.New(`^([a-z][a-z0-9_]*?)(\d+)$`)

// sysctlNode is the command for the settings and counters of an interface: of most drivers at dev.DRIVER.N, of mlx4en at hw.mlxenN.
func sysctlNode(line, nic string) (string, bool) {
	m := cardName.FindStringSubmatch(nic)
	if m == nil || bsdMade(nic) || (m[1] == "mlxen") != strings.Contains(line, " hw.") {
		return "", false
	}
	if m[1] == "mlxen" {
		return "sysctl -i hw." + nic, true
	}
	return "sysctl -i dev." + m[1] + "." + m[2], true
}

// program adds what a program prints; false: nothing, and why is said.
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
	c.files = append(c.files, file{line, out})
	return true
}

// freebsdLog adds the kernel's log, with that of the boot before it where the kernel has lost it.
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
		c.files = append(c.files, file{"dmesg", out})
	}
}
