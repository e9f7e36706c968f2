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

// onyxTrust converts Onyx' word to the trust of Classes.
func onyxTrust(word string) unit.Opt[string] {
	switch strings.ToLower(word) {
	case "l3":
		return unit.Known("dscp")
	case "l2":
		return unit.Known("pcp")
	case "both":
		return unit.Known("both")
	case "none", "port":
		return unit.Known("none")
	}
	return unit.Unknown[string]("the switch says " + strconv.Quote(word))
}

var onyxPFCRow = lazyregexp.New(`^\s*(Eth\d+/\d+(?:/\d+)?|Po\d+|Mpo\d+)\s+(\w+)\s+(Enabled|Disabled)\s*$`)

var onyxPFCList = lazyregexp.New(`(?m)^\s*Priority Enabled List\s*:\s*([\d ,]*?)\s*$`)

// readOnyxPFC reads "show dcb priority-flow-control": the configured and effective PFC of each port, text or JSON.
// Snapshots: mellanox.onyx (JSON); the text is the form of Mellanox' guide (DOC-2884).
func readOnyxPFC(f *parse.Builder, _ []string, text []byte) error {
	found := 0
	take := func(name, admin, oper, line string, list []int, ok bool) {
		port := onyxPort(f, name)
		if port == nil || oper == "" {
			return
		}
		found++
		show.KeepPFC(f, port, strings.EqualFold(admin, "on"), strings.EqualFold(oper, "enabled"), list, ok, line)
	}
	if n, err := parse.JSONTree(text); err == nil {
		list, ok := parse.IntList(n.First("Priority Enabled List", "Priorities enabled list").Str())
		for _, p := range n.Members() {
			oper := p.Kid("PFC oper")
			take(p.Key, p.Kid("PFC admin").Str(), oper.Str(), oper.Line(), list, ok && list != nil)
		}
	} else {
		var list []int
		ok := false
		if m := onyxPFCList.FindSubmatch(text); m != nil {
			list, ok = parse.IntList(string(m[1]))
		}
		for line := range strings.Lines(string(text)) {
			if m := onyxPFCRow.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
				take(m[1], m[2], m[3], line, list, ok)
			}
		}
	}
	if found == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readOnyxETS reads "show dcb ets", JSON: the share of each traffic class of each port. Snapshot: mellanox.onyx.
func readOnyxETS(f *parse.Builder, _ []string, text []byte) error {
	found, err := 0, onyxEach(f, text, func(port *facts.Interface, of *parse.JSONNode) {
		for _, tc := range of.Kid("ETS per TC").Members() {
			class, err := strconv.Atoi(tc.Key)
			mode := tc.Kid("S.Mode")
			if err != nil || class < 0 || class > 7 || mode.Str() == "" {
				continue
			}
			share, err := strconv.ParseFloat(tc.Kid("W(%)").Str(), 64)
			strict := strings.EqualFold(mode.Str(), "strict")
			parse.Effect(port).SetQueue(class, func(q *facts.Queue) {
				q.Strict = unit.Known(strict)
				if err == nil && !strict {
					q.Weight = unit.Known(share)
				}
			})
			parse.Effect(port).Proves("queue "+tc.Key, f.Proof(mode.Line()))
		}
	})
	if err == nil && found == 0 && len(f.NICs) == 0 {
		return parse.ToolError(text)
	}
	return err
}

// onyxEach calls take for each port of an output that is a list, or an object keyed by port names.
func onyxEach(f *parse.Builder, text []byte, take func(port *facts.Interface, of *parse.JSONNode)) error {
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range n.Members() {
		if port := onyxPort(f, p.Key); port != nil {
			found++
			take(port, p)
		}
	}
	if found == 0 {
		return parse.ToolError(text)
	}
	return nil
}

var onyxPCP = lazyregexp.New(`(\d)\([01]\)`)

