package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab/labtest"
	"linerate/internal/lab/layout"
)

// carries fails unless data arrives at b, and, with both, at a, too.
func carries(t testing.TB, l *Lab, streams int, both bool) {
	t.Helper()
	got, _ := load(t, l, streams, both, false, 200*time.Millisecond)
	for i, r := range got {
		if r.Bytes == 0 {
			t.Errorf("lab %s: nothing arrives at %s", l.id, []string{"b", "a"}[i])
		}
	}
}

// load runs a load between the hosts a (10.9.0.1) and b (10.9.0.2) and returns what the receivers got, b first.
func load(t testing.TB, l *Lab, streams int, both, ping bool,
	interval time.Duration) (received []loadResult, rtt loadResult) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), interval+patience)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	start := func(host string, args ...any) *loadResult {
		argv := []string{self, loadCommand}
		for _, a := range args {
			argv = append(argv, fmt.Sprint(a))
		}
		r := &loadResult{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			var out, errs bytes.Buffer
			code, err := Exec(ctx, l.id+"/"+host, connect.Command{Argv: argv, Stdout: &out, Stderr: &errs})
			if err != nil || code != 0 {
				t.Errorf("%s %v: exit %d, %v: %s", host, argv, code, err, errs.String())
			}
			mu.Lock()
			defer mu.Unlock()
			if out.Len() > 0 {
				json.Unmarshal(out.Bytes(), r)
			}
		}()
		return r
	}
	const warmup = 300 * time.Millisecond
	all := []*loadResult{start("b", "recv", "10.9.0.2:7001", streams, warmup, interval)}
	start("a", "send", "10.9.0.2:7001", streams, warmup+interval+200*time.Millisecond)
	if both {
		all = append(all, start("a", "recv", "10.9.0.1:7002", streams, warmup, interval))
		start("b", "send", "10.9.0.1:7002", streams, warmup+interval+200*time.Millisecond)
	}
	var p *loadResult
	if ping {
		start("b", "pong", "10.9.0.2:7003")
		p = start("a", "ping", "10.9.0.2:7003", interval, patience)
	}
	wg.Wait()
	for _, r := range all {
		received = append(received, *r)
	}
	if p != nil {
		rtt = *p
	}
	return received, rtt
}

// BenchmarkShaping measures what share of the analytic ceiling TCP reaches over a shaped link, in intervals of a
// second, for a minute at its defaults:
//
//	go test -run - -bench Shaping -benchtime 1x ./lab
//
// The settings to try come from the environment, as lists: LR_MTUS, LR_SCALES, LR_BUCKETS (BURST/LIMIT in KiB, by tc;
// empty is the lab's own), LR_REPEATS, LR_GRO (on, off), LR_PING (1: a round trip at the same time, which costs CPU
// time).
func BenchmarkShaping(t *testing.B) {
	for _, mtu := range numbers("LR_MTUS", 1500, 9000) {
		mtu := int(mtu)
		for _, scale := range numbers("LR_SCALES", 1, 0.1) {
			p := labtest.Pair(10*unit.GigabitPerSecond, mtu)
			for _, h := range p.Hosts {
				if gro := os.Getenv("LR_GRO"); gro != "" {
					h.Settings = append(h.Settings, plan.Setting{Kind: plan.SetOffload, Interface: "nic1", Key: "gro", Value: gro})
				}
			}
			l, err := Up(t.Context(), p, Options{Scale: scale})
			if err != nil {
				t.Fatal(err)
			}
			rate := layout.ShapedRate(10*unit.GigabitPerSecond, scale, mtu)
			ceiling := 1e10 * scale * float64(mtu-52) / float64(mtu+38)
			shares := map[string][]float64{}
			rtts := map[string][]time.Duration{}
			var order []string
			for range int(numbers("LR_REPEATS", 3)[0]) {
				for _, bucket := range strings.Split(os.Getenv("LR_BUCKETS"), ",") { // burst/limit in KiB; empty: the lab's own
					if burst, limit, ok := strings.Cut(bucket, "/"); ok {
						for _, h := range []string{"a", "b"} {
							out, code := run(t, l, h, "tc", "qdisc", "replace", "dev", "nic1", "root", "tbf",
								"rate", fmt.Sprintf("%.0fbit", float64(rate)), "burst", burst+"kb", "limit", limit+"kb")
							if code != 0 {
								t.Fatal(out)
							}
						}
					}
					for _, streams := range []int{1, 8} {
						for _, both := range []bool{false, true} {
							key := fmt.Sprintf("bucket %s streams %d both %v", bucket, streams, both)
							if shares[key] == nil {
								order = append(order, key)
							}
							r, rtt := load(t, l, streams, both, os.Getenv("LR_PING") != "", time.Second)
							for _, v := range r {
								shares[key] = append(shares[key], 100*v.Rate/ceiling)
							}
							rtts[key] = append(rtts[key], rtt.P50)
						}
					}
				}
			}
			for _, key := range order {
				v := shares[key]
				slices.Sort(v)
				slices.Sort(rtts[key])
				fmt.Printf("mtu %d scale %g %s: median %.2f lowest %.2f highest %.2f of %d, rtt %v\n", mtu, scale, key,
					v[len(v)/2], v[0], v[len(v)-1], len(v), rtts[key][len(rtts[key])/2])
			}
			l.Down()
		}
	}
}

func numbers(name string, def ...float64) (out []float64) {
	for _, w := range strings.Fields(os.Getenv(name)) {
		v, _ := strconv.ParseFloat(w, 64)
		out = append(out, v)
	}
	if len(out) == 0 {
		return def
	}
	return out
}
