package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

var (
	nvPCPRow   = lazyregexp.New(`^\s+(\S+)\s+(\d)\s+([\d,]+)\s+(\d)\s*$`)
	nvTCRow    = lazyregexp.New(`(?i)^\s+(\S+)\s+(\d)\s+(\d)\s+(?:dwrr-(\d+)%|(strict[ -]priority))\s*$`)
	nvTreeLine = lazyregexp.New(`^( *)([a-z][a-z0-9-]*)(?:\s{2,}(.*))?$`)
	nvBytes    = lazyregexp.New(`^([\d.]+) (Bytes|B|KB|MB|GB)$`)
)

// nvSize is a size as NVUE prints it: in steps of 1024.
func nvSize(s string) unit.Opt[unit.Bytes] {
	m := nvBytes.FindStringSubmatch(s)
	if m == nil {
		return unit.Unknown[unit.Bytes]("the switch says " + strconv.Quote(s))
	}
	v, err := strconv.ParseFloat(m[1], 64)
	v *= map[string]float64{"Bytes": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}[m[2]]
	if err != nil || v > 1e15 {
		return unit.Unknown[unit.Bytes]("the switch says " + strconv.Quote(s))
	}
	return known(unit.Bytes(v))
}

// nvTrust is the trust of Classes for the words of NVUE: "pcp,dscp", "dscp", "l3".
func nvTrust(s string) unit.Opt[string] {
	switch strings.ReplaceAll(strings.ToLower(s), " ", "") {
	case "pcp,dscp", "dscp,pcp", "both":
		return known("both")
	case "dscp", "l3":
		return known("dscp")
	case "pcp", "l2":
		return known("pcp")
	case "port", "none":
		return known("none")
	}
	return unit.Unknown[string]("the switch says " + strconv.Quote(s))
}

// nvRoCE is what an answer on RoCE says: a tree of two columns (what is so, what is set), and tables below it.
type nvRoCE struct {
	classes *Classes
	mode    bool
	differs Proof // the line in which what is so is not what is set
}

// parseNVRoCE reads "nv show qos roce" and "nv show interface X qos roce status". Captures: the guide of Cumulus Linux 5.15.
func (f *Facts) parseNVRoCE(text []byte) (*nvRoCE, error) {
	out := &nvRoCE{classes: &Classes{}}
	c := out.classes
	dscp, prio := map[int]int{}, map[int]int{}
	rx, tx := "", ""
	var list, marked []int
	var least, most unit.Opt[unit.Bytes]
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		p := f.proof(line)
		if m := nvTCRow.FindStringSubmatch(line); m != nil {
			priority, _ := strconv.Atoi(m[2])
			class, _ := strconv.Atoi(m[3])
			prio[priority] = class
			share, err := strconv.ParseFloat(m[4], 64)
			c.queue(class, func(q *Queue) {
				q.Strict = known(m[5] != "")
				if err == nil {
					q.Weight = known(share)
				}
			})
			c.proves("queue "+m[3], p)
			continue
		}
		if m := nvPCPRow.FindStringSubmatch(line); m != nil {
			to, _ := strconv.Atoi(m[4])
			points, _ := intList(m[3])
			for _, point := range points {
				if point < 64 && to < 8 {
					dscp[point] = to
					c.proves("dscp "+strconv.Itoa(point), p)
				}
			}
			continue
		}
		m := nvTreeLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		cells := wideGap.Split(m[3], -1)
		value := cells[0]
		switch m[2] {
		case "mode":
			out.mode = out.mode || value != ""
			c.proves("mode", p)
			if len(cells) > 1 && m[1] == "" && strings.HasPrefix(cells[1], "loss") && cells[1] != value {
				out.differs = p
			}
		case "pfc-priority":
			list, _ = intList(value)
			c.proves("pfc", p)
		case "rx-enabled":
			rx = value
		case "tx-enabled":
			tx = value
		case "trust-mode":
			c.Trust = nvTrust(value)
			c.proves("trust", p)
		case "enabled-tc":
			marked, _ = intList(value)
			for _, class := range marked {
				c.proves("ecn "+strconv.Itoa(class), p)
			}
		case "min-threshold":
			least = nvSize(value)
		case "max-threshold":
			most = nvSize(value)
		case "cable-length":
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				c.Cable = known(v)
			}
		}
	}
	if !out.mode {
		return nil, toolError(text)
	}
	on := func(s string) unit.Opt[[]int] {
		switch {
		case s == "enabled" || s == "yes" || s == "enable" || s == "on":
			return known(list)
		case s == "":
			return unit.Unknown[[]int]("the answer does not say")
		}
		return known([]int{})
	}
	if list == nil {
		list = []int{}
	}
	c.PFCReceive, c.PFCSend = on(rx), on(tx)
	if rx == "" && tx == "" { // a lossy mode has no such lines
		c.PFCReceive, c.PFCSend = known([]int{}), known([]int{})
	}
	for _, class := range marked {
		if class >= 0 && class < 8 {
			c.queue(class, func(q *Queue) { q.ECN, q.Min, q.Max = known(true), least, most })
		}
	}
	if len(prio) == 8 {
		c.Priorities = prio
	}
	if len(dscp) == 64 { // the status of a port has those of RoCE alone
		c.DSCP = bound(dscp, prio)
	}
	return out, nil
}

