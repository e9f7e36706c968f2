package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// All forms of a stream other than a time from memory, from the command line to the page.
func TestMeasureForms(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	source := p.path("source")
	testenv.WriteFile(t, source, make([]byte, 3<<20), 0o600)
	kernel := "kernel"
	if runtime.GOOS != "linux" {
		kernel = "program"
	}
	for _, c := range []struct {
		name   string
		args   []string
		effect map[string]string // prefixes
		line   string            // on the terminal, with single blanks
		took   bool
	}{
		{"amount", []string{"--amount", "10MiB", "--streams", "3"}, map[string]string{"amount": "10 MiB"}, "10 MiB in ",
			true},
		{"amount of a file", []string{"--amount", "10MiB", "--source", source},
			map[string]string{"amount": "10 MiB", "source": source, "send_path": "read and write"}, "sent from " + source, true},
		{"file", []string{"--source", source, "--time", "300ms"}, map[string]string{"source": source},
			"sent from " + source, false},
		{"pace", []string{"--pace", "80M", "--time", "300ms"}, map[string]string{"pace_by": kernel},
			"each stream paced to 80M by the " + kernel, false},
		{"pace by the program", []string{"--pace", "80M", "--pace-by", "program", "--time", "300ms"},
			map[string]string{"pace_by": "program"}, "by the program", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"measure", "throughput", "--to", "local", "--to-address", "127.0.0.1", "--direction", "out",
				"--repeats", "1"}, c.args...)
			folder := filepath.Join(t.TempDir(), "run")
			a := p.linerate(t, append(args, "--json", "-o", folder)...).ends(t, cli.ExitDone)
			x := a.run(t).Experiments[0]
			for k, want := range c.effect {
				if !strings.HasPrefix(x.InEffect[k], want) {
					t.Errorf("in effect %s: %q, want %q", k, x.InEffect[k], want)
				}
			}
			if (x.Seconds != nil) != c.took || (x.Repeats[0].Bytes > 0) != c.took || c.took && x.Repeats[0].Bytes != 10<<20 {
				t.Errorf("%d bytes in %+v", x.Repeats[0].Bytes, x.Seconds)
			}
			b := p.linerate(t, "report", folder, "--all")
			if text := unwrapped(b.out); b.code != cli.ExitDone || !strings.Contains(text, c.line) {
				t.Errorf("the terminal does not say %q: %s", c.line, b)
			}
			page, err := os.ReadFile(filepath.Join(folder, "report.html"))
			if err != nil || !strings.Contains(string(page), c.line) {
				t.Errorf("the page does not say %q, %v", c.line, err)
			}
		})
	}
}

// An amount that exceeds its time limit, and an unreadable file, fail the experiment.
func TestMeasureFormsFail(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	for says, args := range map[string][]string{
		"of 1 GiB were":        {"--amount", "1GiB", "--pace", "10M", "--time", "300ms"},
		"no such file":         {"--source", p.path("none"), "--time", "300ms"},
		"not an absolute path": {"--source", "none", "--time", "300ms"},
		"not a regular file":   {"--source", p.dir, "--time", "300ms"},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			a := p.linerate(t, append([]string{"measure", "throughput", "--to", "local", "--to-address", "127.0.0.1",
				"--direction", "out", "--repeats", "1"}, args...)...)
			if a.code != cli.ExitIncomplete || !strings.Contains(unwrapped(a.out+a.err), says) {
				t.Errorf("%q: want exit code 4 and %q: %s", args, says, a)
			}
		})
	}
}

func TestMeasureFormsRefused(t *testing.T) {
	for _, c := range []struct {
		method string
		args   []string
		says   string
	}{
		{"throughput", []string{"--amount", "0B"}, "at least 1 byte"}, {"throughput", []string{"--amount", "-1GiB"},
			"--amount"},
		{"throughput", []string{"--amount", "1GiB", "--transport", "udp"}, "tcp"},
		{"latency", []string{"--amount", "1GiB"}, "for throughput"},
		{"throughput", []string{"--source", "/x", "--transport", "udp"}, "tcp"},
		{"latency", []string{"--source", "/x"}, "for throughput"},
		{"throughput", []string{"--pace-by", "kernel"}, "pace 300M"},
		{"throughput", []string{"--pace-by", "nobody", "--pace", "1G"}, "kernel or program"},
		{"latency", []string{"--pace-by", "kernel"}, "for throughput"},
		{"throughput", []string{"--json", "--jsonl"}, "omit one"},
		{"throughput", []string{"--from", "netns a", "--from", "netns b"}, "--traffic"},
	} {
		a := call(t, nil, append([]string{"measure", c.method, "nas"}, c.args...)...)
		if a.code != cli.ExitInput || !strings.Contains(a.err, c.says) {
			t.Errorf("%q: want exit code 2 and %q: %s", c.args, c.says, a)
		}
	}
}
