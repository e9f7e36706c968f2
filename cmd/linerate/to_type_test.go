package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report/brief"
	"linerate/internal/report/highlight"
	"linerate/internal/report/terminal"
	"linerate/internal/runfile"
	"linerate/internal/testenv"
)

// toType are lines to type, with where each is from; of several the first.
type toType map[string]string

// add adds the lines of a fix, an undo or a next step that are commands.
func (all toType) add(from string, texts ...string) {
	for _, text := range texts {
		for _, s := range record.StepsOf(text) {
			if (s.Command || strings.HasPrefix(s.Text, "linerate ")) && all[s.Text] == "" {
				all[s.Text] = from
			}
		}
	}
}

// ofRuns adds those of every recorded run, judged by today's causes, and of its short report.
func (all toType) ofRuns(t *testing.T) {
	files := testenv.Must(filepath.Glob(filepath.Join(root, "internal/explain/testdata/runs/*/*"+runfile.Extension)))(t)
	parts := testenv.Must(catalog.Load())(t)
	for _, file := range files {
		name := filepath.Base(file)
		of := testenv.Must(runfile.Open(file))(t)
		r := &record.Run{}
		testenv.Check(t, json.Unmarshal(testenv.Must(of.Read(runfolder.ManifestName))(t), r))
		p := explain.RecordedPlan(r)
		if r.FabricText != "" {
			f, problems := fabric.Parse(r.FabricPath, []byte(r.FabricText),
				fabric.Options{Catalog: parts, Variant: r.Variant})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			p = plan.Build(f)
		}
		explain.Run(p, r, of.Read)
		for _, e := range r.Experiments {
			for _, x := range append([]*record.Experiment{e}, e.FollowUp...) {
				if v := x.Verdict; v != nil {
					all.add(name, v.Fix, v.Undo, v.NextExperiment)
				}
			}
		}
		for _, f := range r.Findings {
			all.add(name, f.Fix, f.Undo)
		}
		var out bytes.Buffer
		testenv.Check(t, brief.Print(terminal.Terminal{Out: &out, Width: 80}, highlight.Find(r), "k3vq"))
		all.ofOutput(name+", in short", out.String())
	}
}

// ownLine matches a command line of linerate in an output: at the start of a column, up to the next one.
var ownLine = regexp.MustCompile(`(?m)(?:^|  |: |\$ )(linerate [a-z].*?)(?:   ?| \(|$)`)

// ofOutput adds linerate's own command lines in an output.
func (all toType) ofOutput(from, text string) {
	text = regexp.MustCompile(` \\\n +`).ReplaceAllString(text, " ")
	for _, m := range ownLine.FindAllStringSubmatch(text, -1) {
		if all[m[1]] == "" {
			all[m[1]] = from
		}
	}
}

// ofFiles adds those in the expected outputs of checks, of doctor and of errors.
func (all toType) ofFiles(t *testing.T) {
	for pattern, prefixes := range map[string][]string{
		"internal/inspect/check/checks/testdata/*.txtar": {"fix: ", "undo: ", ""},
		"internal/inspect/doctor/testdata/*.txtar":       {"  $ "},
		"cmd/linerate/testdata/errors/*.txtar":           {"help: ", "type: "},
	} {
		files := testenv.Must(filepath.Glob(filepath.Join(root, pattern)))(t)
		if len(files) < 5 {
			t.Fatalf("%d files %s", len(files), pattern)
		}
		for _, file := range files {
			_, want, _ := strings.Cut(string(testenv.Must(os.ReadFile(file))(t)), "-- want --\n")
			for line := range strings.Lines(want) {
				for _, prefix := range prefixes {
					if text, ok := strings.CutPrefix(line, prefix); ok {
						all.add(filepath.Base(file), text)
						break
					}
				}
			}
		}
	}
}

var (
	// behind matches what follows a command: a comment, a remark in brackets, how to go on.
	behind = regexp.MustCompile(`   ?.*$| +#.*$| \(.*$|[;,] .*$|: .*$`)
	// moved matches what runs a command on another host of this machine.
	moved = regexp.MustCompile(`^(?:sudo |on \S+: |ip netns exec \S+ |linerate lab exec \S+ -- )+`)
	// notUnix matches commands for Windows.
	notUnix = regexp.MustCompile(`^(?:netsh|powershell|Get-|Set-|Enable-|Disable-|New-|Remove-|Reset-|Restart-)`)
	// placeholder matches what the reader has to replace: N, <name>, MAXIMUM.
	placeholder = regexp.MustCompile(`<[a-z]+>`)
)

// prose matches words that no command has: the rest of such a line is a sentence, which is a step of its own.
var prose = regexp.MustCompile(` (?:shows?|then|which|tells?|or|and|clears|where|until|again|says|finds|is|has) |, | \(`)

// Every line that linerate prints as something to type can be typed: its own with commands and flags that exist, others
// with a known program and in the syntax of a shell.
func TestLinesToType(t *testing.T) {
	all := toType{}
	all.ofRuns(t)
	all.ofFiles(t)
	own, others := 0, map[string]bool{}
	sh, err := exec.LookPath("sh")
	if err != nil {
		testenv.Missing(t, "a shell")
	}
	for line, from := range all {
		if place := moved.FindString(line); strings.Contains(place, "linerate lab exec") {
			args := words(strings.TrimPrefix(place, "linerate ") + "true")
			if err := parses(&cli.Env{}, args); err != nil {
				t.Errorf("%s: %q: %v", from, line, err)
			}
		}
		command := moved.ReplaceAllString(line, "")
		if args, ok := strings.CutPrefix(command, "linerate "); ok {
			own++
			args := words(behind.ReplaceAllString(args, ""))
			if err := parses(&cli.Env{}, args); err != nil && !slices.Contains(args, "--help") {
				t.Errorf("%s: %q: %v", from, line, err)
			}
			continue
		}
		others[strings.Fields(command)[0]] = true
		if m := prose.FindString(regexp.MustCompile(`'[^']*'|"[^"]*"|#.*$`).ReplaceAllString(command, "X")); m != "" {
			t.Errorf("%s: %q is a command and a sentence in one: %q", from, line, m)
		}
		if notUnix.MatchString(command) {
			continue
		}
		if out, err := exec.Command(sh, "-n", "-c", placeholder.ReplaceAllString(command, "X")).CombinedOutput(); err != nil {
			t.Errorf("%s: %q is not in the syntax of a shell: %s", from, line, out)
		}
	}
	if own < 20 || len(others) < 10 {
		t.Errorf("%d lines of linerate's own and %d other programs were looked at", own, len(others))
	}
	for program := range others {
		if !record.IsCommand(program+" x") && !slices.Contains(alsoTyped, program) {
			t.Errorf("%s is not a known program", program)
		}
	}
	t.Logf("%d lines, %d of linerate's own, programs %v", len(all), own, others)
}

// alsoTyped are the programs that are typed behind sudo alone: config is SONiC's.
var alsoTyped = []string{"config"}
