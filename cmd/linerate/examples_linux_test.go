package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// Every example in the lab: experiments that this version cannot measure are listed with the reason, and all others are
// measured. The experiments of eval-25g have 72, 36 and 216 combinations; one of each is enough.
func TestExamplesInTheLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	catalog := testenv.Must(catalog.Load())(t)
	short := map[string][]string{"eval-25g": {
		"streams: [1, 4, 8]\n    size: 512B..1MiB\n    direction: [out, both]",
		"streams: 4\n    size: 128KiB\n    direction: both",
		"size: 2KiB..1MiB, direction: both, streams: 8", "size: 128KiB, direction: both, streams: 4",
		"size: 2KiB..1MiB, direction: out, streams: 8", "size: 128KiB, direction: both, streams: 4",
		"size: 512B..1MiB\n    read: [100%, 50%, 0%]", "size: 64KiB\n    read: 100%",
		"access: [random, sequential]\n    size: 4KiB..1MiB\n    threads: [1, 2]\n    depth: [1, 8]\n    read: [100%, " +
			"50%, 0%]", "size: 64KiB\n    read: 0%",
	}}
	for _, name := range examples {
		if name == "mesh-10g" {
			continue // TestMeshInTheLab
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			file := copyFile(t, example(name), p.path(name+".yaml"), short[name]...)
			if name == "roce-100g" { // two rows of its storage tables are enough
				cutOut(t, file, "  win-local:", "  remote-cdm:")
				cutOut(t, file, "  seq-read:", "  remote-cdm: {")
			}
			if name == "eval-25g" {
				cutOut(t, file, "  # iSCSI, the adapter's initiator", "variants:")
				cutOut(t, file, "    goals:\n      topline: null", "")
			}
			f, problems := fabric.Load(file, fabric.Options{Catalog: catalog})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			var want []string
			for _, e := range f.Experiments {
				want = append(want, e.Name)
			}
			a := p.linerate(t, "run", file, "--lab", "--scale", "0.002", "--repeats", "1", "--guests=none", "--budget", "8s",
				"-o", p.path("run"), "--json")
			r := a.run(t)
			incomplete := slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool {
				return e.NotRun != "" || e.Failed != "" || e.Acceptance != nil && e.Acceptance.Passed == nil
			}) || slices.ContainsFunc(r.Goals, func(g record.Goal) bool { return g.Met == nil && !g.NotHere })
			if incomplete != (a.code == cli.ExitIncomplete) || a.code != cli.ExitDone && a.code != cli.ExitMissed &&
				a.code != cli.ExitIncomplete {
				t.Fatalf("incomplete: %v: %s", incomplete, a)
			}
			var have []string
			for _, e := range r.Experiments {
				have = append(have, e.Name)
				known := e.Method == "throughput" || e.Method == "latency"
				switch {
				case e.Method == "rdma" || e.Method == "halo": // over RDMA: TestGuest covers it
					if !strings.Contains(e.NotRun, "--guests=needed") || len(e.Repeats) > 0 {
						t.Errorf("%s: not run %q, want what a lab with guests would do", e.Name, e.NotRun)
					}
				// A volume over several hosts needs programs that the tests do not install, and some of them need root.
				case e.Method == "storage":
					absent := strings.Contains(e.NotRun, "is not installed: apt-get install") || os.Geteuid() != 0 &&
						strings.Contains(e.NotRun, "only root of the whole machine may set")
					if e.NotRun == "" && (e.Block == nil || e.Bytes == nil || e.Bytes.Median <= 0) || e.NotRun != "" && !absent {
						t.Errorf("%s %v: not run %q, failed %q, %+v", e.Name, e.Settings, e.NotRun, e.Failed, e.Block)
					}
				case e.Method == "acceptance": // it runs; but a lab has no physical link to test
				case e.Method == "command":
					if !strings.Contains(e.NotRun, "allow it with --allow-commands") || len(e.Repeats) > 0 {
						t.Errorf("%s: not run %q, want that it is to be allowed", e.Name, e.NotRun)
					}
				case e.Method == "copy" && e.NotRun == "":
					if e.Copy == nil || e.Bytes == nil || e.Bytes.Median <= 0 || !e.Copy.Legs[0].Verified {
						t.Errorf("%s %v: failed %q, %+v", e.Name, e.Settings, e.Failed, e.Copy)
					}
				case e.Method == "copy" && !strings.Contains(e.NotRun, "asks for MTU"):
					t.Errorf("%s %v was not run: %s", e.Name, e.Settings, e.NotRun)
				case e.Method == "copy":
				case !known:
					if !strings.Contains(e.NotRun, "not part of this version") || len(e.Repeats) > 0 {
						t.Errorf("%s (%s): not run %q, want the reason", e.Name, e.Method, e.NotRun)
					}
				case e.Settings["mtu"] == "1500" && e.NotRun != "":
					// The plan has 9000, and this version changes no MTU during a run.
					if !strings.Contains(e.NotRun, "MTU 1500") || strings.Contains(e.NotRun, "--lab") {
						t.Errorf("%s %v: not run %q", e.Name, e.Settings, e.NotRun)
					}
				case e.NotRun != "":
					t.Errorf("%s %s -> %s %v was not run: %s", e.Name, e.From, e.To, e.Settings, e.NotRun)
				case e.Failed != "":
					t.Errorf("%s %s -> %s %v failed: %s", e.Name, e.From, e.To, e.Settings, e.Failed)
				case e.Method == "throughput" && (e.Verdict == nil || e.Ceiling == nil || e.Goodput == nil ||
					e.Goodput.Median <= 0):
					t.Errorf("%s %s -> %s %v: verdict %+v, ceiling %+v, goodput %+v", e.Name, e.From, e.To, e.Settings, e.Verdict,
						e.Ceiling, e.Goodput)
				case e.Method == "latency" && (e.Latency == nil || e.Latency.P50 <= 0):
					t.Errorf("%s %s -> %s: latency %+v", e.Name, e.From, e.To, e.Latency)
				}
			}
			// A list of hosts becomes one experiment each, with the same name.
			if have, want := slices.Compact(have), slices.Compact(slices.Clone(want)); !slices.Equal(have, want) {
				t.Errorf("experiments %v, the file has %v", have, want)
			}
			p.nothingLeft(t, 0)
		})
	}
}

// cutOut removes the text between two marks, or, if to is empty, up to the end.
func cutOut(t *testing.T, file, from, to string) {
	t.Helper()
	text := testenv.Must(os.ReadFile(file))(t)
	before, rest, found := strings.Cut(string(text), from)
	_, after, ends := strings.Cut(rest, to)
	if to == "" {
		after = "" // to the end
	}
	if !found || !ends {
		t.Fatalf("%s: no text from %q to %q", file, from, to)
	}
	testenv.WriteFile(t, file, []byte(before+to+after), 0o644)
}
