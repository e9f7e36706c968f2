package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/spf13/pflag"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// commandVerbs are all commands of the program, without flags: "lab up".
func commandVerbs(e *cli.Env) (out []string) {
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		for _, s := range c.Commands() {
			here := append(slices.Clone(path), s.Name())
			out = append(out, strings.Join(here, " "))
			walk(s, here)
		}
	}
	walk(commandTree(e), nil)
	sort.Strings(out)
	return out
}

// noEscape fails when output for something other than a terminal contains escape sequences.
func noEscape(t *testing.T, a answer) {
	t.Helper()
	if strings.ContainsRune(a.out+a.err, 0x1b) {
		t.Errorf("an escape character in what is not a terminal:\n%q", a.out+a.err)
	}
}

// helpFits tests that a help fits one screen.
func helpFits(t *testing.T, help string) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(help, "\n"), "\n")
	if !strings.Contains(help, "\nUsage: ") || len(lines) > 40 {
		t.Errorf("no help, or %d lines, more than 40:\n%s", len(lines), help)
	}
	for _, line := range lines {
		if n := len([]rune(line)); n > 100 {
			t.Errorf("%d columns, more than 100: %s", n, line)
		}
	}
}

func TestHelp(t *testing.T) {
	all := commandVerbs(&cli.Env{})
	for _, want := range []string{"agent", "ceiling", "explain", "facts", "lab", "lab down", "lab exec", "lab list",
		"lab up", "measure", "parts", "plan", "report", "run", "version"} {
		if !slices.Contains(all, want) {
			t.Errorf("there is no verb %s", want)
		}
	}
	for _, verb := range append(all, "") {
		t.Run(verb, func(t *testing.T) {
			a := call(t, nil, append(strings.Fields(verb), "--help")...)
			if a.code != cli.ExitDone || a.err != "" {
				t.Errorf("want exit code 0 and nothing on standard error: %s", a)
			}
			helpFits(t, a.out)
			c, _, err := commandTree((&cli.Env{})).Find(strings.Fields(verb))
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(c.Example, "\n")
			if start := c.Short + ".\n\nExamples:\n" + first; c.Example == "" && verb != "docs" || c.Example != "" &&
				!strings.HasPrefix(a.out, start) {
				t.Errorf("it does not begin with what it is for and examples: %s", a)
			}
			every := call(t, nil, append(strings.Fields(verb), "--help-all")...).ends(t, cli.ExitDone)
			c.Flags().VisitAll(func(f *pflag.Flag) {
				own := !f.Hidden && f.Name != "help" && f.Name != "version" && verb != "measure"
				if own && !strings.Contains(every.out, "--"+f.Name) {
					t.Errorf("--help-all is without --%s", f.Name)
				}
			})
			// The text of these was written for a terminal of 80 columns, and a little more for names.
			for _, line := range strings.Split(c.Long, "\n") {
				if slices.Contains([]string{"", "compare", "init", "quick", "agent"}, verb) && len([]rune(line)) > 90 {
					t.Errorf("%d columns: %s", len([]rune(line)), line)
				}
			}
			noEscape(t, a)
		})
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
			if text.code != o.code || text.code != cli.ExitDone && text.code != cli.ExitMissed || text.err != "" || o.err != "" {
				t.Fatalf("%s\n%s", text, o)
			}
			noEscape(t, text)
			testenv.Contains(t, text, text.out, name, "bill of materials", "cables", "addresses", totals[name])
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
			if severe != (o.code == cli.ExitMissed) {
				t.Errorf("exit code %d, a problem of severity error: %v", o.code, severe)
			}
			if len(list(t, bom, "items")) == 0 || len(list(t, p, "cables")) == 0 || len(list(t, p, "addresses")) == 0 {
				t.Error("no parts, cables or addresses")
			}
		})
	}
}

// The totals in the documents of two examples.
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
		t.Fatalf("%s is not an object: %v", key, in[key])
	}
	return o
}

