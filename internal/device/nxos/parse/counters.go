package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	counterForm  = lazyregexp.New(`(\d+) ([A-Za-z][A-Za-z/ ]*)`)
	sectionStart = lazyregexp.New(`^\s+(?i:(rx|tx))$`)
)

// counted are the counters of a port by their names in "show interface", those of bytes with "rx " or "tx " in front,
// each with its line.
type counted struct {
	port    string
	section string
	value   map[string]uint64
	lines   map[string]string
}

func newCounted(port string) *counted {
	return &counted{port: port, value: map[string]uint64{}, lines: map[string]string{}}
}

// line reads the counters of a line: "0 runts  0 giants  0 CRC/FCS  0 no buffer".
func (c *counted) line(line string) {
	if m := sectionStart.FindStringSubmatch(line); m != nil {
		c.section = strings.ToLower(m[1])
		return
	}
	for _, m := range counterForm.FindAllStringSubmatch(line, -1) {
		v, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			continue
		}
		name := strings.TrimSpace(m[2])
		switch {
		case name == "bytes" && c.section != "" && strings.Contains(line, " packets"):
			name = c.section + " bytes"
		case name == "CRC/FCS":
			name = "CRC"
		case name == "packets input", name == "packets output": // of tunnels, and traffic of the switch itself
			_, way, _ := strings.Cut(name, " ")
			name = way + " packets"
		}
		c.set(name, v, line)
	}
}

func (c *counted) set(name string, v uint64, line string) { c.value[name], c.lines[name] = v, line }

// keep stores the port's counters in its facts.
func (c *counted) keep(f *parse.Builder) {
	n := f.Interface(c.port)
	moved := func(name, as string) unit.Opt[uint64] {
		v, ok := c.value[name]
		if !ok {
			return unit.Unknown[uint64]("the answer does not have it")
		}
		if n.Counters == nil {
			n.Counters = map[string]uint64{}
		}
		n.Counters[as] = v
		return unit.Known(v)
	}
	in, out := moved("input packets", "rx_packets"), moved("output packets", "tx_packets")
	moved("rx bytes", "rx_bytes")
	moved("tx bytes", "tx_bytes")
	for _, one := range []struct {
		what facts.Counted
		of   unit.Opt[uint64]
		name string
	}{
		{facts.BadFrames, in, "CRC"},
		{facts.ReceiveDrops, in, "input discard"},
		{facts.QueueDrops, out, "output discard"},
		{facts.PauseReceived, in, "Rx pause"},
		{facts.PauseSent, out, "Tx pause"},
	} {
		if v := c.value[one.name]; v > 0 {
			f.Counted(one.what, c.port, v, one.of, c.lines[one.name])
		}
	}
}
