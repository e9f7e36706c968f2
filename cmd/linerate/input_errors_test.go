package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/cli"
	"linerate/internal/cli/results"
	"linerate/internal/testenv"
)

// Every wrong command line: exit code 2, and only a message with the error and a hint.
func TestWrongCommandLines(t *testing.T) {
	full := t.TempDir()
	testenv.WriteFile(t, filepath.Join(full, "mine"), "", 0o600)
	for _, c := range []struct {
		args string
		want []string // in the message
	}{
		{"frobnicate", []string{`linerate has no command "frobnicate"`, "help: linerate --help"}},
		{"quik nas", []string{"help: did you mean linerate quick?\nhelp: linerate --help"}},
		{"lab exce", []string{"help: did you mean linerate lab exec?"}},
		{"help nosuch", []string{`linerate has no command "nosuch"`, "help: linerate --help"}},
		{"help pln", []string{`no command "pln"`, "help: did you mean linerate plan?"}},
		{"help lab dwon", []string{`linerate lab has no command "dwon"`, "help: did you mean linerate lab down?"}},
		{"plan --frob " + mesh, []string{"linerate plan has no flag --frob", "linerate plan --help"}},
		{"run --speed 10G", []string{"linerate run has no flag --speed\nhelp: --speed is a flag of linerate suggest\n"}},
		{"quick nas --streams 4", []string{"help: --streams is a flag of linerate measure, linerate whatif"}},
		{"run --sede 1", []string{"help: did you mean --seed?"}},
		{"compare pic.png latest", []string{"pic.png: a picture has no figures", "help: linerate compare RUN RUN",
			"linerate share RUN > FILE.txt"}},
		{"share latest.svg", []string{"latest.svg: a picture has no figures"}},
		{"explain nofile.txt", []string{"error: nofile.txt: no such file\nhelp: linerate explain FILE"}},
		{"explain FULL/mime", []string{"no such file\nhelp: did you mean " + filepath.Join(full, "mine") + "?\n"}},
		{"plan", []string{"FABRIC.yaml"}},
		{"plan a b", []string{"error: a: no such file", "error: b: no such file"}},
		{"lab frob", []string{`linerate lab has no command "frob"`, "linerate lab --help"}},
		{"lab exec", []string{"[ID/]HOST -- COMMAND"}},
		{"lab exec -o/x -- true", []string{"linerate lab exec has no flag -o"}},
		{"version extra", []string{"unexpected argument extra"}},
		{"plan /does/not/exist.yaml", []string{"/does/not/exist.yaml", "no such file"}},
		{"plan FULL", []string{"folder"}},
		{"plan " + mesh + " --variant nope", []string{"nope", "variant"}},
		{"parts connectx-33", []string{"did you mean ConnectX-3 EN?"}},
		{"parts thereisnosuchpart", []string{"thereisnosuchpart", "linerate parts WORD"}},
		{"ceiling", []string{"--link"}},
		{"ceiling --link 40g", []string{`"40g"`, "40G"}},
		{"ceiling --link 0G", []string{"--link"}},
		{"ceiling --link -1G", []string{"--link"}},
		{"ceiling --link NaN", []string{"--link"}},
		{"ceiling --link 40G --mtu 12", []string{"MTU 12", "68"}},
		{"ceiling --link 40G --mtu 70000", []string{"MTU 70000", "65535"}},
		{"ceiling --link 40G --mtu nine", []string{"nine"}},
		{"ceiling --link 40G --transport tpc", []string{"tpc", "tcp", "udp"}},
		{"facts ssh nas", []string{"ssh is not a host", `linerate facts "ssh HOST"`}},
		{"facts nas " + mesh, []string{"exclude each other"}},
		{"facts nas --under-load", []string{"--under-load", "name a fabric file"}},
		{"facts nas --in-lab a1b2", []string{"--in-lab", "name the file"}},
		{"facts nowhere.yaml", []string{"nowhere.yaml", "no such file"}},
		{"doctor ssh nas", []string{"ssh is not a host", `linerate doctor "ssh HOST"`}},
		{"doctor -oProxyCommand=x", []string{"linerate doctor has no flag -o"}},
		{"doctor nas nas", []string{"there twice"}},
		{"doctor nas;x", []string{"nas;x"}},
		{"doctor n[1-", []string{"n[1-"}},
		{"doctor nas --timeout 0s", []string{"--timeout 0s", "20s"}},
		{"doctor nowhere.yaml", []string{"nowhere.yaml", "no such file"}},
		{"doctor a.yaml b.yaml", []string{"one file at a time"}},
		{"report nope", []string{`no run is called "nope"`}},
		{"report latest", []string{"the folder runs has no run"}},
		{"report", []string{"RUN"}},
		{"explain nope", []string{"nope: no such file, run or problem"}},
		{"explain FULL", []string{"nothing was recognised", "mine: it is empty"}},
		{"run " + mesh + " -o FULL", []string{"is not empty", "-o"}},
		{"run " + mesh + " --resume -o FULL", []string{full}},
		{"run " + mesh + " --resume", []string{"no incomplete run"}},
		{"run " + mesh + " --experiments nope", []string{`no experiment is called "nope"`, "raw"}},
		{"run " + mesh + " --scale 0.1", []string{"--scale", "--lab"}},
		{"run " + mesh + " --lab --scale 2", []string{"--scale 2"}},
		{"run " + mesh + " --lab --scale -1", []string{"--scale -1"}},
		{"run " + mesh + " --lab --scale NaN", []string{"--scale"}},
		{"lab up " + mesh + " --scale 2", []string{"--scale 2"}},
		{"run " + mesh + " --lab --repeats -1", []string{"--repeats -1"}},
		{"run " + mesh + " --budget 5", []string{"--budget", `"5"`}},
		{"run " + mesh + " --budget -5s", []string{"--budget"}},
		{"run " + mesh + " --in-lab nope", []string{"lab nope"}},
		{"run " + mesh + " --lab=ab12", []string{"takes no id", "help: for a lab that is up write --in-lab ab12"}},
		{"run " + mesh + " --lab ab12", []string{"takes no id", "help: for a lab that is up write --in-lab ab12"}},
		{"run " + mesh + " --lab --in-lab ab12", []string{"give one of the two"}},
		{"quick --lab=ab12", []string{"help: for a lab that is up write --in-lab ab12"}},
		{"quick --lab --in-lab ab12", []string{"give one of the two"}},
		{"quick nas --in-lab ab12", []string{"name two hosts of that lab"}},
		{"quick nas --from desktop --in-lab zzzz", []string{"no lab zzzz is up"}},
		{"doctor --in-lab ab12", []string{"name the fabric file"}},
		{"doctor " + mesh + " --in-lab zzzz", []string{"no lab zzzz is up"}},
		{"doctor " + mesh + " --lab --in-lab zzzz", []string{"give one of the two"}},
		{"check " + mesh + " --lab zzzz", []string{"write --in-lab ID"}},
		{"measure frob nas", []string{"frob", "throughput", "latency"}},
		{"measure throughput", []string{"linerate measure throughput HOST", "--to"}},
		{"measure latency", []string{"linerate measure latency HOST", "--to"}},
		{"measure througput nas", []string{`unknown method "througput"`,
			"help: write linerate measure throughput"}},
		{"measure storag nas", []string{"write linerate measure storage"}},
		{"measure iperf3 nas", []string{"write linerate measure throughput"}},
		{"measure fio nas", []string{"write linerate measure storage"}},
		{"measure throughput nas --direction upload",
			[]string{`--direction: unknown value "upload"`, "out, in or both", "write --direction out"}},
		{"measure " + method.Named(method.RDMA).Alias, []string{"linerate measure rdma HOST"}},
		{"measure halo nas", []string{"measure halo: it needs a fabric file", "linerate run FABRIC.yaml"}},
		{"measure throughput nas --link fast", []string{"--link", "fast"}},
		{"measure throughput nas --time 4", []string{"--time"}},
		{"measure throughput nas --direction up", []string{`--direction: unknown value "up"`, "out, in or both"}},
		{"measure throughput -- -oProxyCommand=x", []string{"ssh"}},
		{"measure throughput nas --streams 0", []string{"--streams: 0", "1 to 1024"}},
		{"measure throughput nas --streams 1025", []string{"--streams: 1025", "1 to 1024"}},
		{"measure throughput nas --streams abc", []string{"--streams", `"abc"`}},
		{"measure throughput nas --size 0", []string{"--size: 0", "1 B to 64 MiB"}},
		{"measure throughput nas --size 512B..65MiB", []string{"--size: 65MiB", "1 B to 64 MiB"}},
		{"measure throughput nas --time 0", []string{"--time", `"0"`, "500ms"}},
		{"measure throughput nas --pace 0", []string{"--pace", `"0"`, "940M"}},
		{"measure throughput nas --link 0G", []string{"--link 0G", "more than nothing"}},
		{"measure throughput nas --repeats 0", []string{"--repeats 0", "at least 1"}},
		{"measure throughput nas --repeats x", []string{"--repeats x is not valid\nhelp: write a whole number"}},
		{"measure throughput nas --seed -1", []string{"--seed -1 is not valid\nhelp: write a whole number"}},
		{"measure throughput nas --transport ftp", []string{"--transport", "tcp, udp or mptcp"}},
		{"measure throughput nas --to-address nas", []string{"--to-address nas: not an IP address"}},
		{"measure throughput nas --to local", []string{"--to local", "nas", "named twice"}},
		{"measure throughput nas --like-an-application --copy-mode none",
			[]string{"--copy-mode none contradicts --like-an-application"}},
		{"measure throughput nas --compare-with=--frob", []string{"--compare-with", "unknown flag: --frob"}},
		{"measure throughput nas --compare-with=--seed=x", []string{"--compare-with",
			"--seed x is not valid\nhelp: write a whole number"}},
		{"measure throughput nas --compare-with=--streams=0", []string{"--compare-with: --streams: 0"}},
		{"measure latency nas --copy-mode none", []string{"--copy-mode: latency has no copy_mode"}},
		{"measure latency nas --batch 2", []string{"--batch: latency has no batch"}},
		{"measure throughput nas --fragment", []string{"fragment", "udp"}},
		{"measure throughput nas --agent /does/not/exist", []string{"--agent", "/does/not/exist"}},
		{"measure throughput a b", []string{"unexpected argument b", "measure --help"}},
		{"measure", []string{"missing throughput|latency"}},
		{"run " + mesh + " --lab --scale abc", []string{"--scale abc is not valid\nhelp: write a number"}},
		{"lab up " + mesh + " --scale abc", []string{"--scale abc is not valid\nhelp: write a number"}},
		{"run " + mesh + " --lab --repeats 99999999999999999999", []string{"--repeats 99999999999999999999: more than"}},
		{"plan " + mesh + " --json=maybe", []string{"--json maybe is not valid\nhelp: write true or false"}},
		{"plan " + mesh + " --varian x", []string{"linerate plan has no flag --varian", "help: did you mean --variant?"}},
		{"lab down", []string{"no lab is up"}},
		{"lab exec nas -- true", []string{"no lab is up", "lab up FABRIC.yaml"}},
		{"lab exec x/nas -- true", []string{"no lab x is up", "linerate lab list"}},
		{"facts", []string{"--local"}},
		{"facts " + mesh, []string{"no host of mesh-10g has a connection", "--in-lab ID"}},
		{"facts " + mesh + " -o x --in-lab zzzz", []string{"no lab zzzz is up"}},
		{"facts --local --in-lab zzzz", []string{"--in-lab is of a fabric file"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
			if slices.Contains(c.want, "no lab is up") { // root's labs are in one place for all of root's programs
				if up := call(t, nil, "lab", "list"); !strings.Contains(up.out, "no lab is up") {
					t.Skip("a lab of somebody else is up, which is left alone: " + up.out)
				}
			}
			args := strings.Fields(c.args)
			for i, arg := range args { // after the line was split: both may contain blanks
				args[i] = strings.NewReplacer(mesh, abs(t, mesh), "FULL", full).Replace(arg)
			}
			a := call(t, nil, args...)
			if a.code != cli.ExitInput || a.out != "" {
				t.Errorf("want exit code 2 and nothing on standard output: %s", a)
			}
			testenv.Contains(t, a, a.err, c.want...)
			if lines := strings.Count(a.err, "\n"); lines > 12 || strings.Contains(a.err, "goroutine") {
				t.Errorf("a message of %d lines: %s", lines, a.err)
			}
			if left, _ := os.ReadDir("."); len(left) > 0 {
				t.Errorf("it left %v behind", left)
			}
			noEscape(t, a)
		})
	}
}

