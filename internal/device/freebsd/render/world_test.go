package render_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/device/config"
	"linerate/internal/testenv"
)

// programs are the commands of a simulated system for the scripts. They store settings in files, accept only the forms
// of FreeBSD's manual pages, and print like ifconfig in the nas-40g document. FreeBSD itself may print something else.
var programs = map[string]string{
	"id":      "#!/bin/sh\necho 0\n",
	"kldload": "#!/bin/sh\n[ \"$1\" = -n ] && [ $# = 2 ] || exit 64\ntouch \"$WORLD/module.$2\"\n",
	"sysctl": `#!/bin/sh
if [ "$1" = -n ]; then [ $# = 2 ] && [ -e "$WORLD/sysctl.$2" ] || { echo "sysctl: unknown oid '$2'" >&2; exit 1; }; cat "$WORLD/sysctl.$2"; exit; fi
key=${1%%=*} value=${1#*=}
[ $# = 1 ] && [ "$key" != "$1" ] && [ -e "$WORLD/sysctl.$key" ] || { echo "sysctl: unknown oid '$1'" >&2; exit 1; }
echo "$value" | tr , ' ' >"$WORLD/sysctl.$key"
`,
	"ifconfig": `#!/bin/sh
at=$WORLD/if.$1
case "$2" in
create) [ ! -e "$at" ] && mkdir "$at" && echo 1500 >"$at/mtu" && : >"$at/inet" && echo full-duplex >"$at/media"; exit ;;
esac
[ -d "$at" ] || { echo "ifconfig: interface $1 does not exist" >&2; exit 1; }
name=$1
shift
case "$*" in
"" | inet)
	echo "$name: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu $(cat "$at/mtu")"
	sed 's/.*/	inet & netmask 0xffffff00 broadcast 10.255.255.255/' "$at/inet"
	[ "$1" = inet ] || { [ ! -e "$at/lagg" ] || echo "	$(cat "$at/lagg")"; echo "	media: Ethernet autoselect (100GBase-CR4 <$(cat "$at/media")>)"; echo "	status: active"; }
	;;
up) ;;
"mtu "[0-9]*) echo "$2" >"$at/mtu" ;;
"inet "*"/24 alias") echo "${2%/24}" >>"$at/inet" ;;
"inet "*" -alias") grep -qxF "$2" "$at/inet" || exit 1; grep -vxF "$2" "$at/inet" >"$at/new"; mv "$at/new" "$at/inet" ;;
"media autoselect mediaopt full-duplex") echo full-duplex >"$at/media" ;;
"laggproto "*) echo "$*" >"$at/lagg" ;;
destroy) rm -r "$at" ;;
*) echo "ifconfig: $*: not known" >&2; exit 1 ;;
esac
`,
}

// world is a simulated system with interfaces, values and a device's files.
type world struct {
	t              *testing.T
	dir, bin, root string
	files          string
}

// programsHere skips a test if a program of the scripts, or a file system with Unix paths, is missing.
func programsHere(t *testing.T, names ...string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts use Unix paths")
	}
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			testenv.Missing(t, name)
		}
	}
}

func newWorld(t *testing.T, d *config.Device, interfaces []string, sysctls map[string]string) *world {
	programsHere(t, "sh", "awk", "sed")
	testenv.PlainTemp(t)
	w := &world{t: t, dir: t.TempDir(), bin: t.TempDir(), root: t.TempDir(), files: t.TempDir()}
	put := func(path, text string) { testenv.WriteFile(t, path, text, 0o755) }
	for name, text := range programs {
		put(filepath.Join(w.bin, name), text)
	}
	for _, name := range interfaces {
		put(filepath.Join(w.dir, "if."+name, "mtu"), "1500\n")
		put(filepath.Join(w.dir, "if."+name, "inet"), "192.168.7.7\n")
		put(filepath.Join(w.dir, "if."+name, "media"), "full-duplex,rxpause,txpause\n")
	}
	for key, value := range sysctls {
		put(filepath.Join(w.dir, "sysctl."+key), value+"\n")
	}
	for _, name := range []string{"boot/loader.conf", "etc/rc.conf", "etc/sysctl.conf", "etc/hosts"} {
		put(filepath.Join(w.root, name), "# "+name+"\n")
	}
	for i := range d.Files {
		// The system's files are below the test's root.
		text := strings.NewReplacer("root=${LINERATE_ROOT:-}", "root=", `"$root/`, `"`+w.root+"/", "state=$root/",
			"state="+w.root+"/", " /etc/", " "+w.root+"/etc/", " /boot/", " "+w.root+"/boot/").Replace(d.Files[i].Text())
		put(filepath.Join(w.files, d.Files[i].Name), text)
	}
	return w
}

func (w *world) run(script string) (code int, out string) {
	w.t.Helper()
	cmd := exec.Command("sh", filepath.Join(w.files, script))
	cmd.Env = []string{"PATH=" + w.bin + ":" + os.Getenv("PATH"), "WORLD=" + w.dir, "LC_ALL=C"}
	b, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(b)
}

