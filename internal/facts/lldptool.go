package facts

import (
	"strconv"
	"strings"
)

// readLLDPTool reads "lldptool -t -i X", what lldpad itself sends on a port: the parts of DCB in it. That it answers says that
// lldpad runs for the port. What a neighbour sends (-n) is another source.
// Format: https://man7.org/linux/man-pages/man8/lldptool.8.html, open-lldp's lldp_8021qaz_clif.c. No capture of these parts was at hand.
//
//	IEEE 8021QAZ PFC TLV
//		Willing: no
//		PFC capable traffic classes: 8
//		PFC enabled: 3
//	IEEE 8021QAZ ETS Configuration TLV
//		PRIO_MAP: 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0
//		TC Bandwidth: 40% 0% 0% 60% 0% 0% 0% 0%
//		TSA_MAP: 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict
func readLLDPTool(f *Facts, args []string, text []byte) error {
	name := unnamedPort
	if len(args) > 0 {
		name = args[0]
	}
	seen, part := false, ""
	for line := range strings.Lines(string(text)) {
		p := f.proof(line)
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, " TLV") {
			seen, part = true, line
			f.effect(name).agent("lldpad", p)
			if strings.Contains(part, "8021QAZ") {
				f.effect(name).DCBX = known(true)
			}
			continue
		}
		if !strings.HasPrefix(part, "IEEE 8021QAZ") {
			continue
		}
		f.effect(name).lldpad(part, line, p)
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

func (c *Classes) lldpad(part, line string, p Proof) {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case key == "Willing" && !strings.Contains(part, "Recommendation"):
		if willing := value == "yes"; willing || !c.Willing.IsKnown() {
			c.Willing = known(willing)
			c.says("willing", p, willing)
		}
	case key == "PFC capable traffic classes":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n <= 8 {
			c.Capacity = known(n)
			c.proves("capacity", p)
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
		c.pfc(on, p)
	case strings.Contains(part, "Configuration") && key == "PRIO_MAP":
		c.dcb(dcbItem{"prio-tc", strings.Fields(value)}, p, false)
	case strings.Contains(part, "Configuration") && key == "TSA_MAP":
		c.dcb(dcbItem{"tc-tsa", strings.Fields(value)}, p, false)
	case strings.Contains(part, "Configuration") && key == "TC Bandwidth":
		c.dcb(dcbItem{"tc-bw", byPosition(strings.Fields(strings.ReplaceAll(value, "%", "")))}, p, false)
	}
}

// byPosition writes 40 0 60 as 0:40 1:0 2:60.
func byPosition(list []string) (out []string) {
	for i, w := range list {
		out = append(out, strconv.Itoa(i)+":"+strings.TrimSpace(w))
	}
	return out
}
