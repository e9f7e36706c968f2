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

var (
	nvPCPRow   = lazyregexp.New(`^\s+(\S+)\s+(\d)\s+([\d,]+)\s+(\d)\s*$`)
	nvTCRow    = lazyregexp.New(`(?i)^\s+(\S+)\s+(\d)\s+(\d)\s+(?:dwrr-(\d+)%|(strict[ -]priority))\s*$`)
	nvTreeLine = lazyregexp.New(`^( *)([a-z][a-z0-9-]*)(?:\s{2,}(.*))?$`)
	nvBytes    = lazyregexp.New(`^([\d.]+) (Bytes|B|KB|MB|GB)$`)
)

// nvSize reads a size of NVUE, with binary units.
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
	return unit.Known(unit.Bytes(v))
}

// nvTrust converts NVUE's words "pcp,dscp", "dscp", "l3" to the trust of Classes.
func nvTrust(s string) unit.Opt[string] {
	switch strings.ReplaceAll(strings.ToLower(s), " ", "") {
	case "pcp,dscp", "dscp,pcp", "both":
		return unit.Known("both")
	case "dscp", "l3":
		return unit.Known("dscp")
	case "pcp", "l2":
		return unit.Known("pcp")
	case "port", "none":
		return unit.Known("none")
	}
	return unit.Unknown[string]("the switch says " + strconv.Quote(s))
}

// nvRoCE is NVUE's output about RoCE: a tree of two columns (in effect and configured), and tables below it.
type nvRoCE struct {
	classes *facts.Classes
	mode    bool
	differs facts.Proof // the first line whose two columns differ
}

// parseNVRoCE reads "nv show qos roce" and "nv show interface X qos roce status". Snapshots: the guide of Cumulus Linux
// 5.15.
func parseNVRoCE(f *parse.Builder, text []byte) (*nvRoCE, error) {
	out := &nvRoCE{classes: &facts.Classes{}}
	c := out.classes
	dscp, prio := map[int]int{}, map[int]int{}
	rx, tx := "", ""
	var list, marked []int
	var least, most unit.Opt[unit.Bytes]
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		p := f.Proof(line)
		if m := nvTCRow.FindStringSubmatch(line); m != nil {
			priority, _ := strconv.Atoi(m[2])
			class, _ := strconv.Atoi(m[3])
			prio[priority] = class
			share, err := strconv.ParseFloat(m[4], 64)
			c.SetQueue(class, func(q *facts.Queue) {
				q.Strict = unit.Known(m[5] != "")
				if err == nil {
					q.Weight = unit.Known(share)
				}
			})
			c.Proves("queue "+m[3], p)
			continue
		}
		if m := nvPCPRow.FindStringSubmatch(line); m != nil {
			to, _ := strconv.Atoi(m[4])
			points, _ := parse.IntList(m[3])
			for _, point := range points {
				if point < 64 && to < 8 {
					dscp[point] = to
					c.Proves("dscp "+strconv.Itoa(point), p)
				}
			}
			continue
		}
		m := nvTreeLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		fields := parse.WideGap.Split(m[3], -1)
		value := fields[0]
		switch m[2] {
		case "mode":
			out.mode = out.mode || value != ""
			c.Proves("mode", p)
			if len(fields) > 1 && m[1] == "" && strings.HasPrefix(fields[1], "loss") && fields[1] != value {
				out.differs = p
			}
		case "pfc-priority":
			list, _ = parse.IntList(value)
			c.Proves("pfc", p)
		case "rx-enabled":
			rx = value
		case "tx-enabled":
			tx = value
		case "trust-mode":
			c.Trust = nvTrust(value)
			c.Proves("trust", p)
		case "enabled-tc":
			marked, _ = parse.IntList(value)
			for _, class := range marked {
				c.Proves("ecn "+strconv.Itoa(class), p)
			}
		case "min-threshold":
			least = nvSize(value)
		case "max-threshold":
			most = nvSize(value)
		case "cable-length":
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				c.Cable = unit.Known(v)
			}
		}
	}
	if !out.mode {
		return nil, parse.ToolError(text)
	}
	on := func(s string) unit.Opt[[]int] {
		switch {
		case s == "enabled" || s == "yes" || s == "enable" || s == "on":
			return unit.Known(list)
		case s == "":
			return unit.Unknown[[]int]("the answer does not say")
		}
		return unit.Known([]int{})
	}
	if list == nil {
		list = []int{}
	}
	c.PFCReceive, c.PFCSend = on(rx), on(tx)
	if rx == "" && tx == "" { // a lossy mode has no such lines
		c.PFCReceive, c.PFCSend = unit.Known([]int{}), unit.Known([]int{})
	}
	for _, class := range marked {
		if class >= 0 && class < 8 {
			c.SetQueue(class, func(q *facts.Queue) { q.ECN, q.Min, q.Max = unit.Known(true), least, most })
		}
	}
	if len(prio) == 8 {
		c.Priorities = prio
	}
	if len(dscp) == 64 { // the status of a port has only those of RoCE
		c.DSCP = show.Bound(dscp, prio)
	}
	return out, nil
}

