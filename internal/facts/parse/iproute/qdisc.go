package iproute

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// deviceQdisc is a queueing discipline and its interface.
type deviceQdisc struct {
	Device string
	facts.Qdisc
}

// parseTCQdisc reads "tc -s qdisc", as text or as JSON (-j), whose rates are bytes per second. Format:
// https://man7.org/linux/man-pages/man8/tc.8.html, iproute2's tc/tc_qdisc.c.
func parseTCQdisc(text []byte) ([]deviceQdisc, error) {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return parseTCQdiscJSON(text)
	}
	return parseTCQdiscText(string(text))
}

// Qdisc is a queueing discipline of "tc -j -s qdisc".
type Qdisc struct {
	Kind       string         `json:"kind"`
	Handle     string         `json:"handle"`
	Dev        string         `json:"dev"`
	Root       bool           `json:"root,omitempty"`
	Parent     string         `json:"parent,omitempty"`
	Options    map[string]any `json:"options"`
	Bytes      uint64         `json:"bytes"`
	Packets    uint64         `json:"packets"`
	Drops      uint64         `json:"drops"`
	Overlimits uint64         `json:"overlimits"`
	Requeues   uint64         `json:"requeues"`
	Backlog    uint64         `json:"backlog"`
	Qlen       uint64         `json:"qlen"`
}

func parseTCQdiscJSON(text []byte) ([]deviceQdisc, error) {
	var list []Qdisc
	if err := parse.ParseJSON(text, &list); err != nil {
		return nil, err
	}
	qdiscs := make([]deviceQdisc, 0, len(list))
	for _, q := range list {
		if q.Kind == "" { // {} for a filtered one
			continue
		}
		parent := q.Parent
		if q.Root {
			parent = "root"
		}
		d := deviceQdisc{Device: q.Dev, Qdisc: facts.Qdisc{Kind: q.Kind, Handle: q.Handle, Parent: parent,
			Bytes: q.Bytes, Packets: q.Packets, Drops: q.Drops, Overlimits: q.Overlimits, Backlog: q.Backlog}}
		options := map[string]string{}
		for name, v := range q.Options {
			switch v := v.(type) {
			case string:
				options[name] = v
			case float64:
				options[name] = strconv.FormatFloat(v, 'f', -1, 64)
				if name == "rate" || name == "bandwidth" {
					options[name] += "Bps"
				}
				if name == "lat" {
					options[name] += "us"
				}
			case map[string]any: // netem's rate
				if rate, ok := v["rate"].(float64); ok && name == "rate" {
					options[name] = strconv.FormatFloat(rate, 'f', -1, 64) + "Bps"
				}
			}
		}
		d.setOptions(options)
		qdiscs = append(qdiscs, d)
	}
	return qdiscs, nil
}

// parseTCQdiscText reads blocks of
//
//	qdisc tbf 8001: dev eth0 root refcnt 2 rate 1Gbit burst 128Kb lat 50ms
//	 Sent 110 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)
//	 backlog 0b 0p requeues 0
func parseTCQdiscText(text string) ([]deviceQdisc, error) {
	var qdiscs []deviceQdisc
	var damage error
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 3 && words[0] == "qdisc":
			d := deviceQdisc{Qdisc: facts.Qdisc{Kind: words[1], Handle: words[2]}}
			options := parse.Pairs(words[3:])
			d.Device, d.Parent = options["dev"], options["parent"]
			if slices.Contains(words, "root") {
				d.Parent = "root"
			}
			d.setOptions(options)
			qdiscs = append(qdiscs, d)
		case len(qdiscs) > 0 && len(words) > 0 && (words[0] == "Sent" || words[0] == "backlog"):
			q := &qdiscs[len(qdiscs)-1]
			c := tcCounters{q.Bytes, q.Packets, q.Drops, q.Overlimits, q.Backlog}
			if err := c.line(words); err != nil {
				damage = parse.Partial{Err: fmt.Errorf("qdisc %.40s of %.20s: %w", q.Handle, q.Device, err)}
			}
			q.Bytes, q.Packets, q.Drops, q.Overlimits, q.Backlog = c.bytes, c.packets, c.drops, c.overlimits, c.backlog
		}
	}
	if len(qdiscs) == 0 && strings.TrimSpace(text) != "" {
		return nil, parse.ToolError([]byte(text))
	}
	return qdiscs, damage
}

// tcCounters are the counters below a qdisc or class in tc's text.
type tcCounters struct{ bytes, packets, drops, overlimits, backlog uint64 }

