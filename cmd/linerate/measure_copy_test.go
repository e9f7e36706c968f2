package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/cli/job"
	"linerate/internal/cli/measure"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

func TestMeasureCopyErrors(t *testing.T) {
	for args, want := range map[string][]string{
		"measure copy": {"--from: missing PATH", "--to: missing PATH"},
		"measure copy --from /a --to /b --amount x":            {"--amount: "},
		"measure copy --from /a --to /b --streams 0":           {"--streams: 0 is out of range"},
		"measure copy --from /a --to /b --tool mv":             {`--tool: unknown value "mv"`},
		"measure copy --from /a --to /b --cache hot":           {`--cache: unknown value "hot"`},
		"measure copy --from /a --to /b --streams 4 --files 2": {"files: 2 are less than the 4 streams"},
		"measure copy --from /a --to /b --transport smb":       {"--transport: both ends are paths of one host"},
		"measure copy nas --from /a --to /b":                   {"unexpected argument nas"},
		"measure copy --from /a --to /b --to-address x":        {"--to-address x: not an IP address"},
	} {
		a := call(t, nil, strings.Fields(args)...)
		if a.code != cli.ExitInput || a.out != "" {
			t.Errorf("%s: want exit code 2 and nothing on standard output: %s", args, a)
		}
		testenv.Contains(t, args, a.err, want...)
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
		if r, p, err := measure.SplitPlace(text); err != nil || r != want[0] || p != want[1] {
			t.Errorf("%s: %q %q %v, want %q", text, r, p, err, want)
		}
	}
	for _, text := range []string{"", "ssh nas", "ssh nas:tank", "tcp://10.0.0.1:7#ab"} {
		if r, p, err := measure.SplitPlace(text); err == nil {
			t.Errorf("%q is %q of %q", text, p, r)
		}
	}
}

