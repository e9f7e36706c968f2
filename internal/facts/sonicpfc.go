package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// readSONiCPFCCounters reads "show pfc counters": pause frames by priority, a block for those received and one for those sent.
// Capture: sonic-buildimage 9430.
func readSONiCPFCCounters(f *Facts, _ []string, text []byte) error {
	rows := 0
	for _, t := range tables(text, "Port Rx", "Port Tx") {
		what, ofClass := PauseReceived, ClassPauseReceived
		if strings.EqualFold(t.heads[0], "Port Tx") {
			what, ofClass = PauseSent, ClassPauseSent
		}
		for _, r := range t.rows {
			n := f.sonicPort(r.get("PORT RX", "PORT TX"))
			if n == nil {
				continue
			}
			rows++
			sum := uint64(0)
			for class := range 8 {
				if v, ok := number(r.get("PFC" + strconv.Itoa(class))); ok {
					sum += v
					f.classCounted(ofClass, n.Name, class, v, r.line)
				}
			}
			if sum > 0 {
				f.counted(what, n.Name, sum, unit.Opt[uint64]{}, r.line)
			}
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

// readSONiCPFC reads "show pfc priority": the lossless priorities of each port. Capture: sonic-utilities 796.
func readSONiCPFC(f *Facts, _ []string, text []byte) error {
	rows := 0
	for _, t := range tables(text, "Interface") {
		for _, r := range t.rows {
			n := f.sonicPort(r.get("INTERFACE"))
			list, ok := intList(strings.TrimSpace(strings.Replace(r.get("LOSSLESS PRIORITIES"), "N/A", "", 1)))
			if n == nil || !ok {
				continue
			}
			rows++
			if list == nil {
				list = []int{}
			}
			c := n.effect()
			c.PFCReceive, c.PFCSend = known(list), known(list)
			c.proves("pfc", f.proof(r.line))
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

// readSONiCWatch reads "show pfcwd config": the ports that are watched. Capture: sonic-buildimage 9193, where a note stands before it.
func readSONiCWatch(f *Facts, _ []string, text []byte) error {
	found := tables(text, "PORT")
	for _, t := range found {
		for _, r := range t.rows {
			if n := f.sonicPort(r.get("PORT")); n != nil && r.get("ACTION") != "" {
				c := n.effect()
				c.Watchdog = known(true)
				c.proves("watchdog", f.proof(r.line))
			}
		}
	}
	if len(found) == 0 {
		return toolError(text)
	}
	return nil
}

// readSONiCStorms reads "show pfcwd stats": a row a queue, Ethernet4:3, with how many storms were seen and ended. Captures:
// sonic-buildimage 8483 (one going on), 9430.
func readSONiCStorms(f *Facts, _ []string, text []byte) error {
	found := tables(text, "QUEUE")
	for _, t := range found {
		for _, r := range t.rows {
			port, _, ok := strings.Cut(r.get("QUEUE"), ":")
			if n := f.sonicPort(port); n == nil || !ok {
				continue
			}
			seen, _, _ := strings.Cut(r.get("STORM DETECTED/RESTORED"), "/")
			v, ok := number(seen)
			if r.get("STATUS") == "stormed" {
				v, ok = max(v, 1), true
			}
			if ok && v > 0 {
				f.counted(Storms, port, v, unit.Opt[uint64]{}, r.line)
			}
		}
	}
	if len(found) == 0 {
		return toolError(text)
	}
	return nil
}

// sonicProfile is a profile of marking and dropping.
type sonicProfile struct {
	ecn, wred unit.Opt[bool]
	min, max  unit.Opt[unit.Bytes]
	proof     Proof
}

var sonicProfileHead = lazyregexp.New(`^Profile:\s+\**(\w+)\**\s*$`)

// readSONiCECN reads "show ecn": the profiles of marking, in bytes. Form: the command reference of sonic-utilities; there is no capture.
func readSONiCECN(f *Facts, _ []string, text []byte) error {
	if f.said.profiles == nil {
		f.said.profiles = map[string]*sonicProfile{}
	}
	var at *sonicProfile
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := sonicProfileHead.FindStringSubmatch(line); m != nil {
			at = &sonicProfile{}
			f.said.profiles[m[1]] = at
			continue
		}
		if w := strings.Fields(line); at != nil && len(w) == 2 {
			at.set(w[0], w[1], f.proof(line))
		}
	}
	if at == nil {
		return toolError(text)
	}
	return nil
}

// set takes one field of a profile, by the name that it has in the tables, too.
func (x *sonicProfile) set(field, value string, p Proof) {
	switch field {
	case "ecn": // ecn_none, ecn_green, ecn_all: only green packets are there as long as nobody colours them
		x.ecn, x.proof = known(value == "ecn_all" || strings.HasPrefix(value, "ecn_green")), p
	case "wred_green_enable":
		x.wred = known(value == "true")
	case "green_min_threshold", "green_max_threshold":
		v, err := strconv.ParseInt(value, 10, 40)
		if err != nil {
			return
		}
		if field == "green_min_threshold" {
			x.min = known(unit.Bytes(v))
		} else {
			x.max = known(unit.Bytes(v))
		}
	}
}

// marks gives a queue what its profile says.
func (x *sonicProfile) marks(q *Queue) {
	learn(&q.ECN, x.ecn)
	if on, ok := x.ecn.Get(); ok && on {
		learn(&q.Min, x.min)
		learn(&q.Max, x.max)
	} else {
		learn(&q.WRED, x.wred)
	}
}

var sonicQueue = lazyregexp.New(`^(?:UC|ALL|Q)?(\d+)$`)

// readSONiCQueues reads "show queue counters": what each queue of each port sent and dropped. Form: the command reference of
// sonic-utilities; there is no capture.
func readSONiCQueues(f *Facts, _ []string, text []byte) error {
	rows := 0
	for _, t := range tables(text, "Port") {
		for _, r := range t.rows {
			n := f.sonicPort(r.get("PORT"))
			m := sonicQueue.FindStringSubmatch(r.get("TXQ"))
			if n == nil || m == nil {
				continue
			}
			rows++
			queue, _ := strconv.Atoi(m[1])
			sent, _ := number(r.get("COUNTER/PKTS"))
			if bytes, ok := number(r.get("COUNTER/BYTES")); ok {
				f.classCounted(ClassBytesSent, n.Name, queue, bytes, r.line)
			}
			dropped, counts := number(r.get("DROP/PKTS"))
			if counts {
				f.classCounted(ClassSendDrops, n.Name, queue, dropped, r.line)
			}
			if v := dropped; counts && v > 0 {
				f.said.queueDrops = append(f.said.queueDrops, queueDrop{n.Name, queue, v, sent, f.proof(r.line)})
			}
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

// queueDrop is what a queue dropped, beside what it sent.
type queueDrop struct {
	port  string
	queue int
	lost  uint64
	sent  uint64
	Proof
}

// settleQueueDrops says of what a queue dropped whether its class is one that is to lose nothing.
func settleQueueDrops(f *Facts) {
	for _, d := range f.said.queueDrops {
		what := QueueDrops
		n := f.nic(d.port)
		for _, c := range []*Classes{n.Effect, n.Asked} {
			if c == nil {
				continue
			}
			if pfc, why := c.PFC(); why == "" {
				for _, class := range pfc {
					if class == d.queue {
						what = LosslessDrops
					}
				}
				break
			}
		}
		f.Counts = append(f.Counts, Count{what, d.port, d.lost, known(d.sent), d.Proof})
	}
	f.said.queueDrops = nil
}
