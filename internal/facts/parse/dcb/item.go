package dcb

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// numbered calls each with the index and the value of entries "3:on"; "all:off" stands for all eight, and comes first.
func numbered(values []string, each func(i int, value string)) {
	for _, v := range values {
		key, value, ok := strings.Cut(v, ":")
		if !ok {
			continue
		}
		if key == "all" {
			for i := range 8 {
				each(i, value)
			}
			continue
		}
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < 8 {
			each(i, value)
		}
	}
}

// SetItem stores an item of iproute2's dcb, from an output or a command that sets it. On Linux the map of code points
// names priorities; Priorities has the traffic class of each.
func SetItem(c *facts.Classes, item Item, p facts.Proof, setting bool) {
	switch item.Key {
	case "pfc-cap":
		if n, err := strconv.Atoi(item.Values[0]); err == nil && n >= 0 && n <= 8 {
			c.Capacity = unit.Known(n)
			c.Proves("capacity", p)
		}
	case "prio-pfc":
		on := c.PFCReceive.Or([]int{})
		numbered(item.Values, func(i int, value string) {
			on = slices.DeleteFunc(slices.Clone(on), func(k int) bool { return k == i })
			if value == "on" {
				on = append(on, i)
			}
		})
		SetPFC(c, on, p)
	case "willing":
		c.Willing = unit.Known(item.Values[0] == "on" || item.Values[0] == "yes")
		Says(c, "willing", p, setting)
	case "order":
		c.Trust = unit.Known(trustOrder(item.Values))
		Says(c, "trust", p, setting)
	case "prio-tc":
		numbered(item.Values, func(i int, value string) {
			if class, err := strconv.Atoi(value); err == nil && class >= 0 && class < 8 {
				PutInt(&c.Priorities, i, class)
			}
		})
		Says(c, "priorities", p, setting)
	case "tc-tsa":
		numbered(item.Values, func(i int, value string) {
			if value == "strict" || value == "ets" {
				c.SetQueue(i, func(q *facts.Queue) { q.Strict = unit.Known(value == "strict") })
				Says(c, "queue "+strconv.Itoa(i), p, setting)
			}
		})
	case "tc-bw":
		numbered(item.Values, func(i int, value string) {
			if percent, err := strconv.ParseFloat(value, 64); err == nil && percent >= 0 && percent <= 100 {
				c.SetQueue(i, func(q *facts.Queue) { q.Weight = unit.Known(percent) })
				Says(c, "weight "+strconv.Itoa(i), p, setting)
			}
		})
	case "dscp-prio":
		SetCodePoints(c, item.Values, p, setting)
	case "pcp-prio":
		for _, v := range item.Values {
			key, value, _ := strings.Cut(v, ":")
			point, err := strconv.Atoi(strings.TrimSuffix(key, "nd"))
			if priority, err2 := strconv.Atoi(value); err == nil && err2 == nil && point >= 0 && point < 8 && priority >= 0 &&
				priority < 8 {
				PutInt(&c.PCP, point, priority)
			}
		}
	case "prio-buffer":
		numbered(item.Values, func(i int, value string) {
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 8 {
				PutInt(&c.BufferOf, i, n)
			}
		})
		Says(c, "buffers", p, setting)
	case "buffer-size":
		numbered(item.Values, func(i int, value string) {
			if n, ok := dcbBytes(value); ok {
				if c.Buffers == nil {
					c.Buffers = map[int]unit.Bytes{}
				}
				c.Buffers[i] = n
			}
		})
	}
}

// SetCodePoints reads entries "26:3" and "AF31:3".
func SetCodePoints(c *facts.Classes, values []string, p facts.Proof, setting bool) {
	for _, v := range values {
		key, value, _ := strings.Cut(v, ":")
		priority, err := strconv.Atoi(value)
		if err != nil || priority < 0 || priority > 7 {
			continue
		}
		points := []int{}
		if point, ok := CodePoint(key); ok {
			points = append(points, point)
		} else if key == "all" {
			for i := range 64 {
				points = append(points, i)
			}
		}
		for _, point := range points {
			PutInt(&c.DSCP, point, priority)
			Says(c, "dscp "+strconv.Itoa(point), p, setting)
		}
	}
}

// CodePoint reads a DSCP as a number or name (RFC 2474, 2597, 3246, 5865; iproute2's rt_dsfield).
func CodePoint(word string) (int, bool) {
	if n, err := strconv.ParseInt(word, 0, 32); err == nil {
		return int(n), n >= 0 && n < 64
	}
	w := strings.ToUpper(word)
	switch {
	case w == "EF":
		return 46, true
	case w == "BE" || w == "DEFAULT":
		return 0, true
	case w == "VOICE-ADMIT":
		return 44, true
	case len(w) == 3 && w[:2] == "CS" && w[2] >= '0' && w[2] <= '7':
		return int(w[2]-'0') * 8, true
	case len(w) == 4 && w[:2] == "AF" && w[2] >= '1' && w[2] <= '4' && w[3] >= '1' && w[3] <= '3':
		return int(w[2]-'0')*8 + int(w[3]-'0')*2, true
	}
	return 0, false
}

// trustOrder converts an order of trust: the first mark that a packet has counts.
func trustOrder(order []string) string {
	switch {
	case len(order) == 0:
		return "none"
	case order[0] == "dscp" && slices.Contains(order, "pcp"):
		return "both"
	case order[0] == "dscp" || order[0] == "pcp":
		return order[0]
	}
	return "none" // port, ethtype: not used for RoCE
}

// SetPFC stores the paused priorities; a Linux host has one setting for both directions.
func SetPFC(c *facts.Classes, on []int, p facts.Proof) {
	slices.Sort(on)
	c.PFCReceive, c.PFCSend = unit.Known(on), unit.Known(on)
	Says(c, "pfc", p, true)
}

// Says records a line; of settings the last one counts, of outputs the first.
func Says(c *facts.Classes, aspect string, p facts.Proof, last bool) {
	if last {
		delete(c.Proofs, aspect)
	}
	c.Proves(aspect, p)
}

func PutInt(m *map[int]int, key, value int) {
	if *m == nil {
		*m = map[int]int{}
	}
	(*m)[key] = value
}

// dcbBytes reads a size of dcb: "49152", "130Kb" (of 1000 bytes), "1222Kb".
func dcbBytes(word string) (unit.Bytes, bool) {
	digits := strings.TrimRight(word, "KMGbiB")
	factor := map[string]float64{"": 1, "b": 1, "B": 1, "Kb": 1000, "KB": 1000, "Mb": 1e6, "MB": 1e6, "KiB": 1024,
		"Kib": 1024, "MiB": 1 << 20, "Mib": 1 << 20}[word[len(digits):]]
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || factor == 0 || !(v >= 0 && v < 1e9) {
		return 0, false
	}
	return unit.Bytes(v * factor), true
}
