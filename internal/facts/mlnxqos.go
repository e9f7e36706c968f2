package facts

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

var (
	mlnxMap = lazyregexp.New(`^prio:([0-7]) dscp:([0-9,]+)$`)
	mlnxTC  = lazyregexp.New(`^tc: ([0-7]) ratelimit: .*?tsa: (\w+)(?:, bw: (\d+)%)?`)
)

// readMlnxQoS reads "mlnx_qos -i X", which prints the same after it has set something.
// Format: https://github.com/Mellanox/mlnx-tools, python/mlnx_qos.
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
func readMlnxQoS(f *Facts, args []string, text []byte) error {
	name := unnamedPort
	if len(args) > 0 {
		name = args[0]
	}
	lines := strings.Split(string(text), "\n")
	if !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(strings.TrimSpace(l), "PFC configuration:") || strings.HasPrefix(strings.TrimSpace(l), "Priority trust state:")
	}) {
		return toolError(text)
	}
	c := f.effect(name)
	class := -1
	for _, line := range lines {
		p := f.proof(line)
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch words := strings.Fields(line); {
		case key == "DCBX mode":
			c.proves("dcbx", p)
			if strings.HasPrefix(value, "Firmware") {
				c.agent("firmware", p)
			}
		case key == "Priority trust state" && (value == "dscp" || value == "pcp" || value == "both"):
			c.Trust = known(value)
			c.proves("trust", p)
		case key == "Receive buffer size (bytes)":
			c.buffers(value, p)
		case len(words) == 9 && words[0] == "enabled":
			c.mlnxPFC(words[1:], p)
		case len(words) == 9 && words[0] == "buffer":
			for i, w := range words[1:] {
				if n, err := strconv.Atoi(w); err == nil && n >= 0 && n < 8 {
					putInt(&c.BufferOf, i, n)
				}
			}
			c.says("buffers", p, true) // of buffers the row that says whose they are
		case key == "prio":
			c.mlnxMap(line, p)
		case key == "tc":
			class = c.mlnxClass(line, p)
		case key == "priority" && class >= 0:
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 8 {
				putInt(&c.Priorities, n, class)
				c.proves("priorities", p)
			}
		}
	}
	return nil
}

func (c *Classes) buffers(value string, p Proof) {
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
		c.proves("sizes", p)
	}
}

func (c *Classes) mlnxPFC(words []string, p Proof) {
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
	c.pfc(on, p)
}

func (c *Classes) mlnxMap(line string, p Proof) {
	m := mlnxMap.FindStringSubmatch(line)
	if m == nil {
		return
	}
	priority, _ := strconv.Atoi(m[1])
	for _, w := range strings.Split(strings.Trim(m[2], ","), ",") {
		if point, err := strconv.Atoi(w); err == nil && point >= 0 && point < 64 {
			putInt(&c.DSCP, point, priority)
			c.proves("dscp "+strconv.Itoa(point), p)
		}
	}
}

// mlnxClass reads a line of a traffic class, and returns which one it is. The algorithm "vendor" is the firmware's own.
func (c *Classes) mlnxClass(line string, p Proof) int {
	m := mlnxTC.FindStringSubmatch(line)
	if m == nil {
		return -1
	}
	class, _ := strconv.Atoi(m[1])
	c.queue(class, func(q *Queue) {
		switch m[2] {
		case "ets", "strict":
			q.Strict = known(m[2] == "strict")
		default:
			q.Strict = unit.Unknown[bool]("its algorithm is " + m[2] + ", which is the firmware's own")
		}
		if percent, err := strconv.ParseFloat(m[3], 64); err == nil {
			q.Weight = known(percent)
		}
	})
	c.proves("queue "+m[1], p)
	return class
}
