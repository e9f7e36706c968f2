package render_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/host/connect/connecttest"
)

// installed renders a host for a network manager and installs its files below a folder. The namespace has the host's
// NICs.
func installed(t *testing.T, w *world, p *plan.Plan, h *plan.Host, manager string) (root string) {
	t.Helper()
	if h.Decl.Settings == nil {
		h.Decl.Settings = map[string]string{}
	}
	h.Decl.Settings["network"] = manager
	d := rendered(t, p, h)
	w.put(t, d)
	if manager == "netplan" {
		w.machine(t, "root", "unused netplan") // these would read other files
	} else {
		w.machine(t, "root", manager)
	}
	w.write(t, "root/etc/sysctl.d/90-linerate.conf", "# of somebody else\n")
	w.env = append(w.env, "LINERATE_ROOT="+w.dir+"/root", "LINERATE_STORE="+w.dir+"/store")
	before := w.must(t, "cd root && find . -not -type d | sort && cat etc/sysctl.d/*")
	for range 2 { // a second run changes nothing
		if out, code := w.run(t, "sh install.sh"); code != 0 || strings.Contains(out, "note:") {
			t.Fatalf("%s: install: exit %d: %s", h.Name, code, out)
		}
	}
	for i := range d.Files {
		f := &d.Files[i]
		if f.Path == "" {
			continue
		}
		text, err := os.ReadFile(w.dir + "/root" + f.Path)
		if err != nil {
			t.Errorf("%s: %v", h.Name, err)
		}
		if strings.Contains(string(text), "@if_") || strings.Contains(string(text), "@unit_") {
			t.Errorf("%s: %s has marks: %s", h.Name, f.Path, text)
		}
	}
	t.Cleanup(func() {
		w.must(t, "sh install.sh --undo")
		if after := w.must(t, "cd root && find . -not -type d | sort && cat etc/sysctl.d/*"); after != before {
			t.Errorf("%s: after install.sh --undo: %s, before: %s", h.Name, after, before)
		}
	})
	return w.dir + "/root"
}

// cases are the hosts that every format is tested with: one of each design, and one with every kind of setting.
func cases(t *testing.T, each func(t *testing.T, p *plan.Plan, h *plan.Host)) {
	for _, name := range append(slices.Clone(designs), "every kind") {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			var p *plan.Plan
			if name == "every kind" {
				p = withKinds(t)
			} else {
				p = load(t, name)
			}
			for _, h := range p.Hosts {
				if ours(h) {
					each(t, p, h)
					return
				}
			}
		})
	}
}

func TestNetplanTakesTheFile(t *testing.T) {
	needs(t)
	t.Parallel()
	dir := connecttest.Debs(t, "netplan.io", "libnetplan0")
	cases(t, func(t *testing.T, p *plan.Plan, h *plan.Host) {
		w := newWorld(t)
		w.nics(t, h)
		root := installed(t, w, p, h, "netplan")
		infiniband := strings.Contains(p.Name, "pairs-ib")
		out, code := w.run(t, "LD_LIBRARY_PATH="+dir+"/usr/lib/x86_64-linux-gnu "+dir+"/usr/libexec/netplan/generate "+
			"--root-dir "+root)
		if code != 0 || out != "" {
			t.Fatalf("netplan generate: exit %d: %s", code, out)
		}
		made := w.must(t, "cat root/run/systemd/network/* 2>/dev/null; rm -rf root/run")
		for _, s := range h.Settings {
			if s.Kind == plan.SetAddress && !infiniband && !strings.Contains(made, "Address="+s.Prefix.String()) ||
				s.Kind == plan.SetBond && !strings.Contains(made, "Kind=bond") {
				t.Errorf("%s: %s is not in what netplan made: %s", h.Name, s.Prefix, made)
			}
		}
	})
}

func TestNetworkManagerTakesTheFiles(t *testing.T) {
	needs(t)
	t.Parallel()
	dir := connecttest.Debs(t, "network-manager", "libnm0")
	cases(t, func(t *testing.T, p *plan.Plan, h *plan.Host) {
		w := newWorld(t)
		w.nics(t, h)
		root := installed(t, w, p, h, "networkmanager")
		files, _ := filepath.Glob(root + "/etc/NetworkManager/system-connections/*")
		if len(files) == 0 {
			t.Fatal("no connections")
		}
		all := ""
		for _, f := range files {
			if st, err := os.Stat(f); err != nil || st.Mode().Perm() != 0o600 {
				t.Errorf("%s: NetworkManager reads only what root alone can read: %v", f, st.Mode())
			}
			// It reads and checks the connection, and writes it in its own form.
			out, code := w.run(t, "LD_LIBRARY_PATH="+dir+"/usr/lib/x86_64-linux-gnu "+dir+"/usr/bin/nmcli --offline "+
				"connection modify connection.autoconnect-priority 1 <"+f)
			if code != 0 {
				t.Errorf("%s: nmcli: exit %d: %s", f, code, out)
			}
			text, _ := os.ReadFile(f)
			for _, l := range strings.Split(string(text), "\n") {
				if strings.Contains(l, "=") && !strings.HasPrefix(l, "#") && !strings.Contains(out, l) {
					t.Errorf("%s: nmcli does not keep %q: %s", f, l, out)
				}
			}
			all += out
		}
		for _, s := range h.Settings {
			if s.Kind == plan.SetAddress && !strings.Contains(all, "="+s.Prefix.String()) {
				t.Errorf("%s: %s is in no connection: %s", h.Name, s.Prefix, all)
			}
		}
	})
}

// TestIfupdownDoesTheSame: ifupdown configures the namespace with the same result as the script.
func TestIfupdownDoesTheSame(t *testing.T) {
	needs(t)
	t.Parallel()
	dir := connecttest.Debs(t, "ifupdown")
	cases(t, func(t *testing.T, p *plan.Plan, h *plan.Host) {
		h.OS = "linux"
		w := newWorld(t)
		if !w.hasBonds(t) {
			without(h, func(s plan.Setting) bool {
				return s.Kind == plan.SetBond || s.Kind == plan.SetVLAN || s.Interface == "team" ||
					strings.HasSuffix(s.Interface, ".711")
			})
		}
		w.nics(t, h)
		w.put(t, rendered(t, p, h))
		if out, code := w.run(t, "sh apply.sh"); code == 1 || code == 2 {
			t.Fatalf("apply: exit %d: %s", code, out)
		}
		network := func(w *world) (out []string) {
			// An IPv6 address gets its local route after duplicate address detection.
			w.must(t, "for i in $(seq 100); do ip -6 address | grep -q ' tentative' || break; sleep 0.1; done")
			for _, l := range snapshot(t, func(script string) string { return w.must(t, script) }, h) {
				if strings.HasPrefix(l, "link") || strings.HasPrefix(l, "address") || strings.HasPrefix(l, "route") &&
					!strings.Contains(l, "ff00::") {
					out = append(out, l)
				}
			}
			return out
		}
		want := network(w)
		other := newWorld(t)
		other.nics(t, h)
		root := installed(t, other, p, h, "ifupdown")
		ifup := dir + "/sbin/ifup --state-dir " + other.dir + " -i " + root + "/etc/network/interfaces.d/linerate -a"
		other.exits(t, 0, ifup+" --no-act")
		other.exits(t, 0, ifup)
		if got := network(other); !slices.Equal(got, want) {
			t.Errorf("%s: the script and ifupdown differ:\n%s", h.Name, difference(want, got))
		}
	})
}