// readOnyxQoS reads "show qos interface ethernet", JSON: the trust of a port, and the switch priorities of PCP and
// DSCP. Snapshot: mellanox.onyx.
func readOnyxQoS(f *parse.Builder, _ []string, text []byte) error {
	return onyxEach(f, text, func(port *facts.Interface, of *parse.JSONNode) {
		c := parse.Effect(port)
		trust := of.Kid("Trust mode")
		parse.Learn(&c.Trust, onyxTrust(trust.Str()))
		c.Proves("trust", f.Proof(trust.Line()))
		dscp, pcp := map[int]int{}, map[int]int{}
		for _, row := range of.Kid("PCP(DEI); DSCP to switch-priority mapping").Members() {
			to := row.Kid("switch-priority")
			priority, err := strconv.Atoi(to.Str())
			if err != nil || priority < 0 || priority > 7 {
				continue
			}
			for _, m := range onyxPCP.FindAllStringSubmatch(row.Key, -1) {
				from, _ := strconv.Atoi(m[1])
				pcp[from] = priority
			}
			points := row.Kid("DSCP")
			list, _ := parse.IntList(points.Str())
			for _, point := range list {
				if point < 64 {
					dscp[point] = priority
					c.Proves("dscp "+strconv.Itoa(point), f.Proof(points.Line()))
				}
			}
		}
		if len(dscp) > 0 {
			c.DSCP = dscp
		}
		if len(pcp) > 0 {
			c.PCP = pcp
		}
	})
}

// onyxKB is a size in Onyx' form. Whether its KB is 1000 or 1024 bytes is unknown; 1000 is assumed, so that a real
// buffer is never smaller than the fact.
var onyxKB = lazyregexp.New(`^(\d+) ?KB$`)

func onyxBytes(s string) unit.Opt[unit.Bytes] {
	m := onyxKB.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return unit.Unknown[unit.Bytes]("the switch says " + strconv.Quote(s))
	}
	v, err := strconv.ParseInt(m[1], 10, 32)
	if err != nil {
		return unit.Unknown[unit.Bytes]("the switch says " + strconv.Quote(s))
	}
	return unit.Known(unit.Bytes(v * 1000))
}

// readOnyxECN reads "show interfaces ethernet congestion-control", JSON: a list, a port and then its classes. Snapshot:
// mellanox.onyx.
func readOnyxECN(f *parse.Builder, _ []string, text []byte) error {
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	port := ""
	for _, v := range n.Kids {
		if at := v.Kid("Interface ethernet"); at != nil {
			if p := onyxPort(f, "Eth"+strings.TrimPrefix(at.Str(), "Eth")); p != nil {
				port = p.Name
			}
			marked := v.Kid("ECN marked packets")
			count, ok := parse.Number(marked.Str())
			if ok && port != "" {
				f.ClassCounted(facts.ClassMarked, port, facts.AllClasses, count, marked.Line())
			}
			if ok && count > 0 && port != "" {
				f.Counted(facts.Marked, port, count, unit.Unknown[uint64]("the answer does not have the packets in all"),
					marked.Line())
			}
			continue
		}
		class, err := strconv.Atoi(strings.TrimPrefix(v.Kid("header").Str(), "TC-"))
		mode := v.Kid("Mode")
		if port == "" || err != nil || class < 0 || class > 7 || mode.Str() == "" {
			continue
		}
		c := parse.Effect(f.Interface(port))
		c.SetQueue(class, func(q *facts.Queue) {
			word := strings.ToLower(mode.Str())
			q.ECN, q.WRED = unit.Known(strings.Contains(word, "ecn")), unit.Known(strings.Contains(word, "red"))
			if q.ECN.Or(false) {
				q.Min, q.Max = onyxBytes(v.Kid("Minimum threshold").Str()), onyxBytes(v.Kid("Maximum threshold").Str())
			}
		})
		c.Proves("ecn "+strconv.Itoa(class), f.Proof(mode.Line()))
		if lost := v.Kid("RED dropped packets"); lost != nil {
			if count, ok := parse.Number(lost.Str()); ok && count > 0 {
				f.Counted(facts.QueueDrops, port, count, unit.Unknown[uint64]("the answer does not have the packets in all"),
					lost.Line())
			}
		}
	}
	if port == "" {
		return parse.ToolError(text)
	}
	return nil
}
