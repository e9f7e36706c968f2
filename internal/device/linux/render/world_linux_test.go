package render_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/safchain/ethtool"
	"golang.org/x/sys/unix"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/lab"
	"linerate/internal/testenv"
)

// world is an empty network namespace with a second one for the other ends of its links, and a folder with the scripts.
type world struct {
	far   int // the second namespace's process
	netns *os.File
	mntns *os.File
	dir   string
	env   []string
}

// needs skips a test that is not requested, or if this machine has no namespaces or no program of the scripts.
func needs(t testing.TB) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	for _, p := range []string{"ip", "tc", "ethtool", "sysctl", "awk", "nsenter", "busybox"} {
		if _, err := exec.LookPath(p); err != nil {
			testenv.Missing(t, p)
		}
	}
}

// newWorld creates the namespaces; they end with the test.
func newWorld(t testing.TB) *world {
	t.Helper()
	needs(t)
	w := &world{dir: t.TempDir()}
	w.env = append(os.Environ(), "LINERATE_STATE="+filepath.Join(w.dir, "state"),
		"LINERATE_HOSTS="+filepath.Join(w.dir, "hosts"))
	w.write(t, "hosts", "127.0.0.1 localhost\n# no line's end behind this")
	w.far, _, _ = namespaces(t, "echo ready; read -r end")
	_, w.netns, w.mntns = namespaces(t, "mount -t sysfs sysfs /sys; ip link set dev lo up && echo ready; read -r end")
	return w
}

// worldOf creates the namespaces with the interfaces of a host, and writes its rendered files.
func worldOf(t testing.TB, p *plan.Plan, h *plan.Host) *world {
	t.Helper()
	w := newWorld(t)
	w.nics(t, h)
	w.put(t, rendered(t, p, h))
	return w
}

// namespaces creates a network and a mount namespace, in which a script prints a line when it is ready and waits for
// the end of its standard input, which comes with the end of this program.
func namespaces(t testing.TB, script string) (pid int, netns, mntns *os.File) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	// Go makes the mounts private
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS}
	in := testenv.Must(cmd.StdinPipe())(t)
	out := testenv.Must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		testenv.Missing(t, "namespaces: "+err.Error())
	}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() })
	ready := make([]byte, 5)
	if n, _ := out.Read(ready); n == 0 {
		testenv.Missing(t, "namespaces: lo does not come up in a new one")
	}
	for _, of := range []struct {
		name string
		file **os.File
	}{{"net", &netns}, {"mnt", &mntns}} {
		f := testenv.Must(os.Open(fmt.Sprintf("/proc/%d/ns/%s", cmd.Process.Pid, of.name)))(t)
		t.Cleanup(func() { f.Close() })
		*of.file = f
	}
	return cmd.Process.Pid, netns, mntns
}

// inside runs do on a thread in the namespaces, which ends with it. nsenter would start one more program for each of
// hundreds of scripts.
func (w *world) inside(do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked, because nothing else may run on this thread
		err := unix.Unshare(unix.CLONE_FS)
		if err == nil {
			err = unix.Setns(int(w.netns.Fd()), unix.CLONE_NEWNET)
		}
		if err == nil {
			err = unix.Setns(int(w.mntns.Fd()), unix.CLONE_NEWNS)
		}
		if err == nil {
			err = do()
		}
		done <- err
	}()
	return <-done
}

func (w *world) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	testenv.WriteFile(t, path, text, 0o644)
}

// program writes a file that can be run.
func (w *world) program(t testing.TB, name, text string) {
	t.Helper()
	w.write(t, name, text)
	testenv.Check(t, os.Chmod(filepath.Join(w.dir, name), 0o755))
}

// put writes the device's files.
func (w *world) put(t testing.TB, d config.Device) {
	t.Helper()
	for i := range d.Files {
		w.write(t, d.Files[i].Name, d.Files[i].Text())
	}
}

