package dcb

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// ReadLLDPTool reads "lldptool -t -i X": the DCB parts that lldpad sends on a port. An output proves that lldpad runs
// for the port. The neighbour's messages (-n) are another source. Format:
// https://man7.org/linux/man-pages/man8/lldptool.8.html, open-lldp's lldp_8021qaz_clif.c. No snapshot of these parts
// exists.
//
//	IEEE 8021QAZ PFC TLV
//		Willing: no
//		PFC capable traffic classes: 8
//		PFC enabled: 3
//	IEEE 8021QAZ ETS Configuration TLV
//		PRIO_MAP: 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0
//		TC Bandwidth: 40% 0% 0% 60% 0% 0% 0% 0%
//		TSA_MAP: 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict
func ReadLLDPTool(f *parse.Builder, args []string, text []byte) error {
	name := parse.UnnamedPort
	if len(args) > 0 {
		name = args[0]
	}
	seen, part := false, ""
	for line := range strings.Lines(string(text)) {
		p := f.Proof(line)
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, " TLV") {
			seen, part = true, line
			SetAgent(f.EffectOf(name), "lldpad", p)
			if strings.Contains(part, "8021QAZ") {
				f.EffectOf(name).DCBX = unit.Known(true)
			}
			continue
		}
		if !strings.HasPrefix(part, "IEEE 8021QAZ") {
			continue
		}
		lldpad(f.EffectOf(name), part, line, p)
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

func lldpad(c *facts.Classes, part, line string, p facts.Proof) {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case key == "Willing" && !strings.Contains(part, "Recommendation"):
		if willing := value == "yes"; willing || !c.Willing.IsKnown() {
			c.Willing = unit.Known(willing)
			Says(c, "willing", p, willing)
		}
	case key == "PFC capable traffic classes":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n <= 8 {
			c.Capacity = unit.Known(n)
			c.Proves("capacity", p)
		}
	case key == "PFC enabled":
		on := []int{}
		for _, w := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
			if n, err := strconv.Atoi(w); err == nil && n >= 0 && n < 8 {
				on = append(on, n)
			} else if w != "none" {
				return
			}
		}
		SetPFC(c, on, p)
	case strings.Contains(part, "Configuration") && key == "PRIO_MAP":
		SetItem(c, Item{"prio-tc", strings.Fields(value)}, p, false)
	case strings.Contains(part, "Configuration") && key == "TSA_MAP":
		SetItem(c, Item{"tc-tsa", strings.Fields(value)}, p, false)
	case strings.Contains(part, "Configuration") && key == "TC Bandwidth":
		SetItem(c, Item{"tc-bw", ByPosition(strings.Fields(strings.ReplaceAll(value, "%", "")))}, p, false)
	}
}

// ByPosition converts 40 0 60 to 0:40 1:0 2:60.
func ByPosition(list []string) (out []string) {
	for i, w := range list {
		out = append(out, strconv.Itoa(i)+":"+strings.TrimSpace(w))
	}
	return out
}
