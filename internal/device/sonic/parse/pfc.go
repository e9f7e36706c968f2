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

// readSONiCPFCCounters reads "show pfc counters": pause frames by priority, one block for received and one for sent
// ones. Snapshot: sonic-buildimage 9430.
func readSONiCPFCCounters(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for _, t := range parse.Tables(text, "Port Rx", "Port Tx") {
		what, ofClass := facts.PauseReceived, facts.ClassPauseReceived
		if strings.EqualFold(t.Headers[0], "Port Tx") {
			what, ofClass = facts.PauseSent, facts.ClassPauseSent
		}
		for _, r := range t.Rows {
			n := sonicPort(f, r.Get("PORT RX", "PORT TX"))
			if n == nil {
				continue
			}
			rows++
			sum := uint64(0)
			for class := range 8 {
				if v, ok := parse.Number(r.Get("PFC" + strconv.Itoa(class))); ok {
					sum += v
					f.ClassCounted(ofClass, n.Name, class, v, r.Line)
				}
			}
			if sum > 0 {
				f.Counted(what, n.Name, sum, unit.Opt[uint64]{}, r.Line)
			}
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readSONiCPFC reads "show pfc priority": the lossless priorities of each port. Snapshot: sonic-utilities 796.
func readSONiCPFC(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for _, t := range parse.Tables(text, "Interface") {
		for _, r := range t.Rows {
			n := sonicPort(f, r.Get("INTERFACE"))
			list, ok := parse.IntList(strings.TrimSpace(strings.Replace(r.Get("LOSSLESS PRIORITIES"), "N/A", "", 1)))
			if n == nil || !ok {
				continue
			}
			rows++
			if list == nil {
				list = []int{}
			}
			c := parse.Effect(n)
			c.PFCReceive, c.PFCSend = unit.Known(list), unit.Known(list)
			c.Proves("pfc", f.Proof(r.Line))
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readSONiCWatch reads "show pfcwd config": the ports with a watchdog. Snapshot: sonic-buildimage 9193, with a note
// before it.
func readSONiCWatch(f *parse.Builder, _ []string, text []byte) error {
	found := parse.Tables(text, "PORT")
	for _, t := range found {
		for _, r := range t.Rows {
			if n := sonicPort(f, r.Get("PORT")); n != nil && r.Get("ACTION") != "" {
				c := parse.Effect(n)
				c.Watchdog = unit.Known(true)
				c.Proves("watchdog", f.Proof(r.Line))
			}
		}
	}
	if len(found) == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readSONiCStorms reads "show pfcwd stats": one row per queue, Ethernet4:3, with the numbers of detected and ended
// storms. Snapshots: sonic-buildimage 8483 (one that continues), 9430.
func readSONiCStorms(f *parse.Builder, _ []string, text []byte) error {
	found := parse.Tables(text, "QUEUE")
	for _, t := range found {
		for _, r := range t.Rows {
			port, _, ok := strings.Cut(r.Get("QUEUE"), ":")
			if n := sonicPort(f, port); n == nil || !ok {
				continue
			}
			seen, _, _ := strings.Cut(r.Get("STORM DETECTED/RESTORED"), "/")
			v, ok := parse.Number(seen)
			if r.Get("STATUS") == "stormed" {
				v, ok = max(v, 1), true
			}
			if ok && v > 0 {
				f.Counted(facts.Storms, port, v, unit.Opt[uint64]{}, r.Line)
			}
		}
	}
	if len(found) == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// sonicProfile is a profile of marking and dropping.
type sonicProfile struct {
	ecn, wred unit.Opt[bool]
	min, max  unit.Opt[unit.Bytes]
	proof     facts.Proof
}

var sonicProfileHead = lazyregexp.New(`^Profile:\s+\**(\w+)\**\s*$`)

// readSONiCECN reads "show ecn": the profiles of marking, in bytes. Form: the command reference of sonic-utilities; no
// snapshot exists.
func readSONiCECN(f *parse.Builder, _ []string, text []byte) error {
	state := parse.StateOf[sonicState](f)
	if state.profiles == nil {
		state.profiles = map[string]*sonicProfile{}
	}
	var at *sonicProfile
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := sonicProfileHead.FindStringSubmatch(line); m != nil {
			at = &sonicProfile{}
			state.profiles[m[1]] = at
			continue
		}
		if w := strings.Fields(line); at != nil && len(w) == 2 {
			at.set(w[0], w[1], f.Proof(line))
		}
	}
	if at == nil {
		return parse.ToolError(text)
	}
	return nil
}

// set stores one field of a profile, by its name in the tables.
func (x *sonicProfile) set(field, value string, p facts.Proof) {
	switch field {
	case "ecn": // ecn_none, ecn_green, ecn_all: all packets are green unless the configuration colours them
		x.ecn, x.proof = unit.Known(value == "ecn_all" || strings.HasPrefix(value, "ecn_green")), p
	case "wred_green_enable":
		x.wred = unit.Known(value == "true")
	case "green_min_threshold", "green_max_threshold":
		v, err := strconv.ParseInt(value, 10, 40)
		if err != nil {
			return
		}
		if field == "green_min_threshold" {
			x.min = unit.Known(unit.Bytes(v))
		} else {
			x.max = unit.Known(unit.Bytes(v))
		}
	}
}

// marks sets a queue's marking from its profile.
func (x *sonicProfile) marks(q *facts.Queue) {
	parse.Learn(&q.ECN, x.ecn)
	if on, ok := x.ecn.Get(); ok && on {
		parse.Learn(&q.Min, x.min)
		parse.Learn(&q.Max, x.max)
	} else {
		parse.Learn(&q.WRED, x.wred)
	}
}

var sonicQueue = lazyregexp.New(`^(?:UC|ALL|Q)?(\d+)$`)

// readSONiCQueues reads "show queue counters": the sent and dropped packets of each queue of each port. Form: the
// command reference of sonic-utilities; no snapshot exists.
func readSONiCQueues(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for _, t := range parse.Tables(text, "Port") {
		for _, r := range t.Rows {
			n := sonicPort(f, r.Get("PORT"))
			m := sonicQueue.FindStringSubmatch(r.Get("TXQ"))
			if n == nil || m == nil {
				continue
			}
			rows++
			queue, _ := strconv.Atoi(m[1])
			sent, _ := parse.Number(r.Get("COUNTER/PKTS"))
			if bytes, ok := parse.Number(r.Get("COUNTER/BYTES")); ok {
				f.ClassCounted(facts.ClassBytesSent, n.Name, queue, bytes, r.Line)
			}
			dropped, counts := parse.Number(r.Get("DROP/PKTS"))
			if counts {
				f.ClassCounted(facts.ClassSendDrops, n.Name, queue, dropped, r.Line)
			}
			if v := dropped; counts && v > 0 {
				show.StateOf(f).QueueDrops = append(show.StateOf(f).QueueDrops,
					show.QueueDrop{Port: n.Name, Queue: queue, Lost: v, Sent: unit.Known(sent), Proof: f.Proof(r.Line)})
			}
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}
