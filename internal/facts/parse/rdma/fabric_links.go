package rdma

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	linkinfoNode = lazyregexp.New(`^(Switch|CA): (?:0x[0-9a-fA-F]+ )?(.*):$`)
	linkinfoLine = lazyregexp.New(`^(?:0x\S+\s+"\s*([^"]*)"\s+)?(\d+)\s+(\d+)\[\s*\] ==\((.*?)\)==>\s*(?:0x\S+\s+)?(\d+)?\s*(\d+)?\[\s*\] "([^"]*)" \((.*?)\)`)
	linkinfoRate = lazyregexp.New(`^\s*(\d+)X\s+([\d.]+) Gbps(?: \(\S+\))?\s+(\w+)/\s*(\S+)`)
	linkinfoDown = lazyregexp.New(`^\s*(\w+)/\s*(\S+)`)
	couldLanes   = lazyregexp.New(`Could be (\d+)X`)
	couldLane    = lazyregexp.New(`Could be ([\d.]+) Gbps`)
)

// readIblinkinfo reads "iblinkinfo", with -l or in groups under each switch.
// Format: rdma-core's infiniband-diags/iblinkinfo.c.
//
//	Switch: 0x08c0eb0300add04e Quantum Mellanox Technologies:
//	   10   21[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>  40    1[  ] "node3 HCA-2" ( Could be 53.125 Gbps)
func readIblinkinfo(f *parse.Builder, _ []string, text []byte) error {
	node, seen := "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := linkinfoNode.FindStringSubmatch(line); m != nil {
			node, seen = strings.TrimSpace(m[2]), true
			continue
		}
		m := linkinfoLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		seen = true
		if m[1] != "" {
			node = strings.TrimSpace(m[1])
		}
		l := facts.IBLink{Node: node + " port " + m[3], Proof: f.Proof(line)}
		if m[7] != "" {
			l.Peer = strings.TrimSpace(m[7])
			if m[6] != "" {
				l.Peer += " port " + m[6]
			}
		}
		if r := linkinfoRate.FindStringSubmatch(m[4]); r != nil {
			l.Lanes, _ = strconv.Atoi(r[1])
			gigabits, _ := strconv.ParseFloat(r[2], 64)
			l.Lane = facts.Generation(gigabits)
			l.State, l.Phys = portState(r[3]), physState(r[4])
		} else if r := linkinfoDown.FindStringSubmatch(m[4]); r != nil {
			l.State, l.Phys = portState(r[1]), physState(r[2])
		}
		if c := couldLanes.FindStringSubmatch(m[8]); c != nil {
			l.CouldLanes, _ = strconv.Atoi(c[1])
		}
		if c := couldLane.FindStringSubmatch(m[8]); c != nil {
			gigabits, _ := strconv.ParseFloat(c[1], 64)
			l.CouldLane = facts.Generation(gigabits)
		}
		f.IBLinks = append(f.IBLinks, l)
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

var netdiscoverLine = lazyregexp.New(`^(CA|SW)\s+(\d+)\s+(\d+)\s+0x[0-9a-f]+\s+(\d+)x\s+(\S+)(?:\s+-\s+(?:CA|SW)\s+\d+\s+(\d+)\s+0x[0-9a-f]+\s+\( '(.*?)' - '(.*?)' \)|\s+'?([^']*)'?)`)

