package rdma

import (
	"context"
	"math"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
)

// scripted puts a linerate-verbs on the PATH that answers as a script says: the case branches of a shell.
func scripted(t *testing.T, branches string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(t, "sh, as which the program is played")
	}
	dir := t.TempDir()
	text := "#!/bin/sh\nwhile read -r name rest; do case $name in\n" + branches + "\n*) echo \"error step=line pair=-1 " +
		"errno=0 status=0 text=$name is not a command\"; exit 1;;\nesac; done\n"
	if err := os.WriteFile(filepath.Join(dir, Program), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	files := map[string]string{"class/infiniband/rxe0/node_type": "1: CA", "class/infiniband/rxe0/parent": "lo",
		"class/infiniband/rxe0/ports/1/link_layer": "Ethernet", "class/infiniband/rxe0/ports/1/state": "4: ACTIVE",
		"class/infiniband/rxe0/ports/1/gids/1":            "0000:0000:0000:0000:0000:ffff:7f00:0001",
		"class/infiniband/rxe0/ports/1/gid_attrs/types/1": "RoCE v2"}
	rdmaSysfs = tree(t, files)
	t.Cleanup(func() { rdmaSysfs = placement.Sysfs })
}

// Answers of a program that works: two pairs, an interval of 1 s in ten slices.
const (
	sayHello  = `hello) echo "linerate-verbs 1 libibverbs=yes librdmacm=yes why=";;`
	sayOpen   = `open) echo "pair n=0 qpn=17 psn=1 rkey=7 addr=18446744073709551615 lid=0 gid=00000000000000000000ffff7f000001 mtu=1024 rd=1"; echo "pair n=1 qpn=18 psn=2 rkey=8 addr=4096 lid=0 gid=00000000000000000000ffff7f000001 mtu=1024 rd=1"; echo "opened inline=64 mtu=1024 depth=128 memory=8192 rd_atomic=1 receives=0";;`
	sayPeer   = `peer) ;;`
	sayJoined = `connect) echo "connected mtu=1024 path_mtu=1024";;`
)

func verbsSetup(v traffic.VerbsOptions) traffic.Setup {
	lo := netip.MustParseAddr("127.0.0.1")
	return traffic.Setup{Method: "rdma", Transport: traffic.RDMA, Side: traffic.From, Direction: traffic.Out,
		Streams: 2, Size: 1000, Warmup: 50 * time.Millisecond, Interval: time.Second, Local: lo, Remote: lo, Verbs: v}
}