// Files of this machine: copied files arrive and are removed, files of others stay, and are never overwritten.
func TestMeasureCopy(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if runtime.GOOS != "linux" {
		t.Skip("it counts with Linux's counters")
	}
	t.Parallel()
	p := newPlace(t)
	for _, name := range []string{"from", "to"} {
		testenv.Check(t, os.Mkdir(p.path(name), 0o755))
	}
	film := filepath.Join(p.path("from"), "film")
	testenv.WriteFile(t, film, []byte("a film"), 0o644)
	a := p.linerate(t, "measure", "copy", "--from", "from", "--to", "to", "--amount", "4MiB", "--files", "2,40",
		"--streams", "2", "--direction", "out,both", "--repeats", "1", "--json")
	r := a.run(t)
	if a.code != cli.ExitDone || len(r.Experiments) != 4 {
		t.Fatalf("%s", a)
	}
	for _, x := range r.Experiments {
		c := x.Copy
		legs := map[string]int{"out": 1, "both": 2}[x.Direction]
		if c == nil || x.Seconds == nil || x.Bytes == nil || c.Tool != "cp" || c.Over != "path" || len(c.Legs) != legs ||
			c.Bytes != int64(legs)*4<<20 || x.Verdict == nil || x.Verdict.Sentence == "" {
			t.Fatalf("%s %v: %+v", x.Name, x.Settings, c)
		}
		for _, l := range c.Legs {
			if !l.Verified || l.Sync == nil || l.Seconds <= *l.Sync || len(l.Streams) != 2 || l.Cache == "" {
				t.Errorf("%v: %+v", x.Settings, l)
			}
		}
	}
	a = p.linerate(t, "measure", "copy", "--from", film, "--to", "to", "--repeats", "1", "--json")
	if x := a.run(t).Experiments; a.code != cli.ExitDone || len(x) != 1 || x[0].Copy == nil || x[0].Copy.Bytes != 6 {
		t.Fatalf("one's own file: %s", a)
	}
	a = p.linerate(t, "measure", "copy", "--from", "from", "--to", film, "--amount", "1MiB", "--repeats", "1", "--json")
	if x := a.run(t).Experiments; a.code != cli.ExitRefused || len(x) != 1 ||
		!strings.Contains(x[0].NotRun, "linerate did not make it") {
		t.Errorf("a target that is there: %s", a)
	}
	a = p.linerate(t, "measure", "copy", "--from", p.path("none"), "--to", "to", "--repeats", "1", "--json")
	if x := a.run(t).Experiments; a.code != cli.ExitIncomplete || len(x) != 1 ||
		!strings.Contains(x[0].Failed, "it is not there; name the file") {
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

// A quoted command splits into the same words again.
func TestQuoted(t *testing.T) {
	for _, words := range [][]string{{"a"}, {"sh", "-c", `echo "a b" 'c d' "it's"`, ""},
		{"x", "'", `"`, "a\tb", "a\nb", "{peer_address}", "--", "{folder}/x y"}} {
		if got, err := fabric.Words(measure.Quoted(words)); err != nil || !slices.Equal(got, words) {
			t.Errorf("%q: %q, %v", words, got, err)
		}
	}
	if got := measure.SplitHosts("n[1,3],m,tcp://[::1]:5#x"); !slices.Equal(got,
		[]string{"n[1,3]", "m", "tcp://[::1]:5#x"}) {
		t.Errorf("%q", got)
	}
}

// The hosts of the command and of its server.
func TestAppEnds(t *testing.T) {
	for _, c := range []struct {
		hosts, from, to []string
		serves          bool
		want            string // names of the command's hosts, and after a slash that of the server; or a part of the error
	}{
		{nil, nil, nil, false, "local"},
		{[]string{"n1"}, nil, nil, false, "n1"},
		{[]string{"n1,n2", "x"}, nil, nil, false, "n1 n2 x"},
		{[]string{"n[1-3]"}, nil, nil, false, "n1 n2 n3"},
		{nil, []string{"netns a", "netns b"}, nil, false, "a b"},
		{[]string{"nas"}, nil, nil, true, "local / nas"},
		{[]string{"a,b"}, nil, nil, true, "a / b"},
		{nil, []string{"netns a"}, []string{"netns b"}, true, "a / b"},
		{nil, nil, []string{"netns b"}, true, "local / b"},
		{[]string{"n1,n1"}, nil, nil, false, "it is there twice"},
		{[]string{"a,b,c"}, nil, nil, true, "on two hosts; name one or two"},
		{nil, nil, nil, true, "the server needs a host"},
		{nil, nil, []string{"netns b"}, false, "there is none; write --server"},
		{[]string{"a"}, []string{"netns b"}, nil, false, "hosts are named twice"},
	} {
		f := &measure.CommandFlags{Hosts: c.hosts}
		f.From, f.To = c.from, c.to
		var wrong cli.Errors
		at, err := f.Ends(c.serves, &wrong)
		if wrong.Add(err); len(wrong.List) > 0 {
			if !strings.Contains(wrong.List[0].Error(), c.want) {
				t.Errorf("%+v: %v", c, wrong.List[0])
			}
			continue
		}
		got := strings.Join(at.From, " ")
		if len(at.To) > 0 {
			got += " / " + strings.Join(at.To, " ")
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// All errors of a command line come together.
func TestMeasureAppErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string][]string{
		"measure command": {"missing -- COMMAND", "help: write linerate measure command HOST -- ./solver"},
		"measure command nas --app fio": {"--app fio: it runs a problem that is yours",
			"help: write its command behind --"},
		"measure command nas --app nix -- x": {`--app: unknown value "nix"`},
		"measure command --extract x --unit s --files /etc/x,nope --repeats 0 --processes 0 --time 0 -- x": {
			"--extract x: it has 0 groups ( )", `--files: "/etc/x" is not below this folder`,
			"nope", "--repeats 0", "--processes", "--time"},
		"measure command --unit s -- x": {"--unit: it is the unit of --extract"},
		"measure command --ready ( -- x": {"--ready (: it is not a regular expression",
			"help: add --server, or omit it"},
		"measure command --resume -- x":                              {"--resume: name the folder"},
		"measure command --to-address x -- x":                        {"--to-address x: not an IP address"},
		"measure command --size 4K -- x":                             {"has no flag --size"},
		"measure command --server y -- x":                            {"the server needs a host"},
		"measure command nas --app imb_bw --ready x --server ' -- y": {"--server: \"'\": a quote is not closed"},
	} {
		a := call(t, nil, strings.Fields(args)...)
		if a.code != cli.ExitInput || a.out != "" {
			t.Errorf("%s: want exit code 2 and nothing on standard output: %s", args, a)
		}
		testenv.Contains(t, args, a.err, want...)
	}
}

// A command on this machine: its figure for each value of a parameter, and its output if the folder is kept.
func TestMeasureApp(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it starts an agent with Linux's programs")
	}
	p := newPlace(t)
	dir := p.path("kept")
	a := p.linerate(t, "measure", "command", "--processes", "2,3", "--repeats", "2", "--extract", `score (\S+)`, "--unit",
		"points", "-o", dir, "--json", "--", "sh", "-c", `echo "score $1.5"`, "sh", "{processes}")
	r := a.run(t)
	if a.code != cli.ExitDone || len(r.Experiments) != 2 {
		t.Fatalf("%s", a)
	}
	for i, x := range r.Experiments {
		if x.Figure == nil || x.Figure.Median != float64(i)+2.5 || x.Figure.Repeats != 2 || x.FigureUnit != "points" ||
			x.Method != "command" || x.From != "local" || x.App.Output == "" {
			t.Errorf("%+v", x)
		}
	}
	if shown := p.linerate(t, "report", dir, "--all"); !strings.Contains(shown.out, "2.50 points") &&
		!strings.Contains(shown.out, "2.5 points") {
		t.Errorf("%s", shown)
	}
	loud, quiet := p.linerate(t, "measure", "command", "--repeats", "1", "--", "true"),
		p.linerate(t, "measure", "command", "-q", "--repeats", "1", "--", "true")
	if !strings.Contains(loud.err, "done about") || quiet.code != cli.ExitDone || quiet.err != "" || quiet.out == "" {
		t.Errorf("with --quiet:\n%s\nwithout:\n%s", quiet, loud)
	}
	lost := p.linerate(t, "measure", "command", "--repeats", "1", "--json", "--", "sh", "-c", "echo oh; exit 3")
	if x := lost.run(t).Experiments[0]; lost.code != cli.ExitIncomplete ||
		!strings.HasSuffix(x.Failed, "its last lines: oh") {
		t.Errorf("%s", lost) // its folder is gone, and so is the output
	}
	left, _ := filepath.Glob("/dev/shm/linerate-app-*")
	for _, folder := range left {
		t.Logf("%s is there, of this test or of another", folder)
	}
}

// A command after -- keeps its own words when a measurement is resumed.
func TestResumeLine(t *testing.T) {
	j := &job.Job{Run: &record.Run{Arguments: []string{"/x/linerate", "measure", "command", "-o", "d", "--", "ls", "-l"}}}
	if got := j.Again(); got != "linerate measure command -o d --resume -- ls -l" {
		t.Errorf("%s", got)
	}
}
