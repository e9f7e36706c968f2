package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

func TestMeasureCopyMistakes(t *testing.T) {
	for args, want := range map[string][]string{
		"measure copy": {"--from: it is not said", "--to: it is not said", "2 mistakes"},
		"measure copy --from /a --to /b --amount x":            {"--amount: "},
		"measure copy --from /a --to /b --streams 0":           {"--streams: 0 is out of range"},
		"measure copy --from /a --to /b --tool mv":             {`--tool: "mv" is not known`},
		"measure copy --from /a --to /b --cache hot":           {`--cache: "hot" is not known`},
		"measure copy --from /a --to /b --streams 4 --files 2": {"files: 2 are less than the 4 streams"},
		"measure copy --from /a --to /b --transport smb":       {"--transport: both ends are paths of one host"},
		"measure copy nas --from /a --to /b":                   {`unknown command "nas"`},
		"measure copy --from /a --to /b --to-address x":        {"--to-address x: not an IP address"},
	} {
		a := call(t, nil, strings.Fields(args)...)
		if a.code != exitInput || a.out != "" {
			t.Errorf("%s: want exit code 2 and nothing on standard output: %s", args, a)
		}
		for _, w := range want {
			if !strings.Contains(a.err, w) {
				t.Errorf("%s: the message does not have %q: %s", args, w, a.err)
			}
		}
	}
}

func TestSplitPlace(t *testing.T) {
	for text, want := range map[string][2]string{
		"/mnt/tank":              {"local", "/mnt/tank"},
		"film.mkv":               {"local", "film.mkv"},
		"./a:/b":                 {"local", "./a:/b"},
		`C:\data`:                {"local", `C:\data`},
		`\\nas\isos`:             {"local", `\\nas\isos`},
		"ssh root@nas:/mnt/tank": {"ssh root@nas", "/mnt/tank"},
		"ssh [fe80::1]:/x":       {"ssh [fe80::1]", "/x"},
		`ssh win:C:\data`:        {"ssh win", `C:\data`},
		"netns a:/tmp":           {"netns a", "/tmp"},
		"lab 3f2a/n1:/tmp":       {"lab 3f2a/n1", "/tmp"},
		"tcp://10.0.0.1:7#ab:/x": {"tcp://10.0.0.1:7#ab", "/x"},
		"local:/x":               {"local", "/x"},
	} {
		if r, p, err := splitPlace(text); err != nil || r != want[0] || p != want[1] {
			t.Errorf("%s: %q %q %v, want %q", text, r, p, err, want)
		}
	}
	for _, text := range []string{"", "ssh nas", "ssh nas:tank", "tcp://10.0.0.1:7#ab"} {
		if r, p, err := splitPlace(text); err == nil {
			t.Errorf("%q is %q of %q", text, p, r)
		}
	}
}

// Files of this machine: what is copied arrives and goes away, what is somebody else's stays, and is never written over.
func TestMeasureCopy(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if runtime.GOOS != "linux" {
		t.Skip("it counts with Linux's counters")
	}
	t.Parallel()
	p := newPlace(t)
	for _, name := range []string{"from", "to"} {
		if err := os.Mkdir(p.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	film := filepath.Join(p.path("from"), "film")
	if err := os.WriteFile(film, []byte("a film"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := p.linerate(t, "measure", "copy", "--from", "from", "--to", "to", "--amount", "4MiB", "--files", "2,40", "--streams", "2", "--direction", "out,both", "--repeats", "1", "--json")
	r := a.run(t)
	if a.code != exitDone || len(r.Experiments) != 4 {
		t.Fatalf("%s", a)
	}
	for _, x := range r.Experiments {
		c := x.Copy
		legs := map[string]int{"out": 1, "both": 2}[x.Direction]
		if c == nil || x.Seconds == nil || x.Bytes == nil || c.Tool != "cp" || c.Over != "path" || len(c.Legs) != legs || c.Bytes != int64(legs)*4<<20 || x.Verdict == nil || x.Verdict.Sentence == "" {
			t.Fatalf("%s %v: %+v", x.Name, x.Settings, c)
		}
		for _, l := range c.Legs {
			if !l.Verified || l.Sync == nil || l.Seconds <= *l.Sync || len(l.Streams) != 2 || l.Cache == "" {
				t.Errorf("%v: %+v", x.Settings, l)
			}
		}
	}
	a = p.linerate(t, "measure", "copy", "--from", film, "--to", "to", "--repeats", "1", "--json")
	if x := a.run(t).Experiments; a.code != exitDone || len(x) != 1 || x[0].Copy == nil || x[0].Copy.Bytes != 6 {
		t.Fatalf("one's own file: %s", a)
	}
	a = p.linerate(t, "measure", "copy", "--from", "from", "--to", film, "--amount", "1MiB", "--repeats", "1", "--json")
	if x := a.run(t).Experiments; a.code != exitRefused || len(x) != 1 || !strings.Contains(x[0].NotRun, "linerate did not make it") {
		t.Errorf("a target that is there: %s", a)
	}
	a = p.linerate(t, "measure", "copy", "--from", p.path("none"), "--to", "to", "--repeats", "1", "--json")
	if x := a.run(t).Experiments; a.code != exitIncomplete || len(x) != 1 || !strings.Contains(x[0].Failed, "it is not there; name the file") {
		t.Errorf("a source that is missing: %s", a)
	}
	if b, err := os.ReadFile(film); err != nil || string(b) != "a film" {
		t.Errorf("somebody's file: %q, %v", b, err)
	}
	for dir, want := range map[string]int{"from": 1, "to": 0} {
		if left, err := os.ReadDir(p.path(dir)); err != nil || len(left) != want {
			t.Errorf("left in %s: %v, %v", dir, left, err)
		}
	}
}
