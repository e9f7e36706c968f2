package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// onyxTrust is the trust of Classes for Onyx' word.
func onyxTrust(word string) unit.Opt[string] {
	switch strings.ToLower(word) {
	case "l3":
		return known("dscp")
	case "l2":
		return known("pcp")
	case "both":
		return known("both")
	case "none", "port":
		return known("none")
	}
	return unit.Unknown[string]("the switch says " + strconv.Quote(word))
}

var onyxPFCRow = lazyregexp.New(`^\s*(Eth\d+/\d+(?:/\d+)?|Po\d+|Mpo\d+)\s+(\w+)\s+(Enabled|Disabled)\s*$`)
var onyxPFCList = lazyregexp.New(`(?m)^\s*Priority Enabled List\s*:\s*([\d ,]*?)\s*$`)

// readOnyxPFC reads "show dcb priority-flow-control": what is set on each port and what is in effect, text or JSON. Captures: mellanox.onyx
// (JSON); the text is the form of Mellanox' own guide (DOC-2884).
func readOnyxPFC(f *Facts, _ []string, text []byte) error {
	found := 0
	take := func(name, admin, oper, line string, list []int, ok bool) {
		port := f.onyxPort(name)
		if port == nil || oper == "" {
			return
		}
		found++
		f.pfcShown(port, strings.EqualFold(admin, "on"), strings.EqualFold(oper, "enabled"), list, ok, line)
	}
	if n, err := jsonTree(text); err == nil {
		list, ok := intList(n.first("Priority Enabled List", "Priorities enabled list").str())
		for _, p := range n.members() {
			oper := p.kid("PFC oper")
			take(p.key, p.kid("PFC admin").str(), oper.str(), oper.line(), list, ok && list != nil)
		}
	} else {
		var list []int
		ok := false
		if m := onyxPFCList.FindSubmatch(text); m != nil {
			list, ok = intList(string(m[1]))
		}
		for line := range strings.Lines(string(text)) {
			if m := onyxPFCRow.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
				take(m[1], m[2], m[3], line, list, ok)
			}
		}
	}
	if found == 0 {
		return toolError(text)
	}
	return nil
}

// readOnyxETS reads "show dcb ets", JSON: what each traffic class gets of each port. Capture: mellanox.onyx.
func readOnyxETS(f *Facts, _ []string, text []byte) error {
	found, err := 0, f.onyxEach(text, func(port *Interface, of *jsonNode) {
		for _, tc := range of.kid("ETS per TC").members() {
			class, err := strconv.Atoi(tc.key)
			mode := tc.kid("S.Mode")
			if err != nil || class < 0 || class > 7 || mode.str() == "" {
				continue
			}
			share, err := strconv.ParseFloat(tc.kid("W(%)").str(), 64)
			strict := strings.EqualFold(mode.str(), "strict")
			port.effect().queue(class, func(q *Queue) {
				q.Strict = known(strict)
				if err == nil && !strict {
					q.Weight = known(share)
				}
			})
			port.effect().proves("queue "+tc.key, f.proof(mode.line()))
		}
	})
	if err == nil && found == 0 && len(f.NICs) == 0 {
		return toolError(text)
	}
	return err
}

// onyxEach calls for each port of an answer that is a list, or an object, of ports by their names.
func (f *Facts) onyxEach(text []byte, take func(port *Interface, of *jsonNode)) error {
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, p := range n.members() {
		if port := f.onyxPort(p.key); port != nil {
			found++
			take(port, p)
		}
	}
	if found == 0 {
		return toolError(text)
	}
	return nil
}

var onyxPCP = lazyregexp.New(`(\d)\([01]\)`)

// readOnyxQoS reads "show qos interface ethernet", JSON: what a port trusts, and to which switch priority PCP and DSCP go. Capture:
// mellanox.onyx.
func readOnyxQoS(f *Facts, _ []string, text []byte) error {
	return f.onyxEach(text, func(port *Interface, of *jsonNode) {
		c := port.effect()
		trust := of.kid("Trust mode")
		learn(&c.Trust, onyxTrust(trust.str()))
		c.proves("trust", f.proof(trust.line()))
		dscp, pcp := map[int]int{}, map[int]int{}
		for _, row := range of.kid("PCP(DEI); DSCP to switch-priority mapping").members() {
			to := row.kid("switch-priority")
			priority, err := strconv.Atoi(to.str())
			if err != nil || priority < 0 || priority > 7 {
				continue
			}
			for _, m := range onyxPCP.FindAllStringSubmatch(row.key, -1) {
				from, _ := strconv.Atoi(m[1])
				pcp[from] = priority
			}
			points := row.kid("DSCP")
			list, _ := intList(points.str())
			for _, point := range list {
				if point < 64 {
					dscp[point] = priority
					c.proves("dscp "+strconv.Itoa(point), f.proof(points.line()))
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

// onyxKB is a size as Onyx prints it. Whether its KB is 1000 or 1024 bytes is not known here: the smaller
// is taken, so that a buffer is at most larger than it is told.
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
	return known(unit.Bytes(v * 1000))
}

// readOnyxECN reads "show interfaces ethernet congestion-control", JSON: a list, a port and then its classes. Capture: mellanox.onyx.
func readOnyxECN(f *Facts, _ []string, text []byte) error {
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	port := ""
	for _, v := range n.kids {
		if at := v.kid("Interface ethernet"); at != nil {
			if p := f.onyxPort("Eth" + strings.TrimPrefix(at.str(), "Eth")); p != nil {
				port = p.Name
			}
			marked := v.kid("ECN marked packets")
			count, ok := number(marked.str())
			if ok && port != "" {
				f.classCounted(ClassMarked, port, AllClasses, count, marked.line())
			}
			if ok && count > 0 && port != "" {
				f.counted(Marked, port, count, unit.Unknown[uint64]("the answer does not have the packets in all"), marked.line())
			}
			continue
		}
		class, err := strconv.Atoi(strings.TrimPrefix(v.kid("header").str(), "TC-"))
		mode := v.kid("Mode")
		if port == "" || err != nil || class < 0 || class > 7 || mode.str() == "" {
			continue
		}
		c := f.nic(port).effect()
		c.queue(class, func(q *Queue) {
			word := strings.ToLower(mode.str())
			q.ECN, q.WRED = known(strings.Contains(word, "ecn")), known(strings.Contains(word, "red"))
			if q.ECN.Or(false) {
				q.Min, q.Max = onyxBytes(v.kid("Minimum threshold").str()), onyxBytes(v.kid("Maximum threshold").str())
			}
		})
		c.proves("ecn "+strconv.Itoa(class), f.proof(mode.line()))
		if lost := v.kid("RED dropped packets"); lost != nil {
			if count, ok := number(lost.str()); ok && count > 0 {
				f.counted(QueueDrops, port, count, unit.Unknown[uint64]("the answer does not have the packets in all"), lost.line())
			}
		}
	}
	if port == "" {
		return toolError(text)
	}
	return nil
}
