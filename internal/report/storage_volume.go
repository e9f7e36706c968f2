package report

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// volumeSaid is what the hosts of a lab's volume did for it: their processes' share of the cores that all of them have together, and how often what was written was written.
func volumeSaid(all []*record.Experiment) (out []string) {
	var most, wrote *record.Experiment
	for _, e := range all {
		if !countsProcesses(e) {
			continue
		}
		if most == nil || e.Bytes.Median > most.Bytes.Median {
			most = e
		}
		if b := e.Block; b.Read == nil && b.Write != nil && b.Write.Bytes > 0 && (wrote == nil || b.Write.Bytes > wrote.Block.Write.Bytes) {
			wrote = e
		}
	}
	if most == nil {
		return nil
	}
	var hosts []string
	asking, known := 0.0, true
	for _, h := range most.Block.Hosts {
		if h.Asks {
			known = known && h.Own != nil
			if h.Own != nil {
				asking += *h.Own
			}
		}
		if len(h.Processes) == 0 {
			continue
		}
		sum := 0.0
		var parts []string
		for _, p := range h.Processes {
			if sum += p.Cores; p.Cores >= 0.005 {
				parts = append(parts, fmt.Sprintf("%s %.2f", clean(p.Name), p.Cores))
			}
		}
		text := fmt.Sprintf("%s %.2f", clean(h.Host), sum)
		if len(parts) > 0 {
			text += " (" + strings.Join(parts, ", ") + ")"
		}
		hosts = append(hosts, text)
	}
	text := fmt.Sprintf("cores that the processes of each host used%s: %s", atSettings(most), strings.Join(hosts, "; "))
	if known {
		text += fmt.Sprintf("; of all that ask together %.2f", asking)
	}
	out = append(out, text)
	if wrote == nil {
		return out
	}
	written := float64(wrote.Block.Write.Bytes)
	var bricks, wire int64
	bricksKnown, wireKnown := true, true
	for _, h := range wrote.Block.Hosts {
		for _, p := range h.Processes { // of hosts with bricks alone: other storage of a lab is given out by the agent
			if p.Name != "glusterfsd" {
				continue
			}
			if bricksKnown = bricksKnown && p.WrittenBytes != nil; bricksKnown {
				bricks += *p.WrittenBytes
			}
		}
		if len(h.Processes) > 0 {
			if wireKnown = wireKnown && h.Received != nil; wireKnown {
				wire += *h.Received
			}
		}
	}
	if bricksKnown && bricks > 0 {
		text := fmt.Sprintf("copies%s: %s were written, and the bricks wrote %s in the same window, %.2f times as much", atSettings(wrote), unit.Bytes(written), unit.Bytes(bricks), float64(bricks)/written)
		if wireKnown {
			text += fmt.Sprintf("; over the network between the hosts came %s, %.2f times as much", unit.Bytes(wire), float64(wire)/written)
		}
		out = append(out, text)
	}
	return out
}

func countsProcesses(e *record.Experiment) bool {
	for _, h := range e.Block.Hosts {
		if len(h.Processes) > 0 {
			return e.Bytes != nil
		}
	}
	return false
}
