package main

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// A command of the command line becomes the same words again.
func TestQuoted(t *testing.T) {
	for _, words := range [][]string{{"a"}, {"sh", "-c", `echo "a b" 'c d' "it's"`, ""}, {"x", "'", `"`, "a\tb", "a\nb", "{peer_address}", "--", "{folder}/x y"}} {
		if got, err := fabric.Words(quoted(words)); err != nil || !slices.Equal(got, words) {
			t.Errorf("%q: %q, %v", words, got, err)
		}
	}
	if got := splitHosts("n[1,3],m,tcp://[::1]:5#x"); !slices.Equal(got, []string{"n[1,3]", "m", "tcp://[::1]:5#x"}) {
		t.Errorf("%q", got)
	}
}

// Who has the command and who the server.
func TestAppEnds(t *testing.T) {
	for _, c := range []struct {
		hosts, from, to []string
		serves          bool
		want            string // names of the command's hosts, and behind a stroke that of the server; or a part of the error
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
		f := &appFlags{hosts: c.hosts}
		f.from, f.to = c.from, c.to
		var wrong mistakes
		at, err := f.ends(c.serves, &wrong)
		if wrong.add(err); len(wrong.list) > 0 {
			if !strings.Contains(wrong.list[0].Error(), c.want) {
				t.Errorf("%+v: %v", c, wrong.list[0])
			}
			continue
		}
		got := strings.Join(at.from, " ")
		if len(at.to) > 0 {
			got += " / " + strings.Join(at.to, " ")
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// All mistakes of a command line come together.
func TestMeasureAppMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string][]string{
		"measure app":                    {"it is not said what is to run; write it behind --"},
		"measure app nas --app fio":      {"--app fio: it runs a problem that is yours; write its command behind --"},
		"measure app nas --app nix -- x": {`--app: "nix" is not known`},
		"measure app --figure x --unit s --files /etc/x,nope --repeats 0 --processes 0 --time 0 -- x": {"--figure x: it has 0 groups ( )", `--files: "/etc/x" is no file below this folder`, "nope", "--repeats 0", "--processes", "--time", "6 mistakes"},
		"measure app --unit s -- x":                              {"--unit: it is the unit of --figure"},
		"measure app --ready ( -- x":                             {"--ready (: it is no regular expression", "add --server, or leave it out"},
		"measure app --resume -- x":                              {"--resume: name the folder"},
		"measure app --to-address x -- x":                        {"--to-address x: not an IP address"},
		"measure app --size 4K -- x":                             {"unknown flag: --size"},
		"measure app --server y -- x":                            {"the server needs a host"},
		"measure app nas --app imb_bw --ready x --server ' -- y": {"--server: \"'\": a quote is not closed"},
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

// A command on this machine: its figure for each value of an axis, and its output if the folder is kept.
func TestMeasureApp(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it starts an agent with Linux's programs")
	}
	p := newPlace(t)
	dir := p.path("kept")
	a := p.linerate(t, "measure", "app", "--processes", "2,3", "--repeats", "2", "--figure", `score (\S+)`, "--unit", "points", "-o", dir, "--json", "--", "sh", "-c", `echo "score $1.5"`, "sh", "{processes}")
	r := a.run(t)
	if a.code != exitDone || len(r.Experiments) != 2 {
		t.Fatalf("%s", a)
	}
	for i, x := range r.Experiments {
		if x.Figure == nil || x.Figure.Median != float64(i)+2.5 || x.Figure.Repeats != 2 || x.FigureUnit != "points" || x.Method != "app" || x.From != "local" || x.App.Output == "" {
			t.Errorf("%+v", x)
		}
	}
	if shown := p.linerate(t, "report", dir); !strings.Contains(shown.out, "2.50 points") && !strings.Contains(shown.out, "2.5 points") {
		t.Errorf("%s", shown)
	}
	loud, quiet := p.linerate(t, "measure", "app", "--repeats", "1", "--", "true"), p.linerate(t, "measure", "app", "-q", "--repeats", "1", "--", "true")
	if !strings.Contains(loud.err, "done about") || quiet.code != exitDone || quiet.err != "" || quiet.out == "" {
		t.Errorf("with --quiet:\n%s\nwithout:\n%s", quiet, loud)
	}
	lost := p.linerate(t, "measure", "app", "--repeats", "1", "--json", "--", "sh", "-c", "echo oh; exit 3")
	if x := lost.run(t).Experiments[0]; lost.code != exitIncomplete || !strings.HasSuffix(x.Failed, "its last lines: oh") {
		t.Errorf("%s", lost) // its folder is gone, and so is the output
	}
	left, _ := filepath.Glob("/dev/shm/linerate-app-*")
	for _, folder := range left {
		t.Logf("%s is there, of this test or of another", folder)
	}
}

// A command behind -- keeps its own words when a measurement is to go on.
func TestResumeLine(t *testing.T) {
	j := &job{run: &record.Run{Arguments: []string{"/x/linerate", "measure", "app", "-o", "d", "--", "ls", "-l"}}}
	if got := j.again(); got != "linerate measure app -o d --resume -- ls -l" {
		t.Errorf("%s", got)
	}
}