// run runs a script in the namespace and returns both streams and the exit code.
func (w *world) run(t testing.TB, script string, env ...string) (string, int) {
	t.Helper()
	args := strings.Fields(script)
	if strings.ContainsAny(script, "|&;<>()$`\\\"'*?[#~=%{!\n") {
		args = []string{"sh", "-c", script} // else a program with arguments, which needs no shell
	}
	cmd := exec.Command(args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = &out, &out, append(slices.Clone(w.env), env...), w.dir
	testenv.Check(t, w.inside(cmd.Start))
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// exits checks a script's exit code and output.
func (w *world) exits(t testing.TB, want int, script string, prints ...string) {
	t.Helper()
	out, code := w.run(t, script)
	if code != want {
		t.Errorf("%s: exit %d, want %d: %s", script, code, want, out)
	}
	for _, text := range prints {
		if !strings.Contains(out, text) {
			t.Errorf("%s: no %q: %s", script, text, out)
		}
	}
}

func (w *world) must(t testing.TB, script string) string {
	t.Helper()
	out, code := w.run(t, script)
	if code != 0 {
		t.Fatalf("%s: exit %d: %s", script, code, out)
	}
	return out
}

// nics creates the interfaces of the host's NICs, under the plan's names, with their other ends in the second
// namespace.
func (w *world) nics(t testing.TB, h *plan.Host) {
	t.Helper()
	made := map[string]bool{}
	for _, s := range h.Settings {
		switch s.Kind {
		case plan.SetBond:
			made[s.Interface] = true
		case plan.SetVLAN:
			made[s.Key] = true
		}
	}
	var add, far, near []string
	for i, p := range h.Ports {
		if made[p.Interface] {
			continue
		}
		add = append(add, fmt.Sprintf("link add name %s mtu 1500 type veth peer name far%d mtu 65535 netns %d", p.Interface,
			i, w.far))
		far = append(far, fmt.Sprintf("link set dev far%d up", i))
		if p.Link != "" {
			// An interface that was never up has no queueing discipline. The NICs of real machines were up.
			near = append(near, "link set dev "+p.Interface+" up", "link set dev "+p.Interface+" down")
		}
	}
	w.must(t, "set -e\n"+ip("ip", add)+ip(fmt.Sprintf("nsenter -t %d -n ip", w.far), far)+ip("ip", near))
}

// ip returns a script in which one process of ip runs several commands.
func ip(program string, commands []string) string {
	return program + " -batch - <<'end'\n" + strings.Join(commands, "\n") + "\nend\n"
}

// changing matches lines of ip that change over time, or differ in each namespace.
var changing = regexp.MustCompile(`fe80:|valid_lft|link/ether|link/none`)

// all returns the whole network state of the namespace that a script could change, as text.
func (w *world) all(t testing.TB) string {
	t.Helper()
	out := w.must(t, `exec 2>/dev/null
ip -d address; ip route show table all; ip -6 route show table all; tc qdisc show; cat "$LINERATE_HOSTS"`)
	var b strings.Builder
	for l := range strings.Lines(out + "\n") {
		if !changing.MatchString(l) {
			b.WriteString(l)
		}
	}
	values := 0
	err := w.inside(func() error {
		e, err := ethtool.NewEthtool()
		if err != nil {
			return err
		}
		defer e.Close()
		links, err := net.Interfaces()
		if err != nil {
			return err
		}
		for _, l := range links {
			features, err := e.FeaturesWithState(l.Name)
			if err != nil {
				return err
			}
			fmt.Fprintln(&b, l.Name, features)
		}
		// The same as sysctl -a prints of net., in a fifth of the time.
		buf := make([]byte, 8192)
		return filepath.WalkDir("/proc/sys/net", func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path == "/proc/sys/net/netfilter":
				return fs.SkipDir
			case d.IsDir() || d.Name() == "stable_secret" || strings.Contains(path, "random"):
				return nil
			}
			fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return nil // some are write-only
			}
			defer unix.Close(fd)
			if n, err := unix.Read(fd, buf); err == nil {
				b.WriteString(path + " = " + string(buf[:n]))
				values++
			}
			return nil
		})
	})
	if err != nil || values < 100 {
		t.Fatalf("/proc/sys/net: %d values, %v", values, err)
	}
	return b.String()
}

// unchanged checks that the network of the namespace is as before.
func (w *world) unchanged(t testing.TB, before string) {
	t.Helper()
	if got := w.all(t); got != before {
		t.Errorf("after undo:\n%s", difference(strings.Split(before, "\n"), strings.Split(got, "\n")))
	}
}