// All errors of one command line come together: those of the parser, of the arguments and of the values.
func TestErrorsTogether(t *testing.T) {
	for line, want := range map[string][]string{
		"measure throughput nas --streams 0,abc --stream 4 --seed -1 --pace fast --until 5 --order some --repeats 0 " +
			"--to-address x --direction up": {"linerate measure has no flag --stream", "help: did you mean --streams?",
			"--streams: 0",
			`--streams: "abc"`, "--seed -1", "--pace", "--until 5", "--order some", "--repeats 0", "--to-address x",
			"--direction"},
		"run --lab --scale abc --budget 5 --repeats x": {"--scale abc", "--repeats x", "--budget",
			"missing FABRIC.yaml"},
		"run x.yaml --budget 5 --repeats 0 --scale 2":  {"--budget", "--repeats 0", "--scale"},
		"ceiling --link 0G --mtu nine --transport tpc": {"--link 0G", "--mtu nine", `--transport: unknown value "tpc"`},
		"measure frob --until x --from a;b --to c;d":   {`unknown method "frob"`, "--until x", "--from", "--to"},
	} {
		a := call(t, nil, strings.Fields(line)...)
		if a.code != cli.ExitInput || a.out != "" || strings.Contains(a.err, "strconv") {
			t.Errorf("%s: want exit code 2: %s", line, a)
		}
		testenv.Contains(t, line, a.err, want...)
	}
}

