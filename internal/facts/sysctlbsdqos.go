package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

var (
	mlx5Form = lazyregexp.New(`^dev\.mce\.(\d+)\.(?:conf\.qos\.)?(trust_state|dscp_\d+_\d+_prio|prio_0_7_tc|tc_rate_share|[rt]x_priority_flow_control(?:_\d)?|[rt]x_pauseframe_control)$`)
	mlx5DSCP = lazyregexp.New(`^dscp_(\d+)_(\d+)_prio$`)
	mlx5PFC  = lazyregexp.New(`^([rt])x_priority_flow_control(?:_(\d))?$`)
)

// mlx5Setting says which interface a setting of traffic classes is of, and what it is.
func mlx5Setting(name string) (nic, setting string, ok bool) {
	m := mlx5Form.FindStringSubmatch(name)
	if m == nil {
		return "", "", false
	}
	return "mce" + m[1], m[2], true
}

// mlx5 reads a setting of FreeBSD's driver mlx5en: sys/dev/mlx5/mlx5_en/mlx5_en_ethtool.c and
// https://man.freebsd.org/mlx5en(4). PFC is one setting a priority, or one of eight values; no capture is behind it.
//
//	dev.mce.0.conf.qos.trust_state: 2
//	dev.mce.0.conf.qos.dscp_24_31_prio: 0 0 3 0 0 0 0 0
//	dev.mce.0.rx_priority_flow_control_3: 1
func (c *Classes) mlx5(name, value string, p Proof) {
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
			c.Trust = known(trust)
			c.proves("trust", p)
		}
	case "prio_0_7_tc":
		c.Priorities = map[int]int{}
		for prio, tc := range numbers[:min(8, len(numbers))] {
			c.Priorities[prio] = tc
		}
		c.proves("priorities", p)
	case "tc_rate_share":
		for tc, share := range numbers[:min(8, len(numbers))] {
			c.queue(tc, func(q *Queue) { q.Weight, q.Strict = known(float64(share)), known(false) })
			c.proves("queue "+strconv.Itoa(tc), p)
		}
	case "rx_pauseframe_control":
		c.PauseRx = known(numbers[0] != 0)
		c.proves("pause", p)
	case "tx_pauseframe_control":
		c.PauseTx = known(numbers[0] != 0)
		c.proves("pause", p)
	default:
		c.mlx5Array(name, numbers, p)
	}
}

// mlx5Array reads the settings of several values.
func (c *Classes) mlx5Array(name string, numbers []int, p Proof) {
	if m := mlx5DSCP.FindStringSubmatch(name); m != nil {
		first, _ := strconv.Atoi(m[1])
		if c.DSCP == nil {
			c.DSCP = map[int]int{}
		}
		for i, prio := range numbers[:min(8, len(numbers))] {
			if point := first + i; point < 64 && prio < 8 {
				c.DSCP[point] = prio
				c.proves("dscp "+strconv.Itoa(point), p)
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
	*to = known(on)
	c.proves("pfc", p)
}
