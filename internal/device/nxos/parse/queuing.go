package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

const (
	queuingLooks = `(?m)^Egress Queuing for |^\|[ \t]+QOS GROUP \d`
	policyLooks  = `(?m)^[ \t]*Class-map \(queuing\):`
)

var (
	queuingForm = lazyregexp.New(queuingLooks)
	// queuingPort matches the port of the tables, or of a command at the start of the output.
	queuingPort  = lazyregexp.New(`(?i)(?:egress queuing for|show queuing interface) +(eth(?:ernet)?) ?(\d+(?:/\d+)+)`)
	queuingShare = lazyregexp.New(`^\s+(\d)\s+(-|\d+)\s+(-|\d+)\s+\S+\s+\S+\s+\S+\s+\d+\([A-Z]\)\s*$`)
	queuingGroup = lazyregexp.New(`^\|\s+(?:(CONTROL|SPAN) QOS GROUP|QOS GROUP (\d))\s+\|$`)
	policyForm   = lazyregexp.New(policyLooks)
	policyClass  = lazyregexp.New(`^\s*Class-map \(queuing\):\s+\S*?-(?:q(\d)|q-default)\s`)
	policyLine   = lazyregexp.New(`^\s*(priority level|bandwidth (?:remaining )?percent|queue dropped pkts :) (\d+)\s*$`)
	policyMarks  = lazyregexp.New(`^\s*random-detect minimum-threshold (\d+) (k?)bytes maximum-threshold (\d+) (k?)bytes .*?(ecn)?\s*$`)
)

// droppedQueues are the queues whose drops were read, because two commands print them.
type droppedQueues map[string]bool

// queueDropped stores the drops of the queue of a port's qos-group.
func queueDropped(f *parse.Builder, port string, group int, lost uint64, sent unit.Opt[uint64], line string) {
	seen := parse.StateOf[droppedQueues](f)
	key := port + " " + strconv.Itoa(group)
	if (*seen)[key] {
		return
	}
	if *seen == nil {
		*seen = droppedQueues{}
	}
	(*seen)[key] = true
	f.ClassCounted(facts.ClassSendDrops, port, group, lost, line)
	if lost > 0 {
		show.StateOf(f).QueueDrops = append(show.StateOf(f).QueueDrops,
			show.QueueDrop{Port: port, Queue: group, Lost: lost, Sent: sent, Proof: f.Proof(line)})
	}
}

// groupCounters are the sums of a qos-group's counters over unicast and multicast.
type groupCounters struct {
	number          int // of the group; -1: the switch's own traffic, or none
	packets, bytes  uint64
	lost            uint64
	sent, dropped   bool // the output has the counters
	sentLine, which string
}

// line reads the fields of a row. A field that is not a number names those after it.
func (g *groupCounters) line(line string) {
	label := ""
	for field := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		field = strings.TrimSpace(field)
		v, err := strconv.ParseUint(field, 10, 63)
		switch {
		case err != nil:
			label = field
		case label == "Tx Pkts":
			g.packets += v
		case label == "Tx Byts":
			g.bytes, g.sent, g.sentLine = g.bytes+v, true, line
		case label == "Dropped Pkts", strings.HasPrefix(label, "WRED") && strings.HasSuffix(label, "Drop Pkts"):
			g.lost, g.dropped, g.which = g.lost+v, true, line
		}
	}
}