// measured runs one end against the other end's numbers, which are its own.
func measured(t *testing.T, s traffic.Setup) (o *traffic.Outcome, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e, err := table().Prepare(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if err = e.Join(ctx, traffic.Peers{Verbs: *e.Ready().Verbs}); err != nil {
		return nil, err
	}
	// The script answers at once: a beginning that is far ahead is never too late.
	return e.Run(ctx, traffic.Now()+int64(time.Hour), func([]traffic.Sample) {})
}

// sayRun is what the program prints of a run, at stamps that the script has of its own: $1 begin, $2 open, $3 close.
const sayRun = `run) set -- $rest; b=${1#begin=}; o=${2#open=}; c=${3#close=}
echo "released skew_ns=2500 begin_ns=$b"
echo "pair n=0 core=0 first=$o last=$((c-1000000)) ops=100 bytes=1000000 in=0 in_ops=0 late=100 lost=0 left=$b post_ns=300 poll_ns=100"
echo "slices n=0 100000,100000,100000,100000,100000,100000,100000,100000,100000,100000"
echo "hist n=0 part=0 20000:300"
echo "hist n=0 part=9 40000:300"
echo "pair n=1 core=1 first=$o last=$((c-1000000)) ops=100 bytes=500000 in=0 in_ops=0 late=2600 lost=0 left=LEFT post_ns=500 poll_ns=0"
echo "slices n=1 50000,50000,50000,50000,50000,50000,50000,50000,50000,50000"
echo "hist n=1 part=0 20000:300"
echo "done";;`

func TestVerbsRecord(t *testing.T) {
	run := strings.Replace(sayRun, "LEFT", "$b", 1)
	scripted(t, strings.Join([]string{sayHello, sayOpen, sayPeer, sayJoined, run}, "\n"))

	// Half of a round trip for a write; a read's is whole.
	for op, want := range map[string]float64{traffic.OpWrite: 10e-6, traffic.OpSend: 10e-6, traffic.OpRead: 20e-6} {
		o, err := measured(t, verbsSetup(traffic.VerbsOptions{Op: op}))
		if err != nil {
			t.Fatal(op, err)
		}
		h, err := traffic.DecodeHistogram(o.Histogram)
		if err != nil || h.Count() != 900 || math.Abs(h.Quantile(0.5)-want) > want/500 {
			t.Errorf("%s: %d round trips, p50 %v, %v; want 900 and %v", op, h.Count(), h.Quantile(0.5), err, want)
		}
		if o.RTTSamples != 900 || len(o.Verbs.Pairs) != 2 || o.Verbs.Pairs[1].RTTSamples.Count != 300 ||
			o.Verbs.LeftOut != 0 ||
			o.Series != nil {
			t.Errorf("%s: %+v", op, o.Verbs)
		}
		if v := o.Verbs; v.SkewNS != 2500 || v.PostNS != 400 || v.PollNS != 100 || v.Device != "rxe0" || v.GID != 1 ||
			v.MTU != 1024 || v.Inline != 64 || v.Yield != 1 || !v.Soft {
			t.Errorf("%s: in effect %+v", op, v)
		}
	}

	o, err := measured(t, verbsSetup(traffic.VerbsOptions{Metric: traffic.MetricGoodput}))
	if err != nil {
		t.Fatal(err)
	}
	if o.Verbs.AskedBytes != 1500000 || o.Verbs.Seconds != 1 || len(o.Series) != 10 || o.Series[3] != 150000*80 {
		t.Errorf("goodput: %+v, series %v", o.Verbs, o.Series)
	}
}

// A line that never ends is an error, and the program, which goes on writing, is ended.
func TestVerbsEndlessLine(t *testing.T) {
	scripted(t, sayHello+"\nopen) exec tr '\\0' x </dev/zero;;")
	_, err := measured(t, verbsSetup(traffic.VerbsOptions{Op: traffic.OpWrite}))
	if err == nil || !strings.Contains(err.Error(), "its output cannot be read: bufio.Scanner: token too long") {
		t.Error(err)
	}
}

// A pair that began late cuts the interval of all to the tenths that it filled.
func TestVerbsCommonInterval(t *testing.T) {
	run := strings.Replace(sayRun, "LEFT", "$((o+150000000))", 1) // in the second tenth
	scripted(t, strings.Join([]string{sayHello, sayOpen, sayPeer, sayJoined, run}, "\n"))
	o, err := measured(t, verbsSetup(traffic.VerbsOptions{Metric: traffic.MetricGoodput}))
	if err != nil {
		t.Fatal(err)
	}
	if o.Verbs.LeftOut != 2 || math.Abs(o.Verbs.Seconds-0.8) > 1e-9 || o.Verbs.AskedBytes != 8*150000 {
		t.Errorf("%+v", o.Verbs)
	}
	h, err := traffic.DecodeHistogram(o.Histogram)
	if err != nil || h.Count() != 300 {
		t.Errorf("%d round trips are left, %v; want those of the last tenth", h.Count(), err)
	}
	if len(o.Warnings) == 0 || !strings.Contains(o.Warnings[0], "2 tenths") {
		t.Errorf("warnings %q", o.Warnings)
	}
}

// An invalid or missing line of the program is an error, and never a figure.
func TestVerbsTrouble(t *testing.T) {
	good := strings.Replace(sayRun, "LEFT", "$b", 1)
	for _, c := range []struct {
		name, hello, open, joined, run, code string
		want                                 []string
	}{
		{name: "no library", hello: `hello) echo "linerate-verbs 1 libibverbs=no librdmacm=no why=libibverbs.so.1: cannot open shared object file";;`, code: failure.CodeUnsupported, want: []string{"libibverbs.so.1: cannot open",
			"apt-get install libibverbs1"}},
		{name: "another protocol", hello: `hello) echo "linerate-verbs 2 libibverbs=yes librdmacm=yes why=";;`,
			code: failure.CodeInternal, want: []string{"protocol 1", "make verbs"}},
		{name: "memlock", open: `open) echo "error step=memory pair=1 errno=12 status=0 at=1 text=16384 bytes cannot be registered: the limit of locked memory is 65536; raise it: ulimit -l unlimited"; exit 1;;`, code: failure.CodeLimit, want: []string{"rxe0 port 1, pair 1", "ulimit -l"}},
		{name: "the other end is gone", run: `run) echo "released skew_ns=0 begin_ns=0"; echo "error step=poll pair=0 errno=0 status=12 at=5 text=retries exceeded: the other end does not answer"; exit 1;;`, code: failure.CodeReset, want: []string{"pair 0", "does not answer"}},
		{name: "it ends", open: `open) echo "cannot go on" >&2; exit 3;;`, code: failure.CodeInternal,
			want: []string{"exit status 3", "cannot go on"}},
		{name: "a pair too many", open: `open) for n in 0 1 2; do echo "pair n=$n qpn=1 psn=1 rkey=1 addr=1 lid=0 gid=00 mtu=1 rd=1"; done;;`, want: []string{"pair 2"}},
		{name: "not a number", open: `open) echo "pair n=0 qpn=many psn=1 rkey=1 addr=1 lid=0 gid=00 mtu=1 rd=1";;`,
			want: []string{`qpn="many"`}},
		{name: "a slice too few", run: `run) echo "pair n=0 core=0 first=1 last=2 left=1 ops=1 bytes=1 in=0 late=0 post_ns=0 poll_ns=0"; echo "slices n=0 1,2,3";;`, want: []string{"3 slices in place of 10"}},
		{name: "a pair that is none", run: `run) echo "hist n=7 part=0 1:1";;`, want: []string{"no pair 7"}},
		{name: "a bad histogram", run: `run) echo "hist n=0 part=0 1:x";;`, want: []string{"not a value of a histogram"}},
		{name: "an eleventh part", run: `run) echo "hist n=0 part=10 1:1";;`, want: []string{"none of ten"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			or := func(text, other string) string {
				if text == "" {
					return other
				}
				return text
			}
			scripted(t, strings.Join([]string{or(c.hello, sayHello), or(c.open, sayOpen), sayPeer, or(c.joined, sayJoined),
				or(c.run, good)}, "\n"))
			_, err := measured(t, verbsSetup(traffic.VerbsOptions{}))
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			}
			if me, ok := err.(*failure.Error); c.code != "" && (!ok || me.Code != c.code) {
				t.Errorf("%T %+v, want code %s", err, err, c.code)
			}
		})
	}
}