func list(t *testing.T, in map[string]any, key string) (out []map[string]any) {
	t.Helper()
	items, ok := in[key].([]any)
	if !ok {
		t.Fatalf("%s is not a list: %v", key, in[key])
	}
	for _, it := range items {
		o, ok := it.(map[string]any)
		if !ok {
			t.Fatalf("%s has an item that is not an object: %v", key, it)
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
	if a := call(t, nil, "parts"); a.code != cli.ExitDone || strings.Count(a.out, "\n") < 30 || a.err != "" {
		t.Errorf("parts: %s", a)
	}
	several := call(t, nil, "parts", "chelsio")
	if several.code != cli.ExitDone || !strings.Contains(several.out, "S320E") && !strings.Contains(several.out, "s320e") {
		t.Errorf("parts chelsio: %s", several)
	}
	one := call(t, nil, "parts", "MCX354A-FCCT")
	if one.code != cli.ExitDone || !strings.Contains(one.out, "\nsources\n") || !strings.Contains(one.out, "40") {
		t.Errorf("parts MCX354A-FCCT: %s", one)
	}
	o := call(t, nil, "parts", "MCX354A-FCCT", "--json").object(t, "linerate/parts/1")
	if n := len(list(t, o, "parts")); n != 1 {
		t.Errorf("%d parts", n)
	}
	if a := call(t, nil, "parts", "--json", "thereisnosuchpart"); a.code != cli.ExitInput || a.out != "" {
		t.Errorf("an unknown part as JSON: %s", a)
	}
}

func TestPartsCheck(t *testing.T) {
	good, bad := filepath.Join(t.TempDir(), "good.yaml"), filepath.Join(t.TempDir(), "bad.yaml")
	const entry = "parts:\n  - id: mine\n    name: My DAC\n    kind: cable\n    media: dac\n    ends: [sfp+, sfp+]\n   " +
		" length: %s\n    sources: {length: [recall]}\n    confidence: low\n"
	for file, length := range map[string]string{good: "3m", bad: "3 feet"} {
		testenv.WriteFile(t, file, fmt.Appendf(nil, entry, length), 0o600)
	}
	if a := call(t, nil, "parts", "--check", good); a.code != cli.ExitDone ||
		!strings.Contains(a.out, "good.yaml: no errors") {
		t.Errorf("a good file: %s", a)
	}
	if a := call(t, nil, "parts", "--check", good, "--check", bad); a.code != cli.ExitInput || a.out != "" ||
		!strings.Contains(a.err, "bad.yaml:7:13\n") {
		t.Errorf("a bad file: %s", a)
	}
	a := call(t, nil, "parts", "--check", bad, "--json")
	if n := len(list(t, a.object(t, "linerate/parts-check/1"), "problems")); a.code != cli.ExitInput || n != 1 {
		t.Errorf("as JSON: %s", a)
	}
	if a := call(t, nil, "parts", "--check", "nothere.yaml"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "nothere.yaml") {
		t.Errorf("no file: %s", a)
	}
	if a := call(t, nil, "parts", "--check", good, "chelsio"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "chelsio") {
		t.Errorf("a word as well: %s", a)
	}
}

func TestCeilingByFlags(t *testing.T) {
	for args, want := range map[string]string{"--link 40G --mtu 9000": "39.6 Gb/s", "--link 10G": "9.41 Gb/s",
		"--link 10G --no-timestamps": "9.49 Gb/s", "--link 10G --ipv6": "9.28 Gb/s", "--link 10G --vlan": "9.39 Gb/s",
		"--link 10G --transport udp": "9.57 Gb/s", "--link 100G --mtu 9000 --transport tcp,udp --vlan": "UDP: "} {
		a := call(t, nil, append([]string{"ceiling"}, strings.Fields(args)...)...)
		if a.code != cli.ExitDone || a.err != "" || !strings.Contains(a.out, want) {
			t.Errorf("ceiling %s: want %s: %s", args, want, a)
		}
	}
	o := call(t, nil, "ceiling", "--link", "40G", "--mtu", "9000", "--json").object(t, "linerate/ceiling/1")
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
		if a.code != cli.ExitDone || o.code != cli.ExitDone || a.err+o.err != "" {
			t.Errorf("%s: %s\n%s", name, a, o)
			continue
		}
		for _, p := range list(t, o.object(t, "linerate/ceiling/1"), "paths") {
			keys(t, "paths[]", p, "from", "to", "direction", "transport", "hops", "limit")
		}
	}
}

func TestVersion(t *testing.T) {
	if a := call(t, nil, "version"); a.code != cli.ExitDone || !strings.HasPrefix(a.out, "linerate ") || a.err != "" {
		t.Errorf("%s", a)
	}
	o := call(t, nil, "version", "--json").object(t, "linerate/version/1")
	keys(t, "version", o, "version", "go", "os", "arch")
}

// ASCII where the locale is not UTF-8, and never colour without a terminal.
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
	for _, vars := range [][]string{nil, {"LANG=en_GB.UTF-8"}, {"NO_COLOR=1"},
		{"TERM=xterm-256color", "COLORTERM=truecolor"}} {
		a := call(t, vars, "plan", mesh)
		if !strings.Contains(a.out, "──") {
			t.Errorf("%v: no drawn cables:\n%s", vars, a.out)
		}
		noEscape(t, a)
	}
}

// Where two hosts are joined twice, each path names its cable.
func TestCeilingsOfTwoCables(t *testing.T) {
	headers := map[string]bool{}
	for line := range strings.Lines(call(t, nil, "ceiling", example("pairs-ib")).out) {
		head, _, found := strings.Cut(line, ": at most ")
		if !found {
			continue
		}
		if headers[head] {
			t.Errorf("two paths are called %q", head)
		}
		headers[head] = true
	}
	if of := "n1 -> n2 over link n1.infinihost.1--ibold.1, "; !headers[of+"RDMA over InfiniBand"] ||
		!headers[of+"TCP over IPoIB (datagrams)"] {
		t.Errorf("paths %v", headers)
	}
	if out := call(t, nil, "ceiling", example("pairs-ib")).out; !strings.Contains(out,
		"link n1.connectx.1--ibnew.1         15.8 Gb/s  signalling * lanes * 8 / 10 * path_mtu / (path_mtu + 26)") {
		t.Errorf("RDMA has no framing of its own: %s", out)
	}
	if a := call(t, nil, "ceiling", mesh); strings.Contains(a.out, " over link") ||
		strings.Contains(a.out, "InfiniBand") || strings.Contains(a.out, "IPoIB") {
		t.Errorf("hosts that are joined once: %s", a.out)
	}
}
