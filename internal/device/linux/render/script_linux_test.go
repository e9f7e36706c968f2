package render_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/testenv"
)

// TestScriptDoesWhatTheLabDoes: the lab and the script configure each host equally with the same settings.
func TestScriptDoesWhatTheLabDoes(t *testing.T) {
	needs(t)
	t.Parallel()
	for _, name := range designs {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			p := load(t, name)
			for _, l := range p.Links {
				l.Speed = 0 // a lab shapes a link of known speed with another discipline
			}
			for _, h := range p.Hosts {
				for _, port := range h.Ports {
					port.Speed = 0
				}
			}
			hosts := slices.DeleteFunc(slices.Clone(p.Hosts), func(h *plan.Host) bool { return !ours(h) })
			if name == "designs/leaf-spine-16" {
				hosts = hosts[:2] // the others are the same
			}
			want := map[string][]string{}
			labUp(t, p, func(id string) {
				for _, h := range hosts {
					want[h.Name] = snapshot(t, func(script string) string { return labRun(t, id, h.Name, script) }, h)
				}
			})
			for _, h := range hosts {
				applied(t, p, h, want[h.Name])
			}
		})
	}
}

// applied runs a host's scripts in a separate namespace and compares the result with the snapshot.
func applied(t *testing.T, p *plan.Plan, h *plan.Host, want []string) {
	t.Helper()
	w := worldOf(t, p, h)
	for _, key := range []string{"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"} { // below every plan, whatever this kernel has
		w.must(t, "sysctl -q -w "+key+"='4096 16384 1048576'")
	}
	before := w.all(t)
	out, code := w.run(t, "sh apply.sh")
	if code != 0 && code != 3 || code == 3 && !strings.Contains(out, "not set: ") {
		t.Fatalf("%s: apply: exit %d: %s", h.Name, code, out)
	}
	if got := snapshot(t, func(script string) string { return w.must(t, script) }, h); !slices.Equal(got, want) {
		t.Errorf("%s: the lab and the script differ:\n%s", h.Name, difference(want, got))
	}
	after := w.all(t)
	if out, code := w.run(t, "sh verify.sh"); code == 1 || strings.Contains(out, "not as planned") ||
		!strings.Contains(out, "ok ") {
		t.Errorf("%s: verify: exit %d: %s", h.Name, code, out)
	}
	if out, _ := w.run(t, "sh apply.sh"); w.all(t) != after {
		t.Errorf("%s: applied twice it is not the same: %s\n%s", h.Name, out,
			difference(strings.Split(after, "\n"), strings.Split(w.all(t), "\n")))
	}
	w.exits(t, 0, "sh undo.sh")
	w.unchanged(t, before)
	if _, err := os.Stat(w.dir + "/state"); err == nil {
		t.Errorf("%s: undo leaves its state", h.Name)
	}
	w.exits(t, 0, "sh undo.sh", "nothing to undo")
}

// difference returns the lines that only one of the two has.
func difference(a, b []string) string {
	var out []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, "- "+x)
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			out = append(out, "+ "+x)
		}
	}
	return strings.Join(out, "\n")
}

// labUp brings the plan's lab up while look runs.
func labUp(t *testing.T, p *plan.Plan, look func(id string)) {
	t.Helper()
	needs(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	l := testenv.Must(lab.Up(ctx, p, lab.Options{Scale: 1, NoGuests: true}))(t)
	defer func() {
		if err := l.Down(); err != nil {
			t.Error(err)
		}
	}()
	look(l.Info.ID)
}

func labRun(t *testing.T, id, host, script string) string {
	t.Helper()
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code, err := lab.Exec(ctx, id+"/"+host,
		connect.Command{Argv: []string{"sh", "-c", script}, Stdout: &out, Stderr: os.Stderr})
	if err != nil || code != 0 {
		t.Fatalf("%s: %s: exit %d, %v: %s", host, script, code, err, out.String())
	}
	return out.String()
}
