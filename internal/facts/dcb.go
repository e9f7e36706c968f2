package facts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// effect is what an interface does with traffic classes, by its own outputs.
func (f *Facts) effect(name string) *Classes {
	n := f.nic(name)
	if n.Effect == nil {
		n.Effect = &Classes{}
	}
	return n.Effect
}

// askedOf is what a script or configuration sets of an interface's traffic classes.
func (f *Facts) askedOf(name string) *Classes {
	n := f.nic(name)
	if n.Asked == nil {
		n.Asked = &Classes{}
	}
	return n.Asked
}

// dcbKeys are the words of iproute2's dcb behind which values stand.
var dcbKeys = []string{"pfc-cap", "macsec-bypass", "delay", "prio-pfc", "requests", "indications", "willing", "ets-cap", "cbs",
	"tc-bw", "pg-bw", "tc-tsa", "prio-tc", "reco-tc-bw", "reco-tc-tsa", "reco-prio-tc", "default-prio", "ethtype-prio", "stream-port-prio",
	"dgram-port-prio", "port-prio", "dscp-prio", "pcp-prio", "prio-buffer", "buffer-size", "total-size", "tc-maxrate", "order"}

// dcbItem is a key with its values: prio-pfc and 0:off 1:off ..
type dcbItem struct {
	key    string
	values []string
}

func dcbItems(words []string) (out []dcbItem) {
	for _, w := range words {
		key := strings.ReplaceAll(strings.TrimSuffix(w, ":"), "_", "-")
		if slices.Contains(dcbKeys, key) {
			out = append(out, dcbItem{key: key})
		} else if len(out) > 0 {
			out[len(out)-1].values = append(out[len(out)-1].values, w)
		}
	}
	return out
}

// readDCB reads what "dcb OBJECT show dev X" prints, of any object: pfc, ets, app, buffer, apptrust, with -N or without, -s, or
// -j. Words, not lines, are what counts: logs write an output on one line.
// Format: https://man7.org/linux/man-pages/man8/dcb.8.html and those of its objects; iproute2's dcb/. Of buffer, apptrust and
// the JSON no capture was at hand.
//
//	pfc-cap 8 macsec-bypass off delay 0
//	prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
func readDCB(f *Facts, args []string, text []byte) error {
	name := unnamedPort
	if len(args) > 0 {
		name = args[0]
	}
	lines := strings.Split(string(text), "\n")
	if s := strings.TrimSpace(string(text)); strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
		var err error
		if lines, err = dcbJSON(text); err != nil {
			return err
		}
	}
	seen := false
	for _, line := range lines {
		for _, item := range dcbItems(strings.Fields(line)) {
			if len(item.values) == 0 {
				continue
			}
			seen = true
			f.effect(name).dcb(item, f.proof(line), false)
			f.dcbCounts(name, item, line)
		}
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

// readDCBApp reads "dcb app show dev X": a table that is empty prints nothing, which somebody's own map may well be.
func readDCBApp(f *Facts, args []string, text []byte) error {
	if len(strings.TrimSpace(string(text))) == 0 {
		return fmt.Errorf("the output is empty: there is no entry, or the driver has no such table")
	}
	return readDCB(f, args, text)
}

// readDCBX reads "dcb dcbx show dev X": "host ieee", "lld-managed cee ieee static".
// Format: https://man7.org/linux/man-pages/man8/dcb-dcbx.8.html. No capture was at hand.
func readDCBX(f *Facts, args []string, text []byte) error {
	words := strings.Fields(string(text))
	name := unnamedPort
	if len(args) > 0 {
		name = args[0]
	}
	for _, w := range words {
		switch w {
		case "lld-managed": // by the card or its driver ("low-level driver")
			f.effect(name).agent("firmware", f.proof(string(text)))
			return nil
		case "host":
			f.effect(name).proves("dcbx", f.proof(string(text)))
			return nil
		}
	}
	return toolError(text)
}

// agent adds an LLDP agent of the port.
func (c *Classes) agent(name string, p Proof) {
	if !slices.Contains(c.Agents, name) {
		c.Agents = append(c.Agents, name)
		c.proves("agent "+name, p)
	}
}

// dcbJSON brings the JSON of dcb into the lines of its text. Source: iproute2's dcb/, which gives arrays of eight by position
// and the tables of app as pairs.
func dcbJSON(text []byte) ([]string, error) {
	var one map[string]any
	if err := json.Unmarshal(text, &one); err != nil {
		var list []map[string]any
		if json.Unmarshal(text, &list) != nil || len(list) == 0 {
			return nil, fmt.Errorf("it is damaged: %w", err)
		}
		one = list[0]
	}
	word := func(v any) string {
		switch v := v.(type) {
		case bool:
			return map[bool]string{true: "on", false: "off"}[v]
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64)
		case string:
			return v
		}
		return ""
	}
	var lines []string
	for key, value := range one {
		line := strings.ReplaceAll(key, "_", "-")
		list, ok := value.([]any)
		if !ok {
			lines = append(lines, line+" "+word(value))
			continue
		}
		for i, v := range list {
			switch pair, ok := v.([]any); {
			case ok && len(pair) == 2:
				line += " " + word(pair[0]) + ":" + word(pair[1])
			case ok:
			case key == "order" || key == "default_prio":
				line += " " + word(v)
			default:
				line += fmt.Sprintf(" %d:%s", i, word(v))
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines, nil
}

// dcbCounts are the pause frames of "dcb -s pfc show": requests are sent, indications are received.
func (f *Facts) dcbCounts(name string, item dcbItem, line string) {
	what := map[string]Counted{"requests": PauseSent, "indications": PauseReceived}[item.key]
	if what == "" {
		return
	}
	sum := uint64(0)
	for _, v := range item.values {
		_, number, _ := strings.Cut(v, ":")
		n, err := strconv.ParseUint(number, 10, 64)
		if err == nil {
			sum += n
		}
	}
	f.counted(what, name, sum, unit.Unknown[uint64]("dcb names no frames beside it"), line)
}
