package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// verbs are all command lines that the program has, without flags: "lab up".
func verbs(e *env) (out []string) {
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		for _, s := range c.Commands() {
			here := append(slices.Clone(path), s.Name())
			out = append(out, strings.Join(here, " "))
			walk(s, here)
		}
	}
	walk(e.root(), nil)
	sort.Strings(out)
	return out
}

// noEscape fails when an output that is no terminal could steer one.
func noEscape(t *testing.T, a answer) {
	t.Helper()
	if strings.ContainsRune(a.out+a.err, 0x1b) {
		t.Errorf("an escape character in what is no terminal:\n%q", a.out+a.err)
	}
}

func TestHelp(t *testing.T) {
	all := verbs(&env{})
	for _, want := range []string{"agent", "ceiling", "explain", "facts", "lab", "lab down", "lab exec", "lab list", "lab up", "measure", "parts", "plan", "report", "run", "version"} {
		if !slices.Contains(all, want) {
			t.Errorf("there is no verb %s", want)
		}
	}
	for _, verb := range append(all, "") {
		t.Run(verb, func(t *testing.T) {
			a := call(t, nil, append(strings.Fields(verb), "--help")...)
			if a.code != exitDone || a.err != "" {
				t.Errorf("want exit code 0 and nothing on standard error: %s", a)
			}
			if !strings.Contains(a.out, "Usage:") || len(strings.Split(a.out, "\n")) > 60 {
				t.Errorf("no help, or more than a page: %s", a)
			}
			noEscape(t, a)
		})
	}
}

// Every command line that is wrong: exit code 2, a message that says what is wrong and where to look, and nothing else.
func TestWrongCommandLines(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want []string // in the message
	}{
		{"frobnicate", []string{`unknown command "frobnicate"`, "linerate --help"}},
		{"plan --frob " + mesh, []string{"unknown flag: --frob", "linerate plan --help"}},
		{"plan", []string{"FABRIC.yaml"}},
		{"plan a b", []string{"FABRIC.yaml"}},
		{"lab frob", []string{`unknown command "frob"`, "linerate lab --help"}},
		{"lab exec", []string{"[ID/]HOST -- COMMAND"}},
		{"lab exec -o/x -- true", []string{"unknown shorthand flag"}},
		{"version extra", []string{"unknown command"}},
		{"plan /does/not/exist.yaml", []string{"/does/not/exist.yaml", "no such file"}},
		{"plan " + full, []string{"folder"}},
		{"plan " + mesh + " --variant nope", []string{"nope", "variant"}},
		{"parts thereisnosuchpart", []string{"thereisnosuchpart", "linerate parts WORD"}},
		{"ceiling", []string{"--rate"}},
		{"ceiling --rate 40g", []string{`"40g"`, "40G"}},
		{"ceiling --rate 0G", []string{"--rate"}},
		{"ceiling --rate -1G", []string{"--rate"}},
		{"ceiling --rate NaN", []string{"--rate"}},
		{"ceiling --rate 40G --mtu 12", []string{"MTU 12", "68"}},
		{"ceiling --rate 40G --mtu 70000", []string{"MTU 70000", "65535"}},
		{"ceiling --rate 40G --mtu nine", []string{"nine"}},
		{"ceiling --rate 40G --transport tpc", []string{"tpc", "tcp", "udp"}},
		{"report nope", []string{`"nope" is no run`}},
		{"report latest", []string{"there is no run"}},
		{"report", []string{"RUN"}},
		{"explain nope", []string{`"nope" is no run`}},
		{"explain " + full, []string{"is no run"}},
		{"run " + mesh + " -o " + full, []string{"is not empty", "-o"}},
		{"run " + mesh + " --resume -o " + full, []string{full}},
		{"run " + mesh + " --resume", []string{"no incomplete run"}},
		{"run " + mesh + " --only nope", []string{"--only nope", "raw"}},
		{"run " + mesh + " --scale 0.1", []string{"--scale", "--lab"}},
		{"run " + mesh + " --lab --scale 2", []string{"--scale 2"}},
		{"run " + mesh + " --lab --scale -1", []string{"--scale -1"}},
		{"run " + mesh + " --lab --scale NaN", []string{"--scale"}},
		{"lab up " + mesh + " --scale 2", []string{"--scale 2"}},
		{"run " + mesh + " --lab --repeats -1", []string{"--repeats -1"}},
		{"run " + mesh + " --budget 5", []string{"--budget", `"5"`}},
		{"run " + mesh + " --budget -5s", []string{"--budget"}},
		{"run " + mesh + " --lab=nope", []string{"lab nope"}},
		{"measure frob nas", []string{"frob", "stream", "ping"}},
		{"measure stream", []string{"--to"}},
		{"measure stream nas --rate fast", []string{"--rate", "fast"}},
		{"measure stream nas --time 4", []string{"--time"}},
		{"measure stream nas --direction up", []string{"--direction up", "out", "both"}},
		{"measure stream -- -oProxyCommand=x", []string{"ssh"}},
		{"facts", []string{"--local"}},
		{"facts " + mesh, []string{"-o DIR"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			args := strings.Fields(strings.ReplaceAll(c.args, mesh, abs(t, mesh)))
			a := call(t, nil, args...)
			if a.code != exitInput || a.out != "" {
				t.Errorf("want exit code 2 and nothing on standard output: %s", a)
			}
			for _, w := range c.want {
				if !strings.Contains(a.err, w) {
					t.Errorf("the message does not have %q: %s", w, a.err)
				}
			}
			if lines := strings.Count(a.err, "\n"); lines > 5 || strings.Contains(a.err, "goroutine") {
				t.Errorf("a message of %d lines: %s", lines, a.err)
			}
			if left, _ := os.ReadDir("."); len(left) > 0 {
				t.Errorf("it left %v behind", left)
			}
			noEscape(t, a)
		})
	}
}

