package linux_test

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

	"linerate/internal/config/device"
	"linerate/internal/design/plan"
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

// needs skips a test that is not asked for, and where this machine has no namespaces or a program of the scripts is
// missing.
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

// newWorld makes the namespaces; they end with the test.
func newWorld(t testing.TB) *world {
	t.Helper()
	needs(t)
	w := &world{dir: t.TempDir()}
	w.env = append(os.Environ(), "LINERATE_STATE="+filepath.Join(w.dir, "state"), "LINERATE_HOSTS="+filepath.Join(w.dir, "hosts"))
	w.write(t, "hosts", "127.0.0.1 localhost\n# no line's end behind this")
	w.far, _, _ = namespaces(t, "echo ready; read -r end")
	_, w.netns, w.mntns = namespaces(t, "mount -t sysfs sysfs /sys; ip link set dev lo up && echo ready; read -r end")
	return w
}

// namespaces makes a network and a mount namespace, in which a script says a line when it is ready and waits for its
// standard input to end, as it does with this program.
func namespaces(t testing.TB, script string) (pid int, netns, mntns *os.File) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS} // Go makes the mounts private
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
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
		f, err := os.Open(fmt.Sprintf("/proc/%d/ns/%s", cmd.Process.Pid, of.name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		*of.file = f
	}
	return cmd.Process.Pid, netns, mntns
}

// inside does something on a thread in the namespaces, which ends with it. nsenter would be one more program for each
// of hundreds of scripts.
func (w *world) inside(do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: nothing else may run on this thread
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
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// program writes a file that can be run.
func (w *world) program(t testing.TB, name, text string) {
	t.Helper()
	w.write(t, name, text)
	if err := os.Chmod(filepath.Join(w.dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
}

// put writes the device's files.
func (w *world) put(t testing.TB, d device.Device) {
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
		args = []string{"sh", "-c", script} // else a program with its words, which needs no shell before it
	}
	cmd := exec.Command(args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = &out, &out, append(slices.Clone(w.env), env...), w.dir
	if err := w.inside(cmd.Start); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

func (w *world) must(t testing.TB, script string) string {
	t.Helper()
	out, code := w.run(t, script)
	if code != 0 {
		t.Fatalf("%s: exit %d: %s", script, code, out)
	}
	return out
}

// cards makes the interfaces that the host's cards would be, under the plan's names, with their other ends elsewhere.
func (w *world) cards(t testing.TB, h *plan.Host) {
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
		add = append(add, fmt.Sprintf("link add name %s mtu 1500 type veth peer name far%d mtu 65535 netns %d", p.Interface, i, w.far))
		far = append(far, fmt.Sprintf("link set dev far%d up", i))
		if p.Link != "" {
			// What never was up has no queueing discipline yet, and cards of machines were.
			near = append(near, "link set dev "+p.Interface+" up", "link set dev "+p.Interface+" down")
		}
	}
	w.must(t, "set -e\n"+ip("ip", add)+ip(fmt.Sprintf("nsenter -t %d -n ip", w.far), far)+ip("ip", near))
}

// ip is a script in which one ip does several of its commands.
func ip(program string, commands []string) string {
	return program + " -batch - <<'end'\n" + strings.Join(commands, "\n") + "\nend\n"
}

// changing is what of ip's answers changes by itself, or is another one in each namespace.
var changing = regexp.MustCompile(`fe80:|valid_lft|link/ether|link/none`)

// all is everything about the network of the namespace that a script could change, as text.
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
		// What sysctl -a says of net., at a fifth of its time: it also looks at all the rest, and writes each line by
		// itself.
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
				return nil // some can only be written
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

// snapshot is what the plan's settings are about, in a form in which two namespaces with the same settings are equal.
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
	// All in one script: the lab and the namespace are entered once.
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
			say("route %s %s dev %s via %s scope %s source %s table %s", r.Type, r.Dst, r.Dev, r.Gateway, r.Scope, r.Source, r.Table)
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

// hasBonds says whether this kernel has bonds and VLANs.
func (w *world) hasBonds(t testing.TB) bool {
	t.Helper()
	_, bonds := w.run(t, "ip link add name tryb type bond && ip link del dev tryb")
	_, vlans := w.run(t, "ip link add name tryv type veth peer name trypeer && ip link add link tryv name tryv.2 type vlan id 2; c=$?; ip link del dev tryv; exit $c")
	return bonds == 0 && vlans == 0
}
