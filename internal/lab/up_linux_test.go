package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/lab/labtest"
	"linerate/internal/lab/layout"
	"linerate/internal/testenv"
)

// needNamespaces skips a live test that is not wanted, and where the kernel refuses namespaces to this process, which
// needs root or a setting.
func needNamespaces(t testing.TB) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	if os.Geteuid() == 0 {
		return
	}
	if hints := namespaceSettings(); len(hints) > 0 {
		testenv.Missing(t, "user namespaces for this user: "+strings.Join(hints, "; "))
	}
}

// patience bounds one step of a live test on a slow machine.
const patience = 2 * time.Minute

// patient returns a context that ends after one step's time.
func patient(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// up starts a plan's lab for the test.
func up(t testing.TB, p *plan.Plan, opt Options) *Lab {
	t.Helper()
	needNamespaces(t)
	l, err := Up(patient(t), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Down(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// run runs a command on a host and returns both output streams, without the last line's end, and the exit code.
func run(t testing.TB, l *Lab, host string, argv ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	code, err := Exec(patient(t), l.id+"/"+host, connect.Command{Argv: argv, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatalf("%s: %q: %v", host, argv, err)
	}
	return strings.TrimRight(out.String(), "\n"), code
}

// startIn starts a command without waiting for it.
func startIn(t testing.TB, target string, argv ...string) connect.Process {
	t.Helper()
	spec, err := connect.Parse("lab " + target)
	if err != nil {
		t.Fatal(err)
	}
	r, err := connect.Open(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Start(context.Background(), connect.Command{Argv: argv})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wantOutput fails unless the command prints exactly want and exits with 0.
func wantOutput(t testing.TB, l *Lab, host, script, want string) {
	t.Helper()
	if got, code := run(t, l, host, "sh", "-c", script); got != want || code != 0 {
		t.Errorf("%s: %s: got %q, exit %d; want %q", host, script, got, code, want)
	}
}

func TestContract(t *testing.T) {
	private(t)
	l := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1})
	r, err := connect.Open(t.Context(), l.Connection("a"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if want := "lab " + l.Info.ID + "/a"; r.String() != want {
		t.Errorf("the connection calls itself %q, want %q", r, want)
	}
	connecttest.Suite(t, r)
}

func TestConnectionFinds(t *testing.T) {
	private(t)
	l := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1})
	open := func(spec connect.Spec) error {
		_, err := connect.Open(t.Context(), spec)
		return err
	}
	if err := open(connect.Spec{Kind: connect.Lab, Name: "b"}); err != nil {
		if all, _ := List(); len(all) == len(listed(t)) { // otherwise another program of this user has one, too
			t.Errorf("the only lab, without its id: %v", err)
		}
	}
	if err := open(l.Connection("c")); err == nil || !strings.Contains(err.Error(), "its hosts are a, b") {
		t.Errorf("a host that is not there: %v", err)
	}
	if err := open(connect.Spec{Kind: connect.Lab, Lab: "../x", Name: "a"}); err == nil {
		t.Error("a lab outside of its folder was opened")
	}
	second := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1})
	if err := open(connect.Spec{Kind: connect.Lab, Name: "b"}); err == nil ||
		!strings.Contains(err.Error(), " labs are up") {
		t.Errorf("two labs and no id: %v", err)
	}
	second.Down()
	l.Down()
	if err := open(l.Connection("a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a lab that is down: %v", err)
	}
}

// An unauthenticated peer that connects without a token gets nothing, and garbage does not affect the init.
func TestTokenAndGarbage(t *testing.T) {
	private(t)
	l := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1})
	r := dialInit(t, l)
	if err := connect.WriteLabFrame(r, connect.LabRequest{Token: strings.Repeat("0", 32), Op: "down"}); err != nil {
		t.Fatal(err)
	}
	var a connect.LabAnswer
	if err := connect.ReadLabFrame(r, &a); err != nil || a.Code != connect.LabDenied {
		t.Errorf("a wrong token: %+v, %v", a, err)
	}
	for _, garbage := range []string{"\xff\xff\xff\xffxx", "\x00\x00\x00\x02{]", "\x00\x00\x00\x10{\"surprise\": 1234}",
		"G", ""} {
		c := dialInit(t, l)
		c.Write([]byte(garbage))
		c.CloseWrite()
		if err := connect.ReadLabFrame(c, &a); err == nil {
			t.Errorf("%q was answered with %+v", garbage, a)
		}
	}
	wantOutput(t, l, "a", "echo alive", "alive")
}

func TestHost(t *testing.T) {
	private(t)
	l := up(t, labtest.Pair(unit.GigabitPerSecond, 9000), Options{Scale: 1})
	wantOutput(t, l, "a", "hostname", "a")
	wantOutput(t, l, "a", "cat /etc/hosts",
		"127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1 a\n10.9.0.2 b")
	wantOutput(t, l, "b", "ls /sys/class/net", "lo\nnic1")
	wantOutput(t, l, "b", "cat /sys/class/net/nic1/mtu /sys/class/net/nic1/operstate /sys/class/net/nic1/ifalias",
		"9000\nup\nb.nic.1")
	wantOutput(t, l, "a", "cat /proc/sys/net/ipv4/tcp_congestion_control", l.Info.Congestion)
	wantOutput(t, l, "a", "test -d /proc/1 && tr '\\0' ' ' < /proc/1/cmdline", "linerate lab-init "+l.Info.ID+" ")
	if l.Info.Congestion != "reno" {
		t.Errorf("congestion control %q", l.Info.Congestion)
	}
	dir, _ := os.Getwd()
	wantOutput(t, l, "a", "pwd", dir)
	before, _ := os.Hostname()
	if now, _ := os.Hostname(); now != before || now == "a" {
		t.Errorf("this machine is called %q now", now)
	}
}

// A fault that a user makes by hand stays in the lab and in its host, and works as on a real one.
func TestSpoilByHand(t *testing.T) {
	private(t)
	const file = "/proc/sys/net/ipv4/tcp_rmem"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{Scale: 1}, {Scale: 1, UserNamespace: true}} {
		l := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), opt)
		wantOutput(t, l, "a", "echo '4096 32768 32768' > "+file+" && cat "+file, "4096\t32768\t32768")
		if got, _ := run(t, l, "b", "cat", file); got == "4096\t32768\t32768" {
			t.Error("the other host has it as well")
		}
		if now, _ := os.ReadFile(file); !bytes.Equal(now, before) {
			t.Fatalf("this machine has it as well: %s", now)
		}
		for _, tool := range []string{"ip link set nic1 mtu 1400", "tc qdisc replace dev nic1 root tbf rate 100mbit " +
			"burst 64kb limit 500kb"} {
			if _, err := exec.LookPath(strings.Fields(tool)[0]); err != nil {
				t.Logf("missing: %s, so %q was not tried", strings.Fields(tool)[0], tool)
				continue
			}
			wantOutput(t, l, "a", tool, "")
		}
	}
}

