package parse

import (
	"maps"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	eosTrustHead  = lazyregexp.New(`^\s*((?:Ethernet|Port-Channel|Et|Po)\d[\d/]*)\s*:\s*$`)
	eosTrustLine  = lazyregexp.New(`(?i)^\s*(?:the operational )?trust mode(?: is)?:?\s+(cos|dscp|untrusted|none)\b`)
	eosTrustRow   = lazyregexp.New(`(?i)^\s*((?:Ethernet|Port-Channel|Et|Po)\d[\d/]*)\s+(cos|dscp|untrusted)\b`)
	eosQueueRow   = lazyregexp.New(`^\s*(?:UC)?(\d)\s+(-|\d+(?:\.\d+)?)\s.*\s(SP|RR)\b.*?\s([LWD])\s*$`)
	eosMapHead    = lazyregexp.New(`(?i)^\s*(dscp|cos)[ -]to[ -](?:tc|traffic-class) map`)
	eosMapFields  = lazyregexp.New(`(?i)^\s*(cos|dscp|tc|traffic-class):?((?:\s+\d+)+)\s*$`)
	eosDSCPMatrix = lazyregexp.New(`^\s*(\d)\s*:((?:\s+\d+)+)\s*$`)
)

// eosTrust converts Arista's word to the trust of Classes.
func eosTrust(word string) string {
	switch strings.ToLower(word) {
	case "cos":
		return "pcp"
	case "dscp":
		return "dscp"
	}
	return "none"
}

// readEOSQoS reads "show qos interfaces" and "show qos interfaces trust" of EOS: the trust of each port, and its
// queues. A guide for a 7280 has the queues of a port and "Trust Mode: DSCP"; no snapshot of the table of trust exists.
func readEOSQoS(f *parse.Builder, _ []string, text []byte) error {
	rows, port := 0, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := eosTrustHead.FindStringSubmatch(line); m != nil {
			port = eosName(m[1])
			continue
		}
		if m := eosTrustRow.FindStringSubmatch(line); m != nil {
			c := parse.Effect(eosPort(f, m[1]))
			c.Trust = unit.Known(eosTrust(m[2]))
			c.Proves("trust", f.Proof(line))
			rows++
			continue
		}
		if port == "" {
			continue
		}
		c := parse.Effect(eosPort(f, port))
		if m := eosTrustLine.FindStringSubmatch(line); m != nil {
			c.Trust = unit.Known(eosTrust(m[1]))
			c.Proves("trust", f.Proof(line))
			rows++
		}
		if m := eosQueueRow.FindStringSubmatch(line); m != nil {
			class, _ := strconv.Atoi(m[1])
			share, err := strconv.ParseFloat(m[2], 64)
			c.SetQueue(class, func(q *facts.Queue) {
				q.Strict, q.ECN, q.WRED = unit.Known(m[3] == "SP"), unit.Known(m[4] == "L"), unit.Known(m[4] == "W")
				if err == nil {
					q.Weight = unit.Known(share)
				}
			})
			c.Proves("queue "+m[1], f.Proof(line))
			rows++
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readEOSMaps reads "show qos maps" of EOS: the traffic class of each priority and code point, on all ports. No
// snapshot of it exists: the form is that of Arista's manual.
//
//	Dscp-tc map:   d1 : d2 0 1 2 .. 9, a line for each ten code points
//	Cos-tc map:    cos: 0 1 2 .. 7 above tc: 1 0 2 .. 7
func readEOSMaps(f *parse.Builder, _ []string, text []byte) error {
	kind := ""
	var cos []int
	var m eosMaps
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if h := eosMapHead.FindStringSubmatch(strings.Replace(line, "-tc map", " to tc map", 1)); h != nil {
			kind, cos = strings.ToLower(h[1]), nil
			continue
		}
		if c := eosMapFields.FindStringSubmatch(line); c != nil && kind == "cos" {
			list, _ := parse.IntList(c[2])
			if strings.EqualFold(c[1], "cos") {
				cos = list
			} else if len(list) == len(cos) {
				m.pcp = map[int]int{}
				for i := range cos {
					m.pcp[cos[i]] = list[i]
				}
				m.pcpLine, kind = f.Proof(line), ""
			}
		}
		if c := eosDSCPMatrix.FindStringSubmatch(line); c != nil && kind == "dscp" {
			tens, _ := strconv.Atoi(c[1])
			list, _ := parse.IntList(c[2])
			for i, class := range list {
				if point := 10*tens + i; i < 10 && point < 64 {
					m.set(point, class, f.Proof(line))
				}
			}
		}
	}
	if m.pcp == nil && m.dscp == nil {
		return parse.ToolError(text)
	}
	*parse.StateOf[eosMaps](f) = m
	return nil
}

// eosMaps are the maps that apply to all ports of a switch.
type eosMaps struct {
	dscp, pcp map[int]int
	lines     map[int]facts.Proof // of code points
	pcpLine   facts.Proof
}

func (m *eosMaps) set(point, class int, p facts.Proof) {
	if m.dscp == nil {
		m.dscp, m.lines = map[int]int{}, map[int]facts.Proof{}
	}
	m.dscp[point], m.lines[point] = class, p
}

// Settle copies the maps to the ports that have classes.
func Settle(f *parse.Builder) {
	found := parse.StateOf[eosMaps](f)
	if found.dscp == nil && found.pcp == nil {
		return
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		if n.Kind != "" || strings.HasPrefix(n.Name, "Management") {
			continue
		}
		c := parse.Effect(n)
		if c.DSCP == nil && found.dscp != nil {
			c.DSCP = maps.Clone(found.dscp)
			for point, p := range found.lines {
				c.Proves("dscp "+strconv.Itoa(point), p)
			}
		}
		if c.PCP == nil && found.pcp != nil {
			c.PCP = maps.Clone(found.pcp)
			c.Proves("pcp", found.pcpLine)
		}
	}
}
