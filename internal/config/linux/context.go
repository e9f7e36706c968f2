package linux

import (
	"fmt"

	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// context is what the rendering of one host needs everywhere.
type context struct {
	plan       *plan.Plan
	host       *plan.Host
	ports      []*portName
	byName     map[string]*portName // by the plan's name of the interface
	made       map[string]bool      // bonds and VLANs: interfaces that the scripts make
	missing    []string
	unverified []string
	err        error
}

// portName is how the scripts call an interface of the host.
type portName struct {
	port     *plan.Port
	variable string // if_cx5p1: the shell variable with what this machine calls it
	ids      []string
	same     int // how many ports of such cards the plan gives the host, plugged or not
	cards    int // on how many cards
	which    int // this one among them, from 1
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
	out, err := device.Shell(s)
	if err != nil {
		c.fail(err)
	}
	return out
}

// ref is how a script names an interface: the variable of a port, or the name that the script gave it itself.
func (c *context) ref(name string) string {
	if p := c.byName[name]; p != nil {
		return `"$` + p.variable + `"`
	}
	return c.q(c.interfaceName(name))
}

// text is how a message names an interface, within double quotes.
func (c *context) text(name string) string {
	if p := c.byName[name]; p != nil {
		return "$" + p.variable
	}
	return c.interfaceName(name)
}

// interfaceName refuses a name that Linux does not take, or that has a meaning of its own in one of the formats.
func (c *context) interfaceName(name string) string {
	if why := plan.UnfitInterface(name); why != "" {
		c.fail(fmt.Errorf("%q is no name of an interface: %s", name, why))
		return "x"
	}
	return name
}

func (c *context) stateDir() string { return StateDir(c.plan.Name, c.host.Name) }

// StateDir is the folder on a host in which apply.sh keeps what was before, until undo.sh or a reboot.
func StateDir(fabric, host string) string { return "/run/linerate/" + fabric + "/" + host }

// miss notes what the plan asks for and these files do not do, once.
func (c *context) miss(format string, args ...any) {
	c.missing = addOnce(c.missing, fmt.Sprintf(format, args...))
}

func (c *context) untried(format string, args ...any) {
	c.unverified = addOnce(c.unverified, fmt.Sprintf(format, args...))
}

func addOnce(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}
