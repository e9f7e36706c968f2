package dcb

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// dcbKeys are the keywords of iproute2's dcb with values after them.
var dcbKeys = []string{"pfc-cap", "macsec-bypass", "delay", "prio-pfc", "requests", "indications", "willing", "ets-cap",
	"cbs", "tc-bw", "pg-bw", "tc-tsa", "prio-tc", "reco-tc-bw", "reco-tc-tsa", "reco-prio-tc", "default-prio",
	"ethtype-prio", "stream-port-prio", "dgram-port-prio", "port-prio", "dscp-prio", "pcp-prio", "prio-buffer",
	"buffer-size", "total-size", "tc-maxrate", "order"}

// Item is a key with its values: prio-pfc and 0:off 1:off ..
type Item struct {
	Key    string
	Values []string
}

func Items(words []string) (out []Item) {
	for _, w := range words {
		key := strings.ReplaceAll(strings.TrimSuffix(w, ":"), "_", "-")
		if slices.Contains(dcbKeys, key) {
			out = append(out, Item{Key: key})
		} else if len(out) > 0 {
			out[len(out)-1].Values = append(out[len(out)-1].Values, w)
		}
	}
	return out
}

// ReadDCB reads "dcb OBJECT show dev X" for any object: pfc, ets, app, buffer, apptrust, with or without -N, -s, or -j.
// It reads words, not lines, because logs may have an output on one line. Format:
// https://man7.org/linux/man-pages/man8/dcb.8.html and those of its objects; iproute2's dcb/. No snapshot of buffer,
// apptrust and the JSON exists.
//
//	pfc-cap 8 macsec-bypass off delay 0
//	prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
func ReadDCB(f *parse.Builder, args []string, text []byte) error {
	name := parse.UnnamedPort
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
		for _, item := range Items(strings.Fields(line)) {
			if len(item.Values) == 0 {
				continue
			}
			seen = true
			SetItem(f.EffectOf(name), item, f.Proof(line), false)
			dcbCounts(f, name, item, line)
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// ReadDCBApp reads "dcb app show dev X": an empty table prints nothing, and may be intended.
func ReadDCBApp(f *parse.Builder, args []string, text []byte) error {
	if len(strings.TrimSpace(string(text))) == 0 {
		return fmt.Errorf("the output is empty: there is no entry, or the driver has no such table")
	}
	return ReadDCB(f, args, text)
}

// ReadDCBX reads "dcb dcbx show dev X": "host ieee", "lld-managed cee ieee static". Format:
// https://man7.org/linux/man-pages/man8/dcb-dcbx.8.html. No snapshot exists.
func ReadDCBX(f *parse.Builder, args []string, text []byte) error {
	words := strings.Fields(string(text))
	name := parse.UnnamedPort
	if len(args) > 0 {
		name = args[0]
	}
	for _, w := range words {
		switch w {
		case "lld-managed": // by the adapter or its driver ("low-level driver")
			SetAgent(f.EffectOf(name), "firmware", f.Proof(string(text)))
			return nil
		case "host":
			f.EffectOf(name).Proves("dcbx", f.Proof(string(text)))
			return nil
		}
	}
	return parse.ToolError(text)
}

// SetAgent adds an LLDP agent of the port.
func SetAgent(c *facts.Classes, name string, p facts.Proof) {
	if !slices.Contains(c.Agents, name) {
		c.Agents = append(c.Agents, name)
		c.Proves("agent "+name, p)
	}
}

// dcbJSON converts the JSON of dcb to the lines of its text. Source: iproute2's dcb/, which prints arrays of eight by
// position and the tables of app as pairs.
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

// dcbCounts reads the pause frames of "dcb -s pfc show": requests are sent, indications received.
func dcbCounts(f *parse.Builder, name string, item Item, line string) {
	what := map[string]facts.Counted{"requests": facts.PauseSent, "indications": facts.PauseReceived}[item.Key]
	if what == "" {
		return
	}
	sum := uint64(0)
	for _, v := range item.Values {
		_, number, _ := strings.Cut(v, ":")
		n, err := strconv.ParseUint(number, 10, 64)
		if err == nil {
			sum += n
		}
	}
	f.Counted(what, name, sum, unit.Unknown[uint64]("dcb names no frames next to it"), line)
}
