package linux_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/config/device"
	"linerate/internal/testenv"
	"linerate/plan"
)

// world is an empty network namespace with a second one for the other ends of its links, and a folder with the scripts.
type world struct {
	pid, far int
	dir      string
	shell    string
	env      []string
}

// needs skips a test that is not asked for, and where this machine has no namespaces or a program of the scripts is
// missing.
func needs(t testing.TB) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	for _, p := range []string{"ip", "tc", "ethtool", "sysctl", "awk", "unshare", "nsenter", "busybox"} {
		if _, err := exec.LookPath(p); err != nil {
			testenv.Missing(t, p)
		}
	}
}

// newWorld makes the namespaces; they end with the test.
func newWorld(t testing.TB) *world {
	t.Helper()
	needs(t)
	w := &world{dir: t.TempDir(), shell: "sh"}
	w.env = append(os.Environ(), "LINERATE_STATE="+filepath.Join(w.dir, "state"), "LINERATE_HOSTS="+filepath.Join(w.dir, "hosts"))
	w.write(t, "hosts", "127.0.0.1 localhost\n# no line's end behind this")
	for _, pid := range []*int{&w.far, &w.pid} {
		args := []string{"-n", "-m", "sh", "-c", "mount -t sysfs sysfs /sys; echo ready; exec sleep 3600"}
		cmd := exec.Command("unshare", args...)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			testenv.Missing(t, "namespaces: "+err.Error())
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		ready := make([]byte, 5)
		if n, _ := out.Read(ready); n == 0 {
			testenv.Missing(t, "namespaces: unshare -n -m was refused")
		}
		*pid = cmd.Process.Pid
	}
	w.must(t, "ip link set dev lo up")
	return w
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
	args := []string{"-t", strconv.Itoa(w.pid), "-n", "-m", "--wd=" + w.dir}
	cmd := exec.Command("nsenter", append(args, append(strings.Fields(w.shell), "-c", script)...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &out, append(slices.Clone(w.env), env...)
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
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
	for i, p := range h.Ports {
		if made[p.Interface] {
			continue
		}
		w.must(t, fmt.Sprintf("ip link add name %s mtu 1500 type veth peer name far%d mtu 65535 netns %d && nsenter -t %d -n ip link set dev far%d up", p.Interface, i, w.far, w.far, i))
		if p.Link != "" {
			// What never was up has no queueing discipline yet, and cards of machines were.
			w.must(t, fmt.Sprintf("ip link set dev %s up && ip link set dev %s down", p.Interface, p.Interface))
		}
	}
}

// all is everything about the network of the namespace that a script could change, as text.
func (w *world) all(t testing.TB) string {
	t.Helper()
	return w.must(t, `exec 2>/dev/null
ip -d address | grep -v 'fe80:\|valid_lft\|link/ether\|link/none' ; { ip route show table all; ip -6 route show table all; } | grep -v fe80: ; tc qdisc show
sysctl -a 2>/dev/null | grep '^net\.' | grep -v 'net.netfilter\|\.stable_secret\|random'; for n in /sys/class/net/*; do echo $n; ethtool -k ${n##*/}; done; cat "$LINERATE_HOSTS"`)
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
	decode(t, sh("ip -j address"), &links)
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
	decode(t, sh("ip -j route show table all"), &routes)
	for _, r := range routes {
		if r.Dev != "lo" && !strings.HasPrefix(r.Dst, "fe80:") {
			say("route %s %s dev %s via %s scope %s source %s table %s", r.Type, r.Dst, r.Dev, r.Gateway, r.Scope, r.Source, r.Table)
		}
	}
	var qdiscs []struct{ Kind, Dev, Parent string }
	decode(t, sh("tc -j qdisc show"), &qdiscs)
	for _, q := range qdiscs {
		if q.Dev != "lo" && !unplugged(q.Dev) {
			say("qdisc %s %s %s", q.Dev, q.Kind, q.Parent)
		}
	}
	for _, s := range h.Settings {
		switch s.Kind {
		case plan.SetSysctl:
			say("sysctl %s %s", s.Key, strings.Join(strings.Fields(sh("sysctl -n "+s.Key)), " "))
		case plan.SetOffload:
			say("offloads %s %s", s.Interface, sh("ethtool -k "+s.Interface+" | grep -v fixed"))
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
