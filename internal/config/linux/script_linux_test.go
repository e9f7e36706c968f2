package linux_test

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
)

// The lab and the script get the same list of settings: what comes of it is the same, host by host.
func TestScriptDoesWhatTheLabDoes(t *testing.T) {
	needs(t)
	t.Parallel()
	for _, name := range designs {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			p := load(t, name)
			for _, l := range p.Links {
				l.Speed = 0 // a lab shapes a link of known speed with a discipline of its own
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

// applied runs a host's scripts in a namespace of its own and holds them against the snapshot, if there is one.
func applied(t *testing.T, p *plan.Plan, h *plan.Host, want []string) {
	t.Helper()
	w := newWorld(t)
	w.cards(t, h)
	w.put(t, render(t, p, h))
	before := w.all(t)
	out, code := w.run(t, "sh apply.sh")
	if code != 0 && code != 3 || code == 3 && !strings.Contains(out, "not set: ") {
		t.Fatalf("%s: apply: exit %d: %s", h.Name, code, out)
	}
	if got := snapshot(t, func(script string) string { return w.must(t, script) }, h); !slices.Equal(got, want) {
		t.Errorf("%s: the lab and the script differ:\n%s", h.Name, difference(want, got))
	}
	after := w.all(t)
	if out, code := w.run(t, "sh verify.sh"); code == 1 || strings.Contains(out, "not as planned") || !strings.Contains(out, "ok ") {
		t.Errorf("%s: verify: exit %d: %s", h.Name, code, out)
	}
	if out, _ := w.run(t, "sh apply.sh"); w.all(t) != after {
		t.Errorf("%s: applied twice it is not the same: %s\n%s", h.Name, out, difference(strings.Split(after, "\n"), strings.Split(w.all(t), "\n")))
	}
	if out, code := w.run(t, "sh undo.sh"); code != 0 {
		t.Errorf("%s: undo: exit %d: %s", h.Name, code, out)
	}
	if got := w.all(t); got != before {
		t.Errorf("%s: after undo:\n%s", h.Name, difference(strings.Split(before, "\n"), strings.Split(got, "\n")))
	}
	if _, err := os.Stat(w.dir + "/state"); err == nil {
		t.Errorf("%s: undo leaves its state", h.Name)
	}
	if out, code := w.run(t, "sh undo.sh"); code != 0 || !strings.Contains(out, "nothing to take back") {
		t.Errorf("%s: undo twice: exit %d: %s", h.Name, code, out)
	}
}

// difference are the lines that only one of the two has.
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

// labUp brings the plan's lab up for as long as look needs it.
func labUp(t *testing.T, p *plan.Plan, look func(id string)) {
	t.Helper()
	needs(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	l, err := lab.Up(ctx, p, lab.Options{Scale: 1, NoGuests: true})
	if err != nil {
		t.Fatal(err)
	}
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
	code, err := lab.Exec(ctx, id+"/"+host, connect.Command{Argv: []string{"sh", "-c", script}, Stdout: &out, Stderr: os.Stderr})
	if err != nil || code != 0 {
		t.Fatalf("%s: %s: exit %d, %v: %s", host, script, code, err, out.String())
	}
	return out.String()
}