// readIbnetdiscover reads "ibnetdiscover -p": ports of the fabric, one a line. A port without a peer prints a speed
// that is not in use. Format: rdma-core's infiniband-diags/ibnetdiscover.c (dump_ports_report).
//
//	SW  1719 10 0x7cfe9003009ce5b0 4x EDR - CA   134  1 0x7cfe9003003b4bde ( 'ib-i1l1s01' - 'o0001 HCA-1' )
func readIbnetdiscover(f *parse.Builder, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		m := netdiscoverLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		seen = true
		if m[6] == "" {
			f.IBLinks = append(f.IBLinks, facts.IBLink{Node: strings.TrimSpace(m[9]) + " port " + m[3], Proof: f.Proof(line)})
			continue
		}
		l := facts.IBLink{Node: strings.TrimSpace(m[7]) + " port " + m[3], Peer: strings.TrimSpace(m[8]) + " port " + m[6],
			Proof: f.Proof(line)}
		l.Lanes, _ = strconv.Atoi(m[4])
		if facts.LaneRate(m[5]) > 0 {
			l.Lane = m[5]
		}
		f.IBLinks = append(f.IBLinks, l)
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// readIbportstate reads "ibportstate LID PORT query", and "smpquery portinfo": one attribute a line, with dots before
// its value. They print what this end supports; for a switch's port ibportstate also prints the other end. Format:
// rdma-core's infiniband-diags/ibportstate.c.
//
//	LinkWidthSupported:..............1X or 4X
//	LinkSpeedExtActive:..............14.0625 Gbps
func readIbportstate(f *parse.Builder, _ []string, text []byte) error {
	var ends []map[string]string
	proof := facts.Proof{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Peer PortInfo:") || strings.HasPrefix(line, "CA PortInfo:") ||
			strings.HasPrefix(line, "Switch PortInfo:") || strings.HasPrefix(line, "# Port info:") {
			ends = append(ends, map[string]string{})
			continue
		}
		name, value, ok := strings.Cut(line, ":.")
		if !ok {
			continue
		}
		if len(ends) == 0 {
			ends = append(ends, map[string]string{})
		}
		ends[len(ends)-1][name] = strings.TrimLeft(value, ".")
		if len(ends) == 1 && (name == "LinkSpeedActive" || name == "LinkSpeedExtActive" &&
			facts.Generation(gigabits(value)) != "") {
			proof = f.Proof(line)
		}
	}
	if len(ends) == 0 || ends[0]["LinkWidthActive"] == "" {
		return parse.ToolError(text)
	}
	own := ends[0]
	l := facts.IBLink{Node: "the port asked for", Lane: activeLane(own), State: portState(own["LinkState"]),
		Phys: physState(own["PhysLinkState"]), Proof: proof}
	if lid := own["Lid"]; lid != "" && len(lid) < 8 {
		l.Node = "the port asked for, LID " + lid
	}
	l.Lanes, _ = strconv.Atoi(strings.TrimSuffix(own["LinkWidthActive"], "X"))
	if len(ends) > 1 { // supported by both ends
		l.Peer = "its peer"
		lanes, lane := min(mostLanes(own), mostLanes(ends[1])), slowerLane(bestLane(own), bestLane(ends[1]))
		if lanes > l.Lanes {
			l.CouldLanes = lanes
		}
		if facts.LaneRate(lane) > facts.LaneRate(l.Lane) {
			l.CouldLane = lane
		}
	}
	f.IBLinks = append(f.IBLinks, l)
	return nil
}

// gigabits returns the number at the end of a dotted line: "...14.0625 Gbps".
func gigabits(value string) float64 {
	number, _, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(value, ".")), " ")
	v, _ := strconv.ParseFloat(number, 64)
	return v
}

// activeLane returns the generation in use by a port's attributes: the extended speed takes precedence.
func activeLane(port map[string]string) string {
	for _, name := range []string{"LinkSpeedExtActive2", "LinkSpeedExtActive", "LinkSpeedActive"} {
		if g := facts.Generation(gigabits(port[name])); g != "" {
			return g
		}
	}
	return ""
}

func bestLane(port map[string]string) string {
	best := ""
	for _, name := range []string{"LinkSpeedSupported", "LinkSpeedExtSupported"} {
		for _, speed := range strings.Split(port[name], " or ") {
			if g := facts.Generation(gigabits(speed)); facts.LaneRate(g) > facts.LaneRate(best) {
				best = g
			}
		}
	}
	return best
}

func slowerLane(a, b string) string {
	if facts.LaneRate(a) < facts.LaneRate(b) {
		return a
	}
	return b
}

func mostLanes(port map[string]string) int {
	most := 0
	for _, width := range strings.Split(port["LinkWidthSupported"], " or ") {
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(width), "X"))
		most = max(most, n)
	}
	return most
}