// sources is the folder of this package, before a test changes the current folder.
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
		{"unknown key", "fabric: x\nhosts:\n  a: {os: linux, nic: {}}\n  b: {os: linux}\nlinks: [{ends: [a.x, b.x]}]\n",
			cli.ExitInput, []string{"--> home.yaml:3:18\n", "did you mean nics?",
				"\n 3 |   a: {os: linux, nic: {}}\n   |                  ^^^ "}},
		{"several at once", "fabric: x\nhosts:\n  a: {os: linus}\nlinks: []\nmtu: 12\n", cli.ExitInput,
			[]string{":3:11\n", ":5:6\n"}},
		{"empty", "", cli.ExitInput, []string{":1:1\n"}},
		{"tab", "fabric: x\nhosts:\n\ta: {os: linux}\n", cli.ExitInput, []string{":3:1\n"}},
		{"no hosts", "fabric: x\nhosts: {}\nlinks: []\n", cli.ExitInput, []string{":2:8\n", "the fabric has no hosts"}},
		{"misspelt connection", "fabric: x\nhosts:\n  a: {os: linux, connect: shh root@b}\nlinks: []\n", cli.ExitInput,
			[]string{":3:27\n", "did you mean ssh root@b?"}},
		{"refused connection", "fabric: x\nhosts:\n  a: {os: linux, connect: \"ssh -o ProxyCommand=x b\"}\n  b: {os: " +
			"linux}\nlinks: []\n", cli.ExitRefused, []string{":3:27\n", `"-o"`, "^"}},
		{"steers the terminal", "fabric: \"x\\e[2J\"\nhosts: {a: {os: linux}}\nlinks: []\nmtu: \"\\e[31m12\"\n",
			cli.ExitInput, []string{":4:6\n"}},
	} {
		for _, verb := range []string{"plan", "ceiling", "run", "lab up"} {
			t.Run(c.name+" "+verb, func(t *testing.T) {
				dir := t.TempDir()
				t.Chdir(dir)
				testenv.WriteFile(t, "home.yaml", []byte(c.text), 0o600)
				a := call(t, nil, append(strings.Fields(verb), "home.yaml")...)
				if a.code != c.code || a.out != "" {
					t.Errorf("want exit code %d and nothing on standard output: %s", c.code, a)
				}
				testenv.Contains(t, a, a.err, c.want...)
				if !strings.HasPrefix(a.err, "error: ") || !strings.Contains(a.err, "--> home.yaml:") {
					t.Errorf("the message has no place:\n%s", a.err)
				}
				noEscape(t, a)
			})
		}
	}
}

