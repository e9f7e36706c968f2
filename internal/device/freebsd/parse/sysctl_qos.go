package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

var (
	mlx5Form = lazyregexp.New(`^dev\.mce\.(\d+)\.(?:conf\.qos\.)?(trust_state|dscp_\d+_\d+_prio|prio_0_7_tc|tc_rate_share|[rt]x_priority_flow_control(?:_\d)?|[rt]x_pauseframe_control)$`)
	mlx5DSCP = lazyregexp.New(`^dscp_(\d+)_(\d+)_prio$`)
	mlx5PFC  = lazyregexp.New(`^([rt])x_priority_flow_control(?:_(\d))?$`)
)

// mlx5Setting returns the interface and name of a setting of traffic classes.
func mlx5Setting(name string) (nic, setting string, ok bool) {
	m := mlx5Form.FindStringSubmatch(name)
	if m == nil {
		return "", "", false
	}
	return "mce" + m[1], m[2], true
}

// mlx5 reads a setting of FreeBSD's driver mlx5en: sys/dev/mlx5/mlx5_en/mlx5_en_ethtool.c and
// https://man.freebsd.org/mlx5en(4). PFC is one setting per priority, or one of eight values; no snapshot exists.
//
//	dev.mce.0.conf.qos.trust_state: 2
//	dev.mce.0.conf.qos.dscp_24_31_prio: 0 0 3 0 0 0 0 0
//	dev.mce.0.rx_priority_flow_control_3: 1
func mlx5(c *facts.Classes, name, value string, p facts.Proof) {
	numbers := []int{}
	for _, w := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 {
			return
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return
	}
	switch name {
	case "trust_state":
		if trust := map[int]string{1: "pcp", 2: "dscp", 3: "both"}[numbers[0]]; trust != "" {
			c.Trust = unit.Known(trust)
			c.Proves("trust", p)
		}
	case "prio_0_7_tc":
		c.Priorities = map[int]int{}
		for prio, tc := range numbers[:min(8, len(numbers))] {
			c.Priorities[prio] = tc
		}
		c.Proves("priorities", p)
	case "tc_rate_share":
		for tc, share := range numbers[:min(8, len(numbers))] {
			c.SetQueue(tc, func(q *facts.Queue) { q.Weight, q.Strict = unit.Known(float64(share)), unit.Known(false) })
			c.Proves("queue "+strconv.Itoa(tc), p)
		}
	case "rx_pauseframe_control":
		c.PauseRx = unit.Known(numbers[0] != 0)
		c.Proves("pause", p)
	case "tx_pauseframe_control":
		c.PauseTx = unit.Known(numbers[0] != 0)
		c.Proves("pause", p)
	default:
		mlx5Array(c, name, numbers, p)
	}
}

// mlx5Array reads the settings with several values.
func mlx5Array(c *facts.Classes, name string, numbers []int, p facts.Proof) {
	if m := mlx5DSCP.FindStringSubmatch(name); m != nil {
		first, _ := strconv.Atoi(m[1])
		if c.DSCP == nil {
			c.DSCP = map[int]int{}
		}
		for i, prio := range numbers[:min(8, len(numbers))] {
			if point := first + i; point < 64 && prio < 8 {
				c.DSCP[point] = prio
				c.Proves("dscp "+strconv.Itoa(point), p)
			}
		}
		return
	}
	m := mlx5PFC.FindStringSubmatch(name)
	if m == nil {
		return
	}
	to := &c.PFCReceive
	if m[1] == "t" {
		to = &c.PFCSend
	}
	on := to.Or([]int{})
	if m[2] != "" {
		prio, _ := strconv.Atoi(m[2])
		numbers = append(make([]int, prio), numbers[0])
	}
	for prio, v := range numbers[:min(8, len(numbers))] {
		if v != 0 {
			on = append(on, prio)
		}
	}
	*to = unit.Known(on)
	c.Proves("pfc", p)
}