func (c *tcCounters) line(words []string) error {
	clean := make([]string, len(words))
	for i, w := range words {
		clean[i] = strings.Trim(w, "(),")
	}
	number := func(s string) uint64 { n, _ := strconv.ParseUint(s, 10, 64); return n }
	if clean[0] == "backlog" {
		if len(clean) < 2 {
			return fmt.Errorf("the line of the backlog is cut")
		}
		n, err := tcSize(clean[1])
		c.backlog = uint64(n)
		return err
	}
	p := parse.Pairs(clean)
	for _, want := range []string{"Sent", "bytes", "dropped", "overlimits"} {
		if _, err := strconv.ParseUint(p[want], 10, 64); err != nil {
			return fmt.Errorf("no number behind %q", want)
		}
	}
	// "Sent 110 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)"
	c.bytes, c.packets, c.drops, c.overlimits = number(p["Sent"]), number(p["bytes"]), number(p["dropped"]),
		number(p["overlimits"])
	return nil
}

// setOptions stores the limits of the discipline. If it is not a shaper, the rate is unknown for that reason.
func (d *deviceQdisc) setOptions(options map[string]string) {
	none := unit.Unknown[unit.BitRate](d.Kind + " has no rate")
	switch d.Kind {
	case "tbf", "netem":
		d.Rate = tcRateOpt(options["rate"], none)
	case "cake":
		d.Rate = tcRateOpt(options["bandwidth"], none)
	case "htb":
		d.Rate = unit.Unknown[unit.BitRate]("the classes of htb were not read")
		if n, err := strconv.ParseUint(strings.TrimPrefix(options["default"], "0x"), 16, 16); err == nil && n != 0 {
			d.DefaultClass = d.Handle + strconv.FormatUint(n, 16)
		}
	default:
		d.Rate = none
	}
	if d.Kind != "tbf" {
		return
	}
	burst, _, _ := strings.Cut(options["burst"], "/") // "131000b/1": with the size of a unit
	if n, err := tcSize(burst); err == nil {
		d.Burst = unit.Known(unit.Bytes(n))
	}
	if n, err := tcSize(options["limit"]); err == nil {
		d.Limit = unit.Known(unit.Bytes(n))
		return
	}
	// Otherwise tc prints the longest wait: of the data in the queue beyond the burst.
	rate, isRate := d.Rate.Get()
	b, isBurst := d.Burst.Get()
	if lat, err := time.ParseDuration(options["lat"]); err == nil && isRate && isBurst && lat >= 0 && lat < time.Hour {
		d.Limit = unit.Known(b + unit.Bytes(float64(rate)/8*lat.Seconds()))
	}
}

func tcRateOpt(s string, absent unit.Opt[unit.BitRate]) unit.Opt[unit.BitRate] {
	if s == "" || s == "unlimited" {
		return absent
	}
	r, err := tcRate(s)
	if err != nil {
		return unit.Unknown[unit.BitRate](err.Error())
	}
	return unit.Known(r)
}

// tcRate reads a rate in tc's form: "1Gbit", "1500Kbit", "8bit", "125000Bps". The prefixes are powers of 1000; with i
// (tc -iec) of 1024.
func tcRate(s string) (unit.BitRate, error) {
	n, err := tcNumber(s, 1000, "bit", 1)
	if err != nil {
		n, err = tcNumber(s, 1000, "Bps", 8)
	}
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a rate", s)
	}
	return unit.BitRate(n), nil
}

// tcSize reads a size in tc's form: "128Kb", "1514b", "4096". Prefixes are powers of 1024; b is bytes.
func tcSize(s string) (int64, error) {
	n, err := tcNumber(s, 1024, "b", 1)
	if err != nil {
		n, err = tcNumber(s, 1024, "", 1)
	}
	if err != nil || n >= 1<<62 {
		return 0, fmt.Errorf("%.40q is not a size", s)
	}
	return int64(n), nil
}

func tcNumber(s string, base float64, suffix string, times float64) (float64, error) {
	digits, ok := strings.CutSuffix(s, suffix)
	if !ok || digits == "" {
		return 0, fmt.Errorf("no %s", suffix)
	}
	if d, ok := strings.CutSuffix(digits, "i"); ok && d != "" {
		digits, base = d, 1024
	}
	if i := strings.IndexByte("kmgt", digits[len(digits)-1]|0x20); i >= 0 {
		digits = digits[:len(digits)-1]
		times *= math.Pow(base, float64(i+1))
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n >= 0 && n < 1e15) {
		return 0, fmt.Errorf("%.40q is not a number", digits)
	}
	return n * times, nil
}

// putTCQdisc adds disciplines; args is the device of "tc qdisc show dev X", if any.
func putTCQdisc(f *parse.Builder, args []string, qdiscs []deviceQdisc) {
	if len(args) == 0 { // a list of all interfaces: one without an entry has none
		for i := range f.NICs {
			if f.NICs[i].Qdiscs == nil {
				f.NICs[i].Qdiscs = []facts.Qdisc{}
			}
		}
	}
	for _, d := range qdiscs {
		if d.Device == "" && len(args) == 1 {
			d.Device = args[0]
		}
		if d.Device != "" {
			nic := f.Interface(d.Device)
			nic.Qdiscs = append(nic.Qdiscs, d.Qdisc)
		}
	}
}