// snapshot returns the state of the plan's settings, in a form that is equal for two namespaces with the same settings.
func snapshot(t testing.TB, sh func(script string) string, h *plan.Host) []string {
	t.Helper()
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	var links []struct {
		Name   string   `json:"ifname"`
		Flags  []string `json:"flags"`
		MTU    int      `json:"mtu"`
		Master string   `json:"master"`
		Addr   []struct {
			Local     string `json:"local"`
			Bits      int    `json:"prefixlen"`
			Scope     string `json:"scope"`
			Broadcast string `json:"broadcast"`
		} `json:"addr_info"`
	}
	commands := []string{"ip -j address", "ip -j route show table all", "tc -j qdisc show"}
	var keys, offloads []string
	for _, s := range h.Settings {
		switch s.Kind {
		case plan.SetSysctl:
			keys = append(keys, s.Key)
		case plan.SetOffload:
			if !slices.Contains(offloads, s.Interface) {
				offloads = append(offloads, s.Interface)
				commands = append(commands, "ethtool -k "+s.Interface+" | grep -v fixed")
			}
		}
	}
	if len(keys) > 0 {
		commands = append(commands, "sysctl -n "+strings.Join(keys, " "))
	}
	// One script, so that the lab and the namespace are entered once.
	answers := strings.Split(sh("set -e\n"+strings.Join(commands, "\necho; echo ==next==\n")), "\n==next==\n")
	if len(answers) != len(commands) {
		t.Fatalf("%d answers to %q: %q", len(answers), commands, answers)
	}
	decode(t, answers[0], &links)
	unplugged := func(name string) bool {
		return slices.ContainsFunc(h.Ports, func(p *plan.Port) bool { return p.Interface == name && p.Link == "" })
	}
	for _, l := range links {
		if l.Name == "lo" || unplugged(l.Name) {
			continue
		}
		say("link %s mtu %d up %v master %q", l.Name, l.MTU, slices.Contains(l.Flags, "UP"), l.Master)
		for _, a := range l.Addr {
			if !strings.HasPrefix(a.Local, "fe80:") {
				say("address %s %s/%d %s broadcast %s", l.Name, a.Local, a.Bits, a.Scope, a.Broadcast)
			}
		}
	}
	var routes []struct {
		Dst, Dev, Gateway, Scope, Table, Type string

		Source string `json:"prefsrc"`
	}
	decode(t, answers[1], &routes)
	for _, r := range routes {
		if r.Dev != "lo" && !strings.HasPrefix(r.Dst, "fe80:") {
			say("route %s %s dev %s via %s scope %s source %s table %s", r.Type, r.Dst, r.Dev, r.Gateway, r.Scope, r.Source,
				r.Table)
		}
	}
	var qdiscs []struct{ Kind, Dev, Parent string }
	decode(t, answers[2], &qdiscs)
	for _, q := range qdiscs {
		if q.Dev != "lo" && !unplugged(q.Dev) {
			say("qdisc %s %s %s", q.Dev, q.Kind, q.Parent)
		}
	}
	for i, name := range offloads {
		say("offloads %s %s", name, answers[3+i])
	}
	if len(keys) > 0 {
		values := strings.Split(strings.TrimSpace(answers[len(answers)-1]), "\n")
		if len(values) != len(keys) {
			t.Fatalf("%d values of %q: %q", len(values), keys, values)
		}
		for i, key := range keys {
			say("sysctl %s %s", key, strings.Join(strings.Fields(values[i]), " "))
		}
	}
	slices.Sort(out)
	return out
}

func decode(t testing.TB, text string, into any) {
	t.Helper()
	if strings.TrimSpace(text) == "" {
		return
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// hasBonds reports whether this kernel has bonds and VLANs.
func (w *world) hasBonds(t testing.TB) bool {
	t.Helper()
	_, bonds := w.run(t, "ip link add name tryb type bond && ip link del dev tryb")
	_, vlans := w.run(t, "ip link add name tryv type veth peer name trypeer && ip link add link tryv name tryv.2 type "+
		"vlan id 2; c=$?; ip link del dev tryv; exit $c")
	return bonds == 0 && vlans == 0
}

// TestMain hands the test binary over if it was started as a lab's init.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == lab.InitCommand {
		os.Exit(lab.InitMain())
	}
	dir, err := os.MkdirTemp("", "lr") // of all labs of these tests; t.TempDir's paths are too long for a socket
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("XDG_RUNTIME_DIR", dir)
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
