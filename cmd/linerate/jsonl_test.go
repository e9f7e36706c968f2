package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/report"
	"linerate/internal/testenv"
)

// events parses the lines of --jsonl; each must match the schema, with known keys.
func (a answer) events(t *testing.T) (out []report.Event) {
	t.Helper()
	if !strings.HasSuffix(a.out, "\n") {
		t.Fatalf("the last line is not whole: %s", a)
	}
	for line := range strings.Lines(a.out) {
		var e report.Event
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil || d.More() {
			t.Fatalf("%q: %v", line, err)
		}
		if e.Schema != "linerate/event/1" || e.Event == "" || e.Time.IsZero() || len(out) > 0 &&
			e.Time.Before(out[len(out)-1].Time) {
			t.Errorf("%q", line)
		}
		out = append(out, e)
	}
	last := out[len(out)-1]
	if last.Event != "finished" || last.Exit == nil || *last.Exit != a.code {
		t.Fatalf("the last line is %+v, and the exit code %d", last, a.code)
	}
	return out
}

func kinds(events []report.Event) string {
	var out []string
	for _, e := range events {
		out = append(out, e.Event)
	}
	return strings.Join(out, " ")
}

func TestEvents(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	folder := p.path("run")
	before := time.Now()
	a := p.linerate(t, "measure", "throughput", "--to", "local", "--to-address", "127.0.0.1", "--time", "300ms",
		"--streams",
		"1,2", "--direction", "out", "--repeats", "2", "--jsonl", "-o", folder)
	all := a.events(t)
	if want := "planned started repeat started repeat done started repeat started repeat done verdict verdict " +
		"finished"; a.code != cli.ExitDone || kinds(all) != want {
		t.Fatalf("%s; want %s: %s", kinds(all), want, a)
	}
	ids := map[string]bool{}
	for _, x := range all[0].Experiments {
		ids[x.ID] = x.Method == "throughput" && x.From == "local" && x.To == "local-2" && x.Settings["streams"] != ""
	}
	if len(ids) != 2 || all[0].SecondsLeft == nil || *all[0].SecondsLeft <= 0 || all[0].Folder != folder ||
		all[0].Time.Before(before) {
		t.Errorf("planned %+v", all[0])
	}
	for i, e := range all {
		if e.Experiment != "" && !ids[e.Experiment] {
			t.Errorf("line %d is of an experiment that was not planned: %+v", i, e)
		}
		switch e.Event {
		case "repeat":
			if e.Value == nil || e.Metric != "goodput" || e.Unit != "bit/s" || e.Seconds == nil || e.Repeat == nil ||
				*e.Repeat != *all[i-1].Repeat {
				t.Errorf("line %d: %+v", i, e)
			}
		case "done":
			if e.Value == nil || e.Estimate == nil || e.Estimate.Median != *e.Value || e.Total != 2 || e.SecondsLeft == nil {
				t.Errorf("line %d: %+v", i, e)
			}
		}
	}
	if last := all[len(all)-1]; last.Complete == nil || !*last.Complete || last.Sentence == "" ||
		last.Folder != folder || last.Error != "" {
		t.Errorf("finished %+v", last)
	}
}

// Whatever fails: every line is an event, and the last one has the exit code and the message.
func TestEventsOfFailures(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	for _, c := range []struct {
		args []string
		code int
		want string
		says string
	}{
		{[]string{"measure", "throughput", "nas", "--streams", "0"}, cli.ExitInput, "finished", "--streams"},
		{[]string{"measure", "throughput", "--to", "netns no-such-namespace"}, cli.ExitIncomplete, "finished",
			"no-such-namespace"},
		{[]string{"measure", "throughput", "--to", "local", "--to-address", "127.0.0.1", "--direction", "out", "--repeats",
			"1",
			"--amount", "1GiB", "--pace", "10M", "--time", "200ms"}, cli.ExitIncomplete,
			"planned started repeat done verdict finished", ""},
		{[]string{"run", "/does/not/exist.yaml"}, cli.ExitInput, "finished", "no such file"},
		{[]string{"run", mesh}, cli.ExitIncomplete, "finished", "no connection in"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			dir := t.TempDir()
			args := strings.Split(strings.ReplaceAll(strings.Join(c.args, "\x00"), mesh, abs(t, mesh)), "\x00")
			cmd := p.command(t, append(args, "--jsonl")...)
			cmd.Dir = dir
			a := finish(t, cmd)
			all := a.events(t)
			if last := all[len(all)-1]; a.code != c.code || !strings.HasPrefix(kinds(all), c.want) ||
				!strings.Contains(last.Error, c.says) || c.says != "" && last.Error == "" {
				t.Errorf("want exit code %d, %q and %q: %s", c.code, c.want, c.says, a)
			}
			for _, e := range all {
				if e.Event == "repeat" && (e.Failed == "" || e.Value != nil) {
					t.Errorf("a repeat that failed: %+v", e)
				}
			}
		})
	}
}

// An interrupted run ends with its exit code, too.
func TestEventsInterrupted(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	cmd := p.command(t, "measure", "throughput", "--to", "local", "--to-address", "127.0.0.1", "--time", "60s",
		"--direction", "out", "--repeats", "1", "--jsonl", "-o", p.path("run"))
	out, msg := &output{}, &output{}
	cmd.Stdout, cmd.Stderr = out, msg
	testenv.Check(t, cmd.Start())
	stop := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer stop.Stop()
	out.wait(t, `"started"`)
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { // during the repeat
		if found, _ := filepath.Glob(p.path("run", "snapshots", "*during*")); len(found) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("nothing is measured: %s%s", out, msg)
		}
	}
	testenv.Check(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	a := answer{code: cmd.ProcessState.ExitCode(), out: out.String(), err: msg.String()}
	if all := a.events(t); a.code != cli.ExitInterrupted || !strings.HasPrefix(kinds(all), "planned started") {
		t.Errorf("%s", a)
	}
}
