package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/lab/exam"
)

// byHand judges two network namespaces made with ip, with faults made with ip, tc, nft and sysctl, and measured without
// any file: the verdict must be the fault. It uses nothing of the lab.
func (x *examiner) byHand() {
	if os.Geteuid() != 0 {
		x.leftOut = append(x.leftOut, "by hand: only root can run ip netns")
		return
	}
	type hand struct {
		name, truth string
		fast        bool
		spoil       []string // commands; A and B are the namespaces
	}
	for _, h := range []hand{
		{"healthy", "link", false, nil},
		{"shaper", "local-shaper", false, []string{"ip netns exec A tc qdisc replace dev e0 root " + bucket(x.near*3/10)}},
		{"receive window", "receive-window-cap", true, []string{"ip netns exec B sysctl -qw " +
			"net.ipv4.tcp_rmem=4096\t6144\t6144"}},
		{"send buffer", "send-buffer-cap", true, []string{"ip netns exec A sysctl -qw net.ipv4.tcp_wmem=4096\t8192\t8192"}},
		// Its bucket holds some 20 ms of its rate, like a provider's.
		{"policer", "policer", false, []string{"ip netns exec B nft add table inet f", "ip netns exec B nft add chain " +
			"inet f i { type filter hook input priority 0 ; }",
			fmt.Sprintf("ip netns exec B nft add rule inet f i meta l4proto tcp limit rate over %.0f kbytes/second burst "+
				"%.0f kbytes counter drop",
				float64(x.near)/8/1024/2, max(16, float64(x.near)/8/1024/100))}},
		{"offloads", "offloads-off", true, []string{"ip netns exec A ethtool -K e0 tso off gso off"}},
		{"wrong interface", "wrong-nic", false, []string{"ip link add h0 netns A type veth peer name h0 netns B",
			"ip -n A addr add 10.8.0.1/24 dev h0",
			"ip -n B addr add 10.8.0.2/24 dev h0", "ip -n A link set h0 up", "ip -n B link set h0 up", "ip netns exec A tc " +
				"qdisc add dev h0 root " + bucket(x.near/10),
			"ip -n A route add 10.9.0.2/32 via 10.8.0.2"}},
		{"window scaling", "window-scaling-off", true, []string{"ip netns exec B sysctl -qw net.ipv4.tcp_window_scaling=0"}},
	} {
		c := one{"by hand", h.name, h.truth == "link", []string{h.truth}}
		if !x.wanted(c) {
			continue
		}
		if err := x.namespaces(h.fast, h.spoil, func(a, b string, rate unit.BitRate) {
			for range x.tries {
				if x.ctx.Err() != nil {
					return
				}
				x.pause()
				folder := x.folder()
				args := []string{"measure", "throughput", "--from", "netns " + a, "--to", "netns " + b, "--to-address", "10.9.0.2",
					"--link", bits(rate), "--time", "2s", "--direction", "out", "--repeats", "1"}
				r, err := x.measure(append(args, "-o", folder)...)
				x.judge(c, r, err, folder, made{"linerate " + strings.Join(args, " "), strings.Join(h.spoil, "\n")})
			}
		}); err != nil {
			x.failed(c, err)
		}
	}
}

// bucket returns a token bucket of this rate, as deep as the lab's own.
func bucket(rate unit.BitRate) string {
	burst, queue := ceiling.Bucket(rate, 1500)
	return fmt.Sprintf("tbf rate %.0fbit burst %d limit %d", float64(rate), burst, burst+queue)
}

// namespaces makes two namespaces with a cable, runs the commands that spoil them, calls do, and removes them.
func (x *examiner) namespaces(fast bool, spoil []string, do func(a, b string, rate unit.BitRate)) (err error) {
	a, b := fmt.Sprintf("lxa%d", os.Getpid()), fmt.Sprintf("lxb%d", os.Getpid())
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), time.Minute)
		defer cancel()
		for _, ns := range []string{a, b} {
			exec.CommandContext(ctx, "ip", "netns", "del", ns).Run()
		}
	}()
	lines := []string{"ip netns add A", "ip netns add B", "ip link add e0 netns A type veth peer name e0 netns B",
		"ip -n A addr add 10.9.0.1/24 dev e0", "ip -n B addr add 10.9.0.2/24 dev e0", "ip -n A link set e0 up",
		"ip -n B link set e0 up", "ip netns exec A sysctl -qw net.ipv4.tcp_congestion_control=reno",
		"ip netns exec B sysctl -qw net.ipv4.tcp_congestion_control=reno"}
	rate := x.fast
	if !fast {
		rate = x.near
		// The rate as Ethernet has it: a bucket counts 24 bytes a frame less.
		for _, ns := range []string{"A", "B"} {
			lines = append(lines, "ip netns exec "+ns+" tc qdisc add dev e0 root "+bucket(rate*984/1000))
		}
	}
	for _, line := range append(lines, spoil...) {
		words := exam.InNamespaces(line, a, b)
		if out, err := exec.CommandContext(x.ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", line, err, out)
		}
	}
	do(a, b, rate)
	return nil
}