const twoHostFabric = `fabric: two
hosts:
  a: {os: linux, CONNECTION nics: {x: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
  b: {os: linux, nics: {x: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
links:
  - {ends: [a.x, b.x], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 3m}}}
experiments:
  raw: {method: throughput, from: a, to: b, streams: [1, 8], time: 200ms, repeats: 1}
`

// If no host can be reached, a run ends at once and leaves nothing; otherwise unreachable hosts are reported once.
func TestRunUnreached(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	file, dir := p.path("two.yaml"), p.path("r")
	run := func(connection string) answer {
		testenv.WriteFile(t, file, []byte(strings.Replace(twoHostFabric, "CONNECTION", connection, 1)), 0o644)
		return p.linerate(t, "run", file, "-o", dir)
	}
	for connection, says := range map[string][]string{
		"": {"no host can be reached, so nothing can be measured", "a, b have no connection in " + file,
			"connect: ssh USER@a",
			"linerate run " + file + " --lab"},
		"connect: netns no-such-namespace-of-linerate,": {"no host could be used, so nothing can be measured",
			"no-such-namespace-of-linerate", "b: it has no connection"},
	} {
		a := run(connection)
		testenv.Contains(t, connection, a.err, says...)
		if a.code != cli.ExitIncomplete || results.FileThere(dir) || strings.Contains(a.err, "failed") ||
			strings.Contains(a.out, "report") {
			t.Errorf("%q: want exit code %d and no run folder: %s", connection, cli.ExitIncomplete, a)
		}
	}
	a := run("connect: local,")
	if a.code != cli.ExitIncomplete || strings.Count(a.err,
		"tests are left out: b could not be used") != 1 || strings.Contains(a.err, "1/1  ") {
		t.Errorf("one of two: %s", a)
	}
	if strings.Contains(a.out, "--resume") {
		t.Errorf("nothing was measured, and --resume is advised: %s", a)
	}
	testenv.Contains(t, a, a.out, "Nothing could be measured", "failed: ")
}