// snapshot is the state of the system, without modules and media options.
func (w *world) snapshot() map[string]string {
	out := map[string]string{}
	for _, dir := range []string{w.dir, w.root} {
		err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if err != nil || info.IsDir() || strings.HasPrefix(info.Name(), "module.") || info.Name() == "media" {
				return err
			}
			text, err := os.ReadFile(path)
			out[path] = string(text)
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	return out
}

func (w *world) want(script string, code int, say string) {
	w.t.Helper()
	got, out := w.run(script)
	if got != code || !strings.Contains(out, say) {
		w.t.Errorf("%s ends with %d, want %d and %q:\n%s", script, got, code, say, out)
	}
}

// TestApplyVerifyUndo: apply configures the system as planned; verify confirms it, and finds changed and unreadable
// values; undo restores the system.
func TestApplyVerifyUndo(t *testing.T) {
	sysctls := map[string]string{"dev.mce.0.conf.qos.trust_state": "1",
		"dev.mce.0.conf.qos.dscp_24_31_prio": "3 3 3 3 3 3 3 3", "dev.mce.0.conf.qos.prio_0_7_tc": "0 1 2 3 4 5 6 7"}
	for prio := range 8 {
		for _, way := range []string{"rx", "tx"} {
			sysctls["dev.mce.0."+way+"_priority_flow_control_"+string(rune('0'+prio))] = "0"
		}
	}
	classes := "classes: {roce: {priority: 3, dscp: 26, lossless: true}}\n"
	vlan := strings.Replace(with("PORTS", "ports: [mce0, mce1]")+"subnets: {s: {vlan: 711}}\n", "b.n.1]}",
		"b.n.1], subnet: s}", 1)
	bond := strings.Replace(with("PORTS", "ports: [mce0, mce1]"), "links: [{ends: [a.n.1, b.n.1]}]",
		"links:\n  - {ends: [a.n.1, b.n.1]}\n  - {ends: [a.n.2, b.n.2]}", 1)
	bond = strings.Replace(bond, "}}}\n  b", "}}, bonds: {t: {of: [n.1, n.2], mode: lacp, subnet: 10.9.0.0/24}}}\n  b", 1)
	for name, text := range map[string]string{"plain": with("PORTS", "ports: [mce0, mce1]"),
		"classes": with("PORTS", "ports: [mce0, mce1]") + classes, "vlan": vlan, "bond": bond} {
		t.Run(name, func(t *testing.T) {
			d := rendered(t, text)
			w := newWorld(t, d, []string{"mce0", "mce1"}, sysctls)
			before := w.snapshot()
			w.want("verify.sh", 1, "not as planned")
			for range 2 {
				w.want("apply.sh", 0, "done")
				w.want("verify.sh", 0, "as planned")
			}
			mtu := filepath.Join(w.dir, "if.mce0", "mtu")
			testenv.WriteFile(t, mtu, "1500\n", 0o644)
			w.want("verify.sh", 1, "MTU of mce0 is 1500, planned 9000")
			w.want("apply.sh", 0, "done")
			if name == "classes" {
				hidden := filepath.Join(w.dir, "sysctl.dev.mce.0.conf.qos.trust_state")
				testenv.Check(t, os.Rename(hidden, hidden+".hidden"))
				w.want("verify.sh", 3, "not known: dev.mce.0.conf.qos.trust_state could not be read")
				testenv.Check(t, os.Rename(hidden+".hidden", hidden))
			}
			w.want("undo.sh", 0, "undone")
			after := w.snapshot()
			for path, text := range before {
				if after[path] != text {
					t.Errorf("%s after undo: %q, was %q", path, after[path], text)
				}
				delete(after, path)
			}
			for path, text := range after {
				t.Errorf("%s is left, with %q", path, text)
			}
		})
	}
}

// TestApplyRefuses: apply stops before it changes anything if it cannot succeed.
func TestApplyRefuses(t *testing.T) {
	d := rendered(t, with("PORTS", "ports: [mce0, mce1]")+"classes: {roce: {priority: 3, dscp: 26, lossless: true}}\n")
	for name, x := range map[string]struct {
		interfaces []string
		sysctls    map[string]string
		say        string
	}{
		"no interface": {[]string{"mce1"}, nil, "nothing was changed: there is no interface mce0"},
		"no sysctl":    {[]string{"mce0"}, nil, "unknown oid"},
	} {
		w := newWorld(t, d, x.interfaces, x.sysctls)
		before := w.snapshot()
		if code, out := w.run("apply.sh"); code == 0 || !strings.Contains(out, x.say) {
			t.Errorf("%s: ends with %d: %s", name, code, out)
		}
		after := w.snapshot()
		for path, text := range before {
			if after[path] != text {
				t.Errorf("%s: %s was changed to %q", name, path, after[path])
			}
		}
	}
}