// readNVRoCE reads the RoCE settings of all ports.
func readNVRoCE(f *parse.Builder, _ []string, text []byte) error {
	r, err := parseNVRoCE(f, text)
	if err != nil {
		return err
	}
	show.KeepForAll(f, r.classes)
	if r.differs.Line != "" {
		show.StateOf(f).Idle = append(show.StateOf(f).Idle,
			show.NotInEffect{Port: "", What: "the mode of RoCE", Proof: r.differs})
	}
	return nil
}

// readNVStatus reads the RoCE status of one port.
func readNVStatus(f *parse.Builder, args []string, text []byte) error {
	r, err := parseNVRoCE(f, text)
	if err == nil {
		f.Interface(args[0]).Effect = r.classes
	}
	return err
}

var nvCounter = lazyregexp.New(`^\s+([a-z-]+)\s{2,}([\d,]+)(?:\s{2,}.*)?$`)

// readNVCounters reads "nv show interface X qos roce counters": lost and marked packets, of RoCE and of the rest.
// Snapshot: the guide of Cumulus Linux 5.15.
func readNVCounters(f *parse.Builder, args []string, text []byte) error {
	section := ""
	value, lines := map[string]uint64{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if m := nvCounter.FindStringSubmatch(line); m != nil {
			if v, ok := parse.Number(m[2]); ok {
				value[section+" "+m[1]], lines[section+" "+m[1]] = v, line
			}
			continue
		}
		if m := nvTreeLine.FindStringSubmatch(line); m != nil && m[3] == "" {
			section = m[2]
		}
	}
	if len(value) == 0 {
		return parse.ToolError(text)
	}
	f.Interface(args[0])
	for _, c := range []struct {
		what        facts.Counted
		name, moved string
	}{
		{facts.Marked, "tx-ecn-stats ecn-marked-packets", "tx-roce-stats roce-packets"},
		{facts.LosslessDrops, "tx-roce-stats unicast-no-buffer-discard", "tx-roce-stats roce-packets"},
		{facts.LosslessDrops, "rx-roce-stats no-buffer-discard", "rx-roce-stats roce-packets"},
		{facts.QueueDrops, "tx-cnp-stats unicast-no-buffer-discard", "tx-cnp-stats cnp-packets"},
		{facts.NoBuffer, "rx-non-roce-stats no-buffer-discard", "rx-non-roce-stats non-roce-packets"},
		{facts.PauseReceived, "rx-pfc-stats pause-packets", "rx-roce-stats roce-packets"},
		{facts.PauseSent, "tx-pfc-stats pause-packets", "tx-roce-stats roce-packets"},
	} {
		v := value[c.name]
		if v == 0 {
			continue
		}
		of := unit.Unknown[uint64]("the answer does not have it")
		if moved, ok := value[c.moved]; ok {
			of = unit.Known(moved)
		}
		f.Counted(c.what, args[0], v, of, lines[c.name])
	}
	return nil
}