// sources is the folder of this package, from before a test changed to another one.
var sources, _ = os.Getwd()

func abs(t *testing.T, path string) string {
	t.Helper()
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(sources, path)
}

// A wrong file: every problem with its place, its line and a caret; a file that would start programs is refused.
func TestWrongFiles(t *testing.T) {
	for _, c := range []struct {
		name, text string
		code       int
		want       []string
	}{
		{"unknown key", "fabric: x\nhosts:\n  a: {os: linux, nic: {}}\n  b: {os: linux}\nlinks: [{ends: [a.x, b.x]}]\n", exitInput, []string{":3:18: host a:", "write nics", "\n    a: {os: linux, nic: {}}\n                   ^"}},
		{"several at once", "fabric: x\nhosts:\n  a: {os: linus}\nlinks: []\nmtu: 12\n", exitInput, []string{":3:11:", ":5:6:"}},
		{"empty", "", exitInput, []string{":1:1:"}},
		{"tab", "fabric: x\nhosts:\n\ta: {os: linux}\n", exitInput, []string{":3:1:"}},
		{"refused reach", "fabric: x\nhosts:\n  a: {os: linux, reach: \"ssh -o ProxyCommand=x b\"}\n  b: {os: linux}\nlinks: []\n", exitRefused, []string{":3:25: host a:", `"-o"`, "^"}},
		{"steers the terminal", "fabric: \"x\\e[2J\"\nhosts: {a: {os: linux}}\nlinks: []\nmtu: \"\\e[31m12\"\n", exitInput, []string{":4:6:"}},
	} {
		for _, verb := range []string{"plan", "ceiling", "run", "lab up"} {
			t.Run(c.name+" "+verb, func(t *testing.T) {
				dir := t.TempDir()
				t.Chdir(dir)
				if err := os.WriteFile("home.yaml", []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
				a := call(t, nil, append(strings.Fields(verb), "home.yaml")...)
				if a.code != c.code || a.out != "" {
					t.Errorf("want exit code %d and nothing on standard output: %s", c.code, a)
				}
				for _, w := range c.want {
					if !strings.Contains(a.err, w) {
						t.Errorf("the message does not have %q:\n%s", w, a.err)
					}
				}
				if !strings.HasPrefix(a.err, "home.yaml:") {
					t.Errorf("the message does not start with its place:\n%s", a.err)
				}
				noEscape(t, a)
			})
		}
	}
}

func TestPlanOfExamples(t *testing.T) {
	totals := map[string]string{ // with spares, of which spares
		"nas-40g":  "94.53 USD",
		"mesh-10g": "120",
	}
	for _, name := range examples {
		t.Run(name, func(t *testing.T) {
			text := call(t, nil, "plan", example(name))
			o := call(t, nil, "plan", example(name), "--json")
			if text.code != o.code || text.code != exitDone && text.code != exitMissed || text.err != "" || o.err != "" {
				t.Fatalf("%s\n%s", text, o)
			}
			noEscape(t, text)
			for _, want := range []string{name, "bill of materials", "cables", "addresses", totals[name]} {
				if !strings.Contains(text.out, want) {
					t.Errorf("the plan does not have %q:\n%s", want, text.out)
				}
			}
			for i, line := range strings.Split(text.out, "\n") {
				if n := len([]rune(line)); n > 130 {
					t.Errorf("line %d has %d columns: %s", i+1, n, line)
				}
			}
			p := o.object(t, "linerate/plan/1")
			bom := mapping(t, p, "bom")
			for _, it := range list(t, bom, "items") {
				keys(t, "bom.items[]", it, "part", "role", "count", "unit_price", "currency", "total")
			}
			for _, it := range list(t, bom, "totals") {
				keys(t, "bom.totals[]", it, "currency", "amount", "spares", "unpriced")
			}
			for _, it := range list(t, p, "cables") {
				keys(t, "cables[]", it, "label", "ends", "part", "length_m")
			}
			for _, it := range list(t, p, "addresses") {
				keys(t, "addresses[]", it, "host", "port", "interface", "address", "prefix", "subnet", "link")
			}
			severe := false
			for _, it := range list(t, p, "problems") {
				keys(t, "problems[]", it, "id", "severity", "subject", "message", "fix")
				severe = severe || it["severity"] == "error"
			}
			if severe != (o.code == exitMissed) {
				t.Errorf("exit code %d, a problem of severity error: %v", o.code, severe)
			}
			if len(list(t, bom, "items")) == 0 || len(list(t, p, "cables")) == 0 || len(list(t, p, "addresses")) == 0 {
				t.Error("no parts, cables or addresses")
			}
		})
	}
}

// The totals that the documents behind two examples give.
func TestTotals(t *testing.T) {
	for name, want := range map[string]float64{"nas-40g": 94.53, "mesh-10g": 120 + 30} {
		p := call(t, nil, "plan", example(name), "--json").object(t, "linerate/plan/1")
		total := list(t, mapping(t, p, "bom"), "totals")
		if len(total) != 1 || fmt.Sprint(total[0]["amount"]) != fmt.Sprint(want) || total[0]["currency"] != "USD" {
			t.Errorf("%s: %v, want %v USD", name, total, want)
		}
	}
}

func mapping(t *testing.T, in map[string]any, key string) map[string]any {
	t.Helper()
	o, ok := in[key].(map[string]any)
	if !ok {
		t.Fatalf("%s is no object: %v", key, in[key])
	}
	return o
}

func list(t *testing.T, in map[string]any, key string) (out []map[string]any) {
	t.Helper()
	items, ok := in[key].([]any)
	if !ok {
		t.Fatalf("%s is no list: %v", key, in[key])
	}
	for _, it := range items {
		o, ok := it.(map[string]any)
		if !ok {
			t.Fatalf("%s has an item that is no object: %v", key, it)
		}
		out = append(out, o)
	}
	return out
}

func keys(t *testing.T, what string, in map[string]any, want ...string) {
	t.Helper()
	for _, k := range want {
		if _, ok := in[k]; !ok {
			t.Errorf("%s has no %s: %v", what, k, in)
		}
	}
}

func TestParts(t *testing.T) {
	if a := call(t, nil, "parts"); a.code != exitDone || strings.Count(a.out, "\n") < 30 || a.err != "" {
		t.Errorf("parts: %s", a)
	}
	several := call(t, nil, "parts", "chelsio")
	if several.code != exitDone || !strings.Contains(several.out, "S320E") && !strings.Contains(several.out, "s320e") {
		t.Errorf("parts chelsio: %s", several)
	}
	one := call(t, nil, "parts", "MCX354A-FCCT")
	if one.code != exitDone || !strings.Contains(one.out, "source of ") || !strings.Contains(one.out, "40") {
		t.Errorf("parts MCX354A-FCCT: %s", one)
	}
	o := call(t, nil, "parts", "MCX354A-FCCT", "--json").object(t, "linerate/parts/1")
	if n := len(list(t, o, "parts")); n != 1 {
		t.Errorf("%d parts", n)
	}
	if a := call(t, nil, "parts", "--json", "thereisnosuchpart"); a.code != exitInput || a.out != "" {
		t.Errorf("an unknown part as JSON: %s", a)
	}
}

func TestCeilingByFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--rate 40G --mtu 9000":                             "39.6 Gb/s",
		"--rate 10G":                                        "9.41 Gb/s",
		"--rate 10G --no-timestamps":                        "9.49 Gb/s",
		"--rate 10G --ipv6":                                 "9.28 Gb/s",
		"--rate 10G --vlan":                                 "9.39 Gb/s",
		"--rate 10G --transport udp":                        "9.57 Gb/s",
		"--rate 100G --mtu 9000 --transport tcp,udp --vlan": "UDP: ",
	} {
		a := call(t, nil, append([]string{"ceiling"}, strings.Fields(args)...)...)
		if a.code != exitDone || a.err != "" || !strings.Contains(a.out, want) {
			t.Errorf("ceiling %s: want %s: %s", args, want, a)
		}
	}
	o := call(t, nil, "ceiling", "--rate", "40G", "--mtu", "9000", "--json").object(t, "linerate/ceiling/1")
	paths := list(t, o, "paths")
	if len(paths) != 1 {
		t.Fatalf("%d paths", len(paths))
	}
	keys(t, "paths[]", paths[0], "from", "to", "direction", "transport", "hops", "limit")
	limit := mapping(t, paths[0], "limit")
	keys(t, "limit", limit, "component", "bits_per_second")
	if v, _ := limit["bits_per_second"].(float64); v < 39.60e9 || v > 39.61e9 { // 40e9 x 8948/9038
		t.Errorf("limit %v, want 39.6 Gb/s", limit)
	}
}