// readNVRoCE reads what the switch says of all ports.
func readNVRoCE(f *Facts, _ []string, text []byte) error {
	r, err := f.parseNVRoCE(text)
	if err != nil {
		return err
	}
	f.ofAll(r.classes)
	if r.differs.Line != "" {
		f.said.idle = append(f.said.idle, notInEffect{"", "the mode of RoCE", r.differs})
	}
	return nil
}

// readNVStatus reads what it says of one port.
func readNVStatus(f *Facts, args []string, text []byte) error {
	r, err := f.parseNVRoCE(text)
	if err == nil {
		f.nic(args[0]).Effect = r.classes
	}
	return err
}

var nvCounter = lazyregexp.New(`^\s+([a-z-]+)\s{2,}([\d,]+)(?:\s{2,}.*)?$`)

// readNVCounters reads "nv show interface X qos roce counters": what was lost and marked, of RoCE and of the rest. Capture: the guide of
// Cumulus Linux 5.15.
func readNVCounters(f *Facts, args []string, text []byte) error {
	section := ""
	value, lines := map[string]uint64{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if m := nvCounter.FindStringSubmatch(line); m != nil {
			if v, ok := number(m[2]); ok {
				value[section+" "+m[1]], lines[section+" "+m[1]] = v, line
			}
			continue
		}
		if m := nvTreeLine.FindStringSubmatch(line); m != nil && m[3] == "" {
			section = m[2]
		}
	}
	if len(value) == 0 {
		return toolError(text)
	}
	f.nic(args[0])
	for _, c := range []struct {
		what        Counted
		name, moved string
	}{
		{Marked, "tx-ecn-stats ecn-marked-packets", "tx-roce-stats roce-packets"},
		{LosslessDrops, "tx-roce-stats unicast-no-buffer-discard", "tx-roce-stats roce-packets"},
		{LosslessDrops, "rx-roce-stats no-buffer-discard", "rx-roce-stats roce-packets"},
		{QueueDrops, "tx-cnp-stats unicast-no-buffer-discard", "tx-cnp-stats cnp-packets"},
		{NoBuffer, "rx-non-roce-stats no-buffer-discard", "rx-non-roce-stats non-roce-packets"},
		{PauseReceived, "rx-pfc-stats pause-packets", "rx-roce-stats roce-packets"},
		{PauseSent, "tx-pfc-stats pause-packets", "tx-roce-stats roce-packets"},
	} {
		v := value[c.name]
		if v == 0 {
			continue
		}
		of := unit.Unknown[uint64]("the answer does not have it")
		if moved, ok := value[c.moved]; ok {
			of = known(moved)
		}
		f.counted(c.what, args[0], v, of, lines[c.name])
	}
	return nil
}
