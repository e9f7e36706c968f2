package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/host/loopback"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// looped is a place whose commands run in a namespace with two ports that are cabled together, like the two of an
// adapter. One is in use.
type looped struct {
	*place
	ns string
}

func newLooped(t *testing.T) *looped {
	t.Helper()
	testenv.Need(t, testenv.Live)
	l := &looped{newPlace(t), connecttest.Namespace(t)}
	l.as = func(cmd *exec.Cmd) {
		ip := testenv.Must(exec.LookPath("ip"))(t)
		cmd.Args = append([]string{"ip", "netns", "exec", l.ns, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = ip
	}
	l.ip(t, "link", "add", "lpa", "mtu", "4000", "type", "veth", "peer", "name", "lpb")
	l.ip(t, "link", "set", "lpa", "up")
	l.ip(t, "address", "add", "10.77.0.1/24", "broadcast", "10.77.0.255", "dev", "lpa")
	l.ip(t, "address", "add", "fd77::1/64", "dev", "lpa", "nodad")
	l.ip(t, "route", "add", "10.88.0.0/16", "via", "10.77.0.9", "metric", "7")
	l.ip(t, "route", "add", "default", "via", "10.77.0.9", "table", "99")
	l.inside(t, "sysctl", "-q", "-w", "net.ipv4.conf.lpa.rp_filter=2", "net.ipv6.conf.lpb.disable_ipv6=1")
	return l
}

func (l *looped) ip(t *testing.T, args ...string) {
	t.Helper()
	connecttest.IP(t, append([]string{"-n", l.ns}, args...)...)
}

func (l *looped) inside(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("ip", append([]string{"netns", "exec", l.ns}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

// The parts of a link's state that depend on the other end, and those of an address that depend on the clock.
var passing = regexp.MustCompile(
	`(?m)NO-CARRIER,|,LOWER_UP|state \S+|qlen \d+| linkdown|\btentative\b|@if\d+|^\d+: |^ +valid_lft.*\n`)

// state is everything that must be restored.
func (l *looped) state(t *testing.T) string {
	t.Helper()
	text := ""
	for _, port := range []string{"lpa", "lpb"} {
		text += l.inside(t, "ip", "link", "show", "dev", port) + l.inside(t, "ip", "address", "show", "dev", port,
			"permanent")
		text += l.inside(t, "sysctl", "net.ipv4.conf."+port+".rp_filter", "net.ipv6.conf."+port+".disable_ipv6")
	}
	text += l.inside(t, "ip", "route", "show", "table", "all") + l.inside(t, "ip", "-6", "route", "show", "table", "all")
	// The kernel's own routes come and go with the carrier.
	var lines []string
	for _, line := range strings.Split(passing.ReplaceAllString(text, ""), "\n") {
		if !strings.Contains(line, "table local") && !strings.Contains(line, "fe80::") && !strings.Contains(line, "ff00::") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return strings.Join(lines, "\n")
}

// back waits until everything is restored.
func (l *looped) back(t *testing.T, before string) {
	t.Helper()
	now := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if out, err := exec.Command("ip", "-n", l.ns, "link", "show", "dev", "lpb").CombinedOutput(); err != nil {
			now = string(out)
			continue
		}
		if now = l.state(t); now == before {
			return
		}
	}
	t.Errorf("it is not as before:\n%s\nbefore:\n%s", now, before)
}

// A loop refuses a port that is in use; with leave it measures, reports what it did to the ports, and restores all.
func TestLoop(t *testing.T) {
	t.Parallel()
	l := newLooped(t)
	before := l.state(t)
	a := l.linerate(t, "measure", "acceptance", "--loop", "lpa,lpb", "--time", "300ms")
	if a.code != cli.ExitRefused || !strings.Contains(a.err,
		"lpa carries the address 10.77.0.1/24, the address fd77::1/64, the default route and a route to 10.88.0.0/16") ||
		!strings.Contains(a.err, "--allow-in-use lpa") {
		t.Errorf("a port in use: %s", a)
	}
	a = l.linerate(t, "measure", "acceptance", "--loop", "lpa,lpb", "--dry-run", "--allow-in-use", "lpa")
	if a.code != cli.ExitDone || !strings.Contains(a.out,
		"lpa is put back as it is: MTU 4000, up, 10.77.0.1/24, fd77::1/64, the default route, a route to 10.88.0.0/16") {
		t.Errorf("the dry run: %s", a)
	}
	if now := l.state(t); now != before {
		t.Errorf("refused, and changed:\n%s\nbefore:\n%s", now, before)
	}
	a = l.linerate(t, "measure", "acceptance", "--loop", "lpa,lpb", "--allow-in-use", "lpa", "--time", "300ms", "--json")
	if a.code != cli.ExitIncomplete || !strings.Contains(a.err, "lpa and lpb are back, as they were") {
		t.Fatalf("%s", a)
	}
	l.back(t, before)
	x := a.run(t).Experiments[0]
	if x.Acceptance == nil || x.Acceptance.Loop != record.LoopOfMachine || x.From != "lpa" || x.To != "lpb" ||
		x.Ends[1].Interface != "lpb" || x.InEffect["mtu"] != "1500" {
		t.Fatalf("%s -> %s %+v %+v %v", x.From, x.To, x.Ends, x.Acceptance, x.InEffect)
	}
	for _, w := range x.Acceptance.Ways {
		if w.Bits == nil || *w.Bits == 0 {
			t.Errorf("%s -> %s: nothing was on the wire: %v", w.From, w.To, w.Bits)
		}
	}
	for args, part := range map[string]string{"lpa": "takes the two ports", "lpa,lpa": "it is one port",
		"lpa,none": "none: Link not found\nnote: there are", "lpa,lo": "not an Ethernet port of a NIC (loopback)",
		"lpa,lpb --to local": "names both ends already", "lpa,lpb --allow-in-use eth9": "not a port of --loop",
		"lpa,lpb --direction out": "direction"} {
		a := l.linerate(t, append([]string{"measure", "acceptance", "--loop"}, strings.Fields(args)...)...)
		if a.code != cli.ExitInput || !strings.Contains(a.err, part) {
			t.Errorf("--loop %s: want %q: %s", args, part, a)
		}
	}
	l.back(t, before)
}

// started starts a long loop, and waits until it measures.
func (l *looped) started(t *testing.T) (*exec.Cmd, *output) {
	t.Helper()
	cmd, errs := l.command(t, "measure", "acceptance", "--loop", "lpa,lpb", "--allow-in-use", "lpa", "--time", "2m"),
		&output{}
	cmd.Stderr = errs
	testenv.Check(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	errs.wait(t, "1 repeat")
	if out, err := exec.Command("ip", "-n", l.ns, "link", "show", "dev", "lpa").CombinedOutput(); err == nil {
		t.Fatalf("the port was not moved: %s", out)
	}
	return cmd, errs
}

// However the program ends, the ports are restored: Ctrl-C, the end of the terminal, kill -9.
func TestLoopCutOff(t *testing.T) {
	t.Parallel()
	testenv.Need(t, testenv.Live)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			l := newLooped(t)
			before := l.state(t)
			cmd, errs := l.started(t)
			cmd.Process.Signal(signal)
			cmd.Wait()
			l.back(t, before)
			if signal == syscall.SIGINT && cmd.ProcessState.ExitCode() != cli.ExitInterrupted {
				t.Errorf("exit code %d", cmd.ProcessState.ExitCode())
			}
			if !strings.Contains(errs.String(), "lpa and lpb are back, as they were") {
				t.Errorf("nobody says that they are back:\n%s", errs)
			}
		})
	}
}

// Without the process that holds the namespaces a virtual port is gone. That is reported, and no result counts.
func TestLoopOwnerKilled(t *testing.T) {
	t.Parallel()
	l := newLooped(t)
	cmd, errs := l.started(t)
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
	if err != nil {
		missing(t, "the list of a process's children: "+err.Error())
	}
	owner := 0
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", cmd.Process.Pid))
	for _, task := range tasks { // a child belongs to the thread that started it
		more, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", cmd.Process.Pid, task.Name()))
		children = append(append(children, ' '), more...)
	}
	for _, word := range strings.Fields(string(children)) {
		line, _ := os.ReadFile("/proc/" + word + "/cmdline")
		if strings.Contains(string(line), loopback.OwnerCommand) {
			owner, _ = strconv.Atoi(word)
		}
	}
	if owner == 0 {
		t.Fatalf("no owner among %s", children)
	}
	syscall.Kill(owner, syscall.SIGKILL)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitFailed {
		t.Errorf("exit code %d:\n%s", code, errs)
	}
	testenv.Contains(t, errs, errs.String(), "was ended in the middle", "not put back: lpa: it is gone: it was not a NIC",
		"not put back: lpb")
}

// Two ports that are not cabled to each other are reported, and restored.
func TestLoopNotCabled(t *testing.T) {
	t.Parallel()
	l := newLooped(t)
	l.ip(t, "link", "delete", "lpa")
	for _, port := range []string{"lpa", "lpb"} {
		l.ip(t, "link", "add", port, "type", "veth", "peer", "name", port+"far")
		l.ip(t, "link", "set", port+"far", "up")
	}
	before := l.state(t)
	a := l.linerate(t, "measure", "acceptance", "--loop", "lpa,lpb", "--time", "300ms")
	if a.code != cli.ExitIncomplete || !strings.Contains(a.err,
		"nothing gets from one to the other in 5s: is each of them cabled to something else, such as a switch?") {
		t.Errorf("%s", a)
	}
	l.back(t, before)
}
