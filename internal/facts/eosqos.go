package facts

import (
	"maps"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

var (
	eosTrustHead  = lazyregexp.New(`^\s*((?:Ethernet|Port-Channel|Et|Po)\d[\d/]*)\s*:\s*$`)
	eosTrustLine  = lazyregexp.New(`(?i)^\s*(?:the operational )?trust mode(?: is)?:?\s+(cos|dscp|untrusted|none)\b`)
	eosTrustRow   = lazyregexp.New(`(?i)^\s*((?:Ethernet|Port-Channel|Et|Po)\d[\d/]*)\s+(cos|dscp|untrusted)\b`)
	eosQueueRow   = lazyregexp.New(`^\s*(?:UC)?(\d)\s+(-|\d+(?:\.\d+)?)\s.*\s(SP|RR)\b.*?\s([LWD])\s*$`)
	eosMapHead    = lazyregexp.New(`(?i)^\s*(dscp|cos)[ -]to[ -](?:tc|traffic-class) map`)
	eosMapCells   = lazyregexp.New(`(?i)^\s*(cos|dscp|tc|traffic-class):?((?:\s+\d+)+)\s*$`)
	eosDSCPMatrix = lazyregexp.New(`^\s*(\d)\s*:((?:\s+\d+)+)\s*$`)
)

// eosTrust is the trust of Classes for Arista's word.
func eosTrust(word string) string {
	switch strings.ToLower(word) {
	case "cos":
		return "pcp"
	case "dscp":
		return "dscp"
	}
	return "none"
}

// readEOSQoS reads "show qos interfaces" and "show qos interfaces trust" of EOS: the trust of each port, and its queues. Of the queues and
// of "Trust Mode: DSCP" a guide for a 7280 prints a port's; of the table of trust there is no capture.
func readEOSQoS(f *Facts, _ []string, text []byte) error {
	rows, port := 0, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := eosTrustHead.FindStringSubmatch(line); m != nil {
			port = eosName(m[1])
			continue
		}
		if m := eosTrustRow.FindStringSubmatch(line); m != nil {
			c := f.eosPort(m[1]).effect()
			c.Trust = known(eosTrust(m[2]))
			c.proves("trust", f.proof(line))
			rows++
			continue
		}
		if port == "" {
			continue
		}
		c := f.eosPort(port).effect()
		if m := eosTrustLine.FindStringSubmatch(line); m != nil {
			c.Trust = known(eosTrust(m[1]))
			c.proves("trust", f.proof(line))
			rows++
		}
		if m := eosQueueRow.FindStringSubmatch(line); m != nil {
			class, _ := strconv.Atoi(m[1])
			share, err := strconv.ParseFloat(m[2], 64)
			c.queue(class, func(q *Queue) {
				q.Strict, q.ECN, q.WRED = known(m[3] == "SP"), known(m[4] == "L"), known(m[4] == "W")
				if err == nil {
					q.Weight = known(share)
				}
			})
			c.proves("queue "+m[1], f.proof(line))
			rows++
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

// readEOSMaps reads "show qos maps" of EOS: which priority and which code point goes to which traffic class, on all ports. There is no
// capture of it: the form is that of Arista's manual.
//
//	Dscp-tc map:   d1 : d2 0 1 2 .. 9, a line for each ten code points
//	Cos-tc map:    cos: 0 1 2 .. 7 above tc: 1 0 2 .. 7
func readEOSMaps(f *Facts, _ []string, text []byte) error {
	kind := ""
	var cos []int
	var m eosMaps
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if h := eosMapHead.FindStringSubmatch(strings.Replace(line, "-tc map", " to tc map", 1)); h != nil {
			kind, cos = strings.ToLower(h[1]), nil
			continue
		}
		if c := eosMapCells.FindStringSubmatch(line); c != nil && kind == "cos" {
			list, _ := intList(c[2])
			if strings.EqualFold(c[1], "cos") {
				cos = list
			} else if len(list) == len(cos) {
				m.pcp = map[int]int{}
				for i := range cos {
					m.pcp[cos[i]] = list[i]
				}
				m.pcpLine, kind = f.proof(line), ""
			}
		}
		if c := eosDSCPMatrix.FindStringSubmatch(line); c != nil && kind == "dscp" {
			tens, _ := strconv.Atoi(c[1])
			list, _ := intList(c[2])
			for i, class := range list {
				if point := 10*tens + i; i < 10 && point < 64 {
					m.set(point, class, f.proof(line))
				}
			}
		}
	}
	if m.pcp == nil && m.dscp == nil {
		return toolError(text)
	}
	f.said.eosMaps = &m
	return nil
}

// eosMaps are the maps that EOS has once for all ports.
type eosMaps struct {
	dscp, pcp map[int]int
	lines     map[int]Proof // of code points
	pcpLine   Proof
}

func (m *eosMaps) set(point, class int, p Proof) {
	if m.dscp == nil {
		m.dscp, m.lines = map[int]int{}, map[int]Proof{}
	}
	m.dscp[point], m.lines[point] = class, p
}

// settleEOSMaps gives the maps to the ports whose classes are looked at.
func settleEOSMaps(f *Facts) {
	if f.said.eosMaps == nil {
		return
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		if n.Kind != "" || strings.HasPrefix(n.Name, "Management") {
			continue
		}
		c := n.effect()
		if c.DSCP == nil && f.said.eosMaps.dscp != nil {
			c.DSCP = maps.Clone(f.said.eosMaps.dscp)
			for point, p := range f.said.eosMaps.lines {
				c.proves("dscp "+strconv.Itoa(point), p)
			}
		}
		if c.PCP == nil && f.said.eosMaps.pcp != nil {
			c.PCP = maps.Clone(f.said.eosMaps.pcp)
			c.proves("pcp", f.said.eosMaps.pcpLine)
		}
	}
}
