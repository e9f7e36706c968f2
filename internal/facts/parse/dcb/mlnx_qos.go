package dcb

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	mlnxMap = lazyregexp.New(`^prio:([0-7]) dscp:([0-9,]+)$`)
	mlnxTC  = lazyregexp.New(`^tc: ([0-7]) ratelimit: .*?tsa: (\w+)(?:, bw: (\d+)%)?`)
)

// ReadMlnxQoS reads "mlnx_qos -i X", which also prints this after it has set something. Format:
// https://github.com/Mellanox/mlnx-tools, python/mlnx_qos.
//
//	DCBX mode: OS controlled
//	Priority trust state: dscp
//	dscp2prio mapping:
//		prio:3 dscp:31,30,29,28,27,26,25,24,
//	Receive buffer size (bytes): 80256,80256,896,80256,896,896,896,896,
//	PFC configuration:
//		priority    0   1   2   3   4   5   6   7
//		enabled     0   0   0   1   0   0   0   0
//		buffer      0   2   5   7   1   2   3   6
//	tc: 2 ratelimit: unlimited, tsa: ets, bw: 80%
//		 priority:  2
func ReadMlnxQoS(f *parse.Builder, args []string, text []byte) error {
	name := parse.UnnamedPort
	if len(args) > 0 {
		name = args[0]
	}
	lines := strings.Split(string(text), "\n")
	if !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(strings.TrimSpace(l), "PFC configuration:") ||
			strings.HasPrefix(strings.TrimSpace(l), "Priority trust state:")
	}) {
		return parse.ToolError(text)
	}
	c := f.EffectOf(name)
	class := -1
	for _, line := range lines {
		p := f.Proof(line)
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch words := strings.Fields(line); {
		case key == "DCBX mode":
			c.Proves("dcbx", p)
			if strings.HasPrefix(value, "Firmware") {
				SetAgent(c, "firmware", p)
			}
		case key == "Priority trust state" && (value == "dscp" || value == "pcp" || value == "both"):
			c.Trust = unit.Known(value)
			c.Proves("trust", p)
		case key == "Receive buffer size (bytes)":
			SetBuffers(c, value, p)
		case len(words) == 9 && words[0] == "enabled":
			MlnxPFC(c, words[1:], p)
		case len(words) == 9 && words[0] == "buffer":
			for i, w := range words[1:] {
				if n, err := strconv.Atoi(w); err == nil && n >= 0 && n < 8 {
					PutInt(&c.BufferOf, i, n)
				}
			}
			Says(c, "buffers", p, true) // of the buffers, the row with their priorities
		case key == "prio":
			setMlnxMap(c, line, p)
		case key == "tc":
			class = mlnxClass(c, line, p)
		case key == "priority" && class >= 0:
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 8 {
				PutInt(&c.Priorities, n, class)
				c.Proves("priorities", p)
			}
		}
	}
	return nil
}

func SetBuffers(c *facts.Classes, value string, p facts.Proof) {
	for i, size := range strings.Split(value, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(size), 10, 64)
		if err != nil || i > 7 || n < 0 {
			break // max_buffer_size=.., or the end
		}
		if c.Buffers == nil {
			c.Buffers = map[int]unit.Bytes{}
		}
		c.Buffers[i] = unit.Bytes(n)
	}
	if len(c.Buffers) > 0 {
		c.Proves("sizes", p)
	}
}

func MlnxPFC(c *facts.Classes, words []string, p facts.Proof) {
	on := []int{}
	for i, w := range words {
		switch w {
		case "1":
			on = append(on, i)
		case "0":
		default:
			return
		}
	}
	SetPFC(c, on, p)
}

func setMlnxMap(c *facts.Classes, line string, p facts.Proof) {
	m := mlnxMap.FindStringSubmatch(line)
	if m == nil {
		return
	}
	priority, _ := strconv.Atoi(m[1])
	for _, w := range strings.Split(strings.Trim(m[2], ","), ",") {
		if point, err := strconv.Atoi(w); err == nil && point >= 0 && point < 64 {
			PutInt(&c.DSCP, point, priority)
			c.Proves("dscp "+strconv.Itoa(point), p)
		}
	}
}

// mlnxClass reads a line of a traffic class, and returns its number. The algorithm "vendor" is the firmware's own.
func mlnxClass(c *facts.Classes, line string, p facts.Proof) int {
	m := mlnxTC.FindStringSubmatch(line)
	if m == nil {
		return -1
	}
	class, _ := strconv.Atoi(m[1])
	c.SetQueue(class, func(q *facts.Queue) {
		switch m[2] {
		case "ets", "strict":
			q.Strict = unit.Known(m[2] == "strict")
		default:
			q.Strict = unit.Unknown[bool]("its algorithm is " + m[2] + ", which is the firmware's own")
		}
		if percent, err := strconv.ParseFloat(m[3], 64); err == nil {
			q.Weight = unit.Known(percent)
		}
	})
	c.Proves("queue "+m[1], p)
	return class
}