// Ends that do not match are refused before anything is connected.
func TestVerbsEndsDiffer(t *testing.T) {
	scripted(t, strings.Join([]string{sayHello, sayOpen, sayPeer, sayJoined}, "\n"))
	for name, c := range map[string]struct {
		change func(*traffic.VerbsPeer)
		want   string
	}{
		"path MTU": {func(p *traffic.VerbsPeer) { p.MTU, p.Device = 4096, "mlx5_0" },
			"path MTU of rxe0 is 1024 here, that of mlx5_0 at the other end is 4096"},
		"link":  {func(p *traffic.VerbsPeer) { p.Link = traffic.LinkIWARP }, "speaks rocev2 here"},
		"pairs": {func(p *traffic.VerbsPeer) { p.Pairs = p.Pairs[:1] }, "the other end has 1 pairs, this one 2"},
		"GID":   {func(p *traffic.VerbsPeer) { p.Pairs[0].GID = "x y" }, "is not a GID"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		e, err := table().Prepare(ctx, verbsSetup(traffic.VerbsOptions{}), nil)
		if err != nil {
			t.Fatal(err)
		}
		peer := *e.Ready().Verbs
		peer.Pairs = append([]traffic.VerbsPair(nil), peer.Pairs...)
		c.change(&peer)
		if err := e.Join(ctx, traffic.Peers{Verbs: peer}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
		e.Close()
	}
}

// A queue pair that fails in the middle ends the interval, and what was measured until then is kept, with when.
func TestVerbsBreaksOff(t *testing.T) {
	run := strings.Replace(
		strings.Replace(sayRun, "LEFT", "$b", 1),
		`echo "done";;`,
		`echo "error step=completion pair=1 errno=0 status=12 at=$((o+400000000)) text=the other end does not answer"; exit 1;;`,
		1,
	)
	scripted(t, strings.Join([]string{sayHello, sayOpen, sayPeer, sayJoined, run}, "\n"))
	o, err := measured(t, verbsSetup(traffic.VerbsOptions{Metric: traffic.MetricGoodput}))
	if err != nil {
		t.Fatal(err)
	}
	b := o.Verbs.Broken
	if b == nil || b.AtNS != 400e6 || b.LastNS != 400e6 ||
		!strings.Contains(b.Text, "rxe0 port 1, pair 1: the other end does not answer") || o.Verbs.Seconds != 0.4 ||
		o.Verbs.AskedBytes != 1500000 || o.Verbs.Pairs[0].Operations != 100 {
		t.Errorf("%+v, broken %+v", o.Verbs, b)
	}

	// A request that cannot be posted any more, and an end that says nothing, are the same.
	for _, step := range []string{"post", "peer"} {
		scripted(t, strings.Join([]string{sayHello, sayOpen, sayPeer, sayJoined,
			strings.Replace(run, "step=completion pair=1 errno=0 status=12", "step="+step+" pair=1 errno=110 status=0", 1)},
			"\n"))
		if o, err := measured(t, verbsSetup(traffic.VerbsOptions{Metric: traffic.MetricGoodput})); err != nil ||
			o.Verbs.Broken == nil || o.Verbs.Broken.AtNS != 400e6 || o.Verbs.AskedBytes != 1500000 {
			t.Errorf("%s: %v: %+v", step, err, o)
		}
	}

	// The time in which packets are retransmitted without success is not part of it.
	scripted(t, strings.Join([]string{sayHello, sayOpen, sayPeer, sayJoined,
		strings.ReplaceAll(run, "last=$((c-1000000))", "last=$((o+250000000))")}, "\n"))
	if o, err := measured(t, verbsSetup(traffic.VerbsOptions{Metric: traffic.MetricGoodput})); err != nil ||
		o.Verbs.Broken == nil || o.Verbs.Broken.AtNS != 400e6 || o.Verbs.Seconds != 0.25 {
		t.Errorf("%v: %+v", err, o.Verbs)
	}

	// Without figures, or before the pairs were connected, it is an error as before.
	for _, script := range []string{`run) echo "error step=completion pair=1 errno=0 status=12 at=5 text=the other end does not answer"; exit 1;;`,
		strings.Replace(run, "step=completion", "step=barrier", 1)} {
		scripted(t, strings.Join([]string{sayHello, sayOpen, sayPeer, sayJoined, script}, "\n"))
		if o, err := measured(t, verbsSetup(traffic.VerbsOptions{})); err == nil {
			t.Errorf("no error: %+v", o.Verbs)
		}
	}
}

// table has the engine of verbs.
func table() traffic.Table { return traffic.Table{Verbs()} }