func TestCeilingOfExamples(t *testing.T) {
	for _, name := range examples {
		a := call(t, nil, "ceiling", example(name))
		o := call(t, nil, "ceiling", example(name), "--json")
		if a.code != exitDone || o.code != exitDone || a.err+o.err != "" {
			t.Errorf("%s: %s\n%s", name, a, o)
			continue
		}
		for _, p := range list(t, o.object(t, "linerate/ceiling/1"), "paths") {
			keys(t, "paths[]", p, "from", "to", "direction", "transport", "hops", "limit")
		}
	}
}

func TestVersion(t *testing.T) {
	if a := call(t, nil, "version"); a.code != exitDone || !strings.HasPrefix(a.out, "linerate ") || a.err != "" {
		t.Errorf("%s", a)
	}
	o := call(t, nil, "version", "--json").object(t, "linerate/version/1")
	keys(t, "version", o, "version", "go", "os", "arch")
}

// ASCII where the locale is no UTF-8 one, and no colour in any case without a terminal.
func TestLocale(t *testing.T) {
	for _, vars := range [][]string{{"LC_ALL=C"}, {"LANG=de_DE.ISO-8859-1"}, {"LC_ALL=POSIX", "LANG=en_GB.UTF-8"}} {
		a := call(t, vars, "plan", mesh)
		for _, r := range a.out {
			if r > 0x7e {
				t.Errorf("%v: %q in the output", vars, r)
				break
			}
		}
		noEscape(t, a)
	}
	for _, vars := range [][]string{nil, {"LANG=en_GB.UTF-8"}, {"NO_COLOR=1"}, {"TERM=xterm-256color", "COLORTERM=truecolor"}} {
		a := call(t, vars, "plan", mesh)
		if !strings.Contains(a.out, "──") {
			t.Errorf("%v: no drawn cables:\n%s", vars, a.out)
		}
		noEscape(t, a)
	}
}