// Two labs with the same addresses do not interfere.
func TestSideBySide(t *testing.T) {
	marker := private(t)
	one := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1})
	two := up(t, labtest.Pair(unit.GigabitPerSecond, 1500), Options{Scale: 1})
	if one.id == two.id {
		t.Fatal("the same id twice")
	}
	wantOutput(t, one, "a", "cat /proc/1/cmdline | tr '\\0' ' '", "linerate lab-init "+one.id+" ")
	// Listeners on one address and port, one in each.
	for _, l := range []*Lab{one, two} {
		carries(t, l, 1, false)
	}
	if err := one.Down(); err != nil {
		t.Fatal(err)
	}
	carries(t, two, 1, false) // once the first is down
	spaces := namespaces(marker)
	two.Down()
	wantNothing(t, marker, spaces)
}

// Both ends of a link have a token bucket of its rate, and it carries data. The documentation has the measured rates.
func TestShaping(t *testing.T) {
	private(t)
	l := up(t, labtest.Pair(10*unit.GigabitPerSecond, 1500), Options{Scale: 0.05})
	if !slices.Equal(l.Info.Shaped, []string{"a--b"}) || l.Info.Scale != 0.05 || l.Info.Calibrated != 0 {
		t.Errorf("info %+v", l.Info)
	}
	carries(t, l, 2, true)
	if _, err := exec.LookPath("tc"); err != nil {
		testenv.Missing(t, "tc")
	}
	want := float64(layout.ShapedRate(10*unit.GigabitPerSecond, 0.05, 1500)) / 8
	for _, host := range []string{"a", "b"} {
		text, code := run(t, l, host, "tc", "-json", "qdisc", "show", "dev", "nic1")
		var found []struct {
			Kind    string
			Options struct{ Rate float64 }
		}
		if err := json.Unmarshal([]byte(text), &found); code != 0 || err != nil {
			t.Fatalf("exit %d, %v: %s", code, err, text)
		}
		if len(found) != 1 || found[0].Kind != "tbf" || math.Abs(found[0].Options.Rate-want) > 1 {
			t.Errorf("%s: %+v, want a tbf of %.0f bytes a second", host, found, want)
		}
	}
}

func TestCalibration(t *testing.T) {
	private(t)
	l := up(t, labtest.Pair(0, 1500), Options{})
	if l.Info.Calibrated <= 0 || l.Info.Scale != 1 || len(l.Info.Shaped) != 0 {
		t.Errorf("info %+v", l.Info)
	}
	if len(l.Info.Emulated) != 1 || !strings.Contains(l.Info.Emulated[0], "speed is unknown") {
		t.Errorf("emulated %q", l.Info.Emulated)
	}
	huge := up(t, labtest.Pair(1e15, 1500), Options{})
	if huge.Info.Scale >= 0.01 {
		t.Errorf("a petabit link at scale %s", unit.Scale(huge.Info.Scale))
	}
}

func TestUpRefuses(t *testing.T) {
	marker := private(t)
	needNamespaces(t)
	for _, c := range []struct {
		name, want string
		ctx        func() context.Context
		change     func(*plan.Plan, *Options)
	}{
		{"no hosts", "no hosts", nil, func(p *plan.Plan, _ *Options) { p.Hosts = nil }},
		{"scale", "scale 2", nil, func(_ *plan.Plan, o *Options) { o.Scale = 2 }},
		{"no such interface", "host b: link nope", nil, func(p *plan.Plan, _ *Options) {
			p.Hosts[1].Settings = append(p.Hosts[1].Settings, plan.Setting{Kind: plan.SetLink, Interface: "nope"})
		}},
		{"impossible MTU", "link a--b", nil, func(p *plan.Plan, _ *Options) { p.Hosts[0].Ports[0].MTU = 100000 }},
		{"cancelled", "context canceled", func() context.Context {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(30*time.Millisecond, cancel)
			return ctx
		}, func(*plan.Plan, *Options) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, opt := labtest.Pair(1e9, 1500), Options{Scale: 1}
			c.change(p, &opt)
			ctx := context.Background()
			if c.ctx != nil {
				ctx = c.ctx()
				opt.Scale = 0
			}
			l, err := Up(ctx, p, opt)
			if err == nil {
				l.Down()
				t.Fatal("it came up")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q, want %q in it", err, c.want)
			}
			wantNothing(t, marker, nil)
		})
	}
}