// readQueuing reads "show queuing interface": the share of each qos-group, and its counters. A group is served by the
// queue of its number. Snapshots: a Nexus 9000, one group; the share and counters of older releases follow public notes
// on Nexus 9000.
func readQueuing(f *parse.Builder, _ []string, text []byte) error {
	if !queuingForm.Match(text) {
		return parse.ToolError(text)
	}
	on := func(line string) *facts.Interface {
		if m := queuingPort.FindStringSubmatch(line); m != nil {
			return port(f, "Ethernet"+m[2])
		}
		return nil
	}
	n, egress := on(f.Reading), true
	g := groupCounters{number: -1}
	finish := func() {
		if n != nil && g.number >= 0 {
			if g.sent {
				f.ClassCounted(facts.ClassBytesSent, n.Name, g.number, g.bytes, g.sentLine)
			}
			if g.dropped {
				queueDropped(f, n.Name, g.number, g.lost, unit.Known(g.packets), g.which)
			}
		}
		g = groupCounters{number: -1}
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if next := on(line); next != nil || strings.HasPrefix(line, "Ingress Queuing") {
			finish()
			egress = next != nil
			if egress {
				n = next
			}
			continue
		}
		switch m := queuingGroup.FindStringSubmatch(line); {
		case m != nil:
			finish()
			if m[2] != "" {
				g.number, _ = strconv.Atoi(m[2])
			}
		case g.number >= 0 && strings.HasPrefix(line, "|"):
			g.line(line)
		}
		if m := queuingShare.FindStringSubmatch(line); m != nil && egress && n != nil {
			group, _ := strconv.Atoi(m[1])
			c := parse.Effect(n)
			c.SetQueue(group, func(q *facts.Queue) { setShare(q, m[3] != "-", m[2]) })
			c.Proves("queue "+m[1], f.Proof(line))
		}
	}
	finish()
	return nil
}

// setShare stores whether a queue is served first, or else its share.
func setShare(q *facts.Queue, strict bool, percent string) {
	q.Strict = unit.Known(strict)
	if v, err := strconv.ParseFloat(percent, 64); err == nil && !strict {
		q.Weight = unit.Known(v)
	}
}

// readPolicy reads the queuing policies of "show policy-map interface": one block per port with one block per class,
// whose name ends with the number of its qos-group. Form: public notes on Nexus 9000; no snapshot exists.
func readPolicy(f *parse.Builder, _ []string, text []byte) error {
	if !policyForm.Match(text) {
		return parse.ToolError(text)
	}
	name, group, output := "", -1, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		switch m := policyClass.FindStringSubmatch(line); {
		case portForm.MatchString(line):
			name, group, output = port(f, line).Name, -1, false
		case strings.Contains(line, "Service-policy ("):
			group, output = -1, strings.Contains(line, "(queuing) output:")
		case m != nil:
			group, _ = strconv.Atoi(m[1]) // the default class has no number, and is group 0
		case strings.Contains(line, "Class-map ("):
			group = -1
		case name != "" && group >= 0 && output:
			policyOf(f, name, group, line)
		}
	}
	return nil
}

// policyOf reads a line of the queuing policy of a port's qos-group.
func policyOf(f *parse.Builder, name string, group int, line string) {
	c, proof := f.EffectOf(name), f.Proof(line)
	if m := policyMarks.FindStringSubmatch(line); m != nil {
		c.SetQueue(group, func(q *facts.Queue) {
			q.ECN, q.WRED = unit.Known(m[5] != ""), unit.Known(m[5] == "")
			q.Min, q.Max = threshold(m[1], m[2]), threshold(m[3], m[4])
		})
		c.Proves("ecn "+strconv.Itoa(group), proof)
	}
	m := policyLine.FindStringSubmatch(line)
	switch {
	case m == nil:
	case strings.HasPrefix(m[1], "queue dropped"):
		if v, err := strconv.ParseUint(m[2], 10, 63); err == nil {
			queueDropped(f, name, group, v, unit.Unknown[uint64]("the answer does not have it"), line)
		}
	default:
		c.SetQueue(group, func(q *facts.Queue) { setShare(q, m[1] == "priority level", m[2]) })
		c.Proves("queue "+strconv.Itoa(group), proof)
	}
}

// threshold reads a queue threshold, in bytes or kbytes.
func threshold(digits, kilo string) unit.Opt[unit.Bytes] {
	v, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return unit.Unknown[unit.Bytes]("the switch says " + strconv.Quote(digits))
	}
	if kilo != "" {
		v *= 1000
	}
	return unit.Known(unit.Bytes(v))
}
