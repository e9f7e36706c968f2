package render

import (
	"fmt"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/linux"
)

// context is the shared state of rendering one host.
type context struct {
	plan       *plan.Plan
	host       *plan.Host
	ports      []*portName
	byName     map[string]*portName // by the plan's name of the interface
	made       map[string]bool      // bonds and VLANs: interfaces that the scripts create
	missing    []string
	unverified []string
	err        error
}

// portName is the scripts' name of an interface of the host.
type portName struct {
	port     *plan.Port
	variable string // if_cx5p1: the shell variable with the interface's name on this machine
	ids      []string
	same     int // number of ports of such NICs in the plan of the host, plugged or not
	nics     int // number of these NICs
	which    int // this port among them, from 1
}

func newContext(p *plan.Plan, h *plan.Host) *context {
	c := &context{plan: p, host: h, byName: map[string]*portName{}, made: map[string]bool{}}
	for _, s := range h.Settings {
		switch s.Kind {
		case plan.SetBond:
			c.made[c.interfaceName(s.Interface)] = true
		case plan.SetVLAN:
			c.made[c.interfaceName(s.Key)] = true
		}
	}
	c.findNames()
	return c
}

// fail keeps the first error.
func (c *context) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// q quotes for the shell.
func (c *context) q(s string) string {
	out, err := config.Shell(s)
	if err != nil {
		c.fail(err)
	}
	return out
}

// ref names an interface in a script: the variable of a port, or the name that the script created it with.
func (c *context) ref(name string) string {
	if p := c.byName[name]; p != nil {
		return `"$` + p.variable + `"`
	}
	return c.q(c.interfaceName(name))
}

// text names an interface in a message, within double quotes.
func (c *context) text(name string) string {
	if p := c.byName[name]; p != nil {
		return "$" + p.variable
	}
	return c.interfaceName(name)
}

// interfaceName refuses a name that Linux does not accept, or that is special in one of the formats.
func (c *context) interfaceName(name string) string {
	if why := linux.UnfitInterface(name); why != "" {
		c.fail(fmt.Errorf("%q is not a name of an interface: %s", name, why))
		return "x"
	}
	return name
}

func (c *context) stateDir() string { return StateDir(c.plan.Name, c.host.Name) }

// StateDir is the folder on a host in which apply.sh saves the previous state, until undo.sh or a reboot.
func StateDir(fabric, host string) string { return "/run/linerate/" + fabric + "/" + host }

// miss records, once, what the plan requires and these files do not set.
func (c *context) miss(format string, args ...any) {
	c.missing = xslices.AppendNew(c.missing, fmt.Sprintf(format, args...))
}

func (c *context) untried(format string, args ...any) {
	c.unverified = xslices.AppendNew(c.unverified, fmt.Sprintf(format, args...))
}
