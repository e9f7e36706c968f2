package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

const appFabric = `
fabric: apps
hosts:
  "n[1-4]": {os: linux, nics: {a: {part: {kind: nic, speed: 10G, cage: sfp+}}, b: {part: {kind: nic, speed: 10G, cage: sfp+}}}}
  alone: {os: linux}
switches:
  "s[1-2]": {part: {kind: switch, speed: 10G, ports: 8, cage: sfp+}}
links:
  - {ends: ["n[1-4].a.1", "s1.[1-4]"], subnet: 10.1.0.0/24, cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
  - {ends: ["n[1-4].b.1", "s2.[1-4]"], subnet: 10.2.0.0/24, cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
experiments:
`

func appPlan(t *testing.T, experiment string) *plan.Plan {
	t.Helper()
	catalog := partsOnce(t)
	f, problems := fabric.Parse("apps.yaml", []byte(appFabric+"  x: "+experiment+"\n"), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// appCells are the cells of an experiment of that fabric.
func appCells(t *testing.T, experiment string, o Options) []*Cell {
	t.Helper()
	cells, err := Cells(appPlan(t, experiment), o)
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

func TestAppCells(t *testing.T) {
	allowed := Options{Commands: true}
	for name, c := range map[string]struct {
		experiment string
		o          Options
		want       string // of NotRun; empty: it is run
	}{
		"not allowed":   {`{method: app, on: n1, command: "rm -rf x"}`, Options{}, "rm -rf x; read it, and allow it with --allow-commands"},
		"all is shown":  {`{method: app, from: n1, to: n2, via: a, command: x, server: "y z", files: [in.x]}`, Options{}, "on n2: y z; on n1: x; with the files in.x; read it"},
		"allowed":       {`{method: app, on: n1, command: "rm -rf x"}`, allowed, ""},
		"from alone":    {`{method: app, from: n1, command: true}`, allowed, ""},
		"several paths": {`{method: app, on: "n[1-2]", command: true}`, allowed, "choose one with via: a or b"},
		"via":           {`{method: app, on: "n[1-4]", via: b, command: true}`, allowed, ""},
		"no path":       {`{method: app, on: [n1, alone], command: true}`, allowed, "no link joins n1 and alone"},
		"no server":     {`{method: app, from: n1, to: n2, via: a, command: true}`, allowed, "it has a to and no server"},
		"server":        {`{method: app, from: n1, to: n2, via: a, app: iperf3}`, allowed, ""},
		"server's host": {`{method: app, on: "n[1-2]", via: a, app: iperf3}`, allowed, "write from: HOST and to: HOST"},
		"placeholder":   {`{method: app, on: n1, command: "x {procs}"}`, allowed, "{procs}, which stands for nothing"},
		"own braces":    {`{method: app, on: n1, command: "awk '{print $1}' {}"}`, allowed, ""},
		"a shell":       {`{method: app, on: n1, processes: 3, command: "sh -c 'echo {processes}'"}`, allowed, "sh would read the value of {processes}"},
		"a shell right": {`{method: app, on: n1, processes: 3, command: "sh -c 'echo $1' sh {processes}"}`, allowed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cells := appCells(t, c.experiment, c.o)
			if got := cells[0].Exp.NotRun; len(cells) != 1 || !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%d cells, not run: %q, want %q", len(cells), got, c.want)
			}
		})
	}
}

// TestAppWords: values are parts of words, whatever is in them.
func TestAppWords(t *testing.T) {
	c := appCells(t, `{method: app, on: "n[1-4]", via: b, processes: 6, command: "x 'a b{processes}' {hosts} {addresses} {hostfile} {folder}/y {threads} {host} {interface} {port}"}`, Options{Commands: true})[0]
	got, err := c.filled(c.app.words, 0, 20123)
	if err != nil {
		t.Fatal(err)
	}
	face := c.app.ports[0].Interface
	want := []string{"x", "a b6", "n1,n2,n3,n4", "10.2.0.1,10.2.0.2,10.2.0.3,10.2.0.4", "{folder}/.linerate/hosts", "{folder}/y", "1", "n1", face, "20123"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if c.Exp.From != "n[1-4]" || c.Exp.To != "" || len(c.Exp.Links) != 4 || c.Exp.Ends[3].Address != "10.2.0.4" || !slices.Equal(c.Hosts(), []string{"n1", "n2", "n3", "n4"}) {
		t.Errorf("%+v", c.Exp)
	}
	plain, slots := c.hostLists()
	if plain != "10.2.0.1\n10.2.0.2\n10.2.0.3\n10.2.0.4\n" || slots != "10.2.0.1 slots=2\n10.2.0.2 slots=2\n10.2.0.3 slots=1\n10.2.0.4 slots=1\n" {
		t.Errorf("hosts\n%s\nslots\n%s", plain, slots)
	}
	env := c.mpi(true, false)
	if apart := c.mpi(false, false); !slices.Contains(apart, "UCX_TLS=tcp,self,sm") || slices.Contains(apart, "UCX_TLS=tcp,self") {
		t.Errorf("hosts apart: %q", apart)
	}
	for _, want := range []string{"UCX_TLS=tcp,self", "OMPI_MCA_btl_tcp_if_include=10.2.0.0/24", "OMPI_MCA_plm_rsh_agent={folder}/.linerate/linerate-launch", "HYDRA_IFACE=" + face, "OMPI_MCA_pml=ob1"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in %q", want, env)
		}
	}
	if env := c.mpi(true, true); !slices.Contains(env, "OMPI_MCA_btl=self,tcp") || slices.Contains(env, "OMPI_MCA_btl=self,vader,tcp") {
		t.Errorf("hosts with one shared memory: %q", env)
	}
	for name, host := range map[string]int{"n3": 2, "10.2.0.3": 2, "10.1.0.3": -1, "alone": -1, "": -1} {
		if got := c.app.hostOf(name); got != host {
			t.Errorf("%s is host %d, want %d", name, got, host)
		}
	}
	if _, err := c.filled([]string{"{peer_address}"}, 0, 1); err == nil || !strings.Contains(err.Error(), "of two hosts, and the experiment has 4") {
		t.Errorf("%v", err)
	}
	pair := appCells(t, `{method: app, from: n2, to: n4, via: a, command: "x {peer} {peer address} {address}", server: "y {peer address}"}`, Options{Commands: true})[0]
	client, _ := pair.filled(pair.app.words, 0, 1)
	server, _ := pair.filled(pair.app.serve, 1, 1)
	if !slices.Equal(client, []string{"x", "n4", "10.1.0.4", "10.1.0.2"}) || !slices.Equal(server, []string{"y", "10.1.0.2"}) {
		t.Errorf("%q %q", client, server)
	}
}

// TestAppIDs: the pattern of the figure makes another experiment, the time limit does not.
func TestAppIDs(t *testing.T) {
	id := func(more string) string {
		return appCells(t, `{method: app, on: n1, command: true`+more+`}`, Options{Commands: true})[0].Exp.ID
	}
	if a, b := id(""), id(`, figure: {match: '(\d)'}`); a == b {
		t.Error("two experiments with other figures have one id")
	}
	if a, b := id(""), id(`, time: 3s`); a != b {
		t.Error("the limit changes the id")
	}
}

func TestByPattern(t *testing.T) {
	for name, c := range map[string]struct {
		pattern, text string
		value         float64
		line, wrong   string
	}{
		"one":              {`time (\S+)`, "a\n  time 1.5 s \nb", 1.5, "time 1.5 s", ""},
		"same twice":       {`time (\S+)`, "time 2\ntime 2.0\n", 2, "time 2", ""},
		"thousands":        {`(\S+) ops`, "1,234,567.5 ops", 1234567.5, "1,234,567.5 ops", ""},
		"exponent":         {`x=(\S+)`, "x=-1.5e-3", -1.5e-3, "x=-1.5e-3", ""},
		"none":             {`time (\S+)`, "nothing", 0, "", `nothing in it matches "time (\\S+)"`},
		"two that differ":  {`time (\S+)`, "time 1\ntime 2", 0, "", "matches 2 times, with 1 and 2"},
		"no number":        {`time (\S+)`, "time none", 0, "", `"none", which is no number`},
		"not a number":     {`time (\S+)`, "time NaN", 0, "", "which is no number"},
		"hexadecimal":      {`time (\S+)`, "time 0x10", 0, "", "which is no number"},
		"too large":        {`time (\S+)`, "time 1e999", 0, "", "which is no number"},
		"group not in it":  {`a|time (\S+)`, "a", 0, "", "without its group"},
		"binary before it": {`time (\S+)`, "\x00\xff time 3\xff x", 0, "", "which is no number"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := byPattern(c.pattern, "s")(c.text)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("%+v, %v", got, err)
				}
				return
			}
			if err != nil || got != (reading{c.value, "s", c.line}) {
				t.Fatalf("%+v, %v", got, err)
			}
		})
	}
}

// TestReadyMade: each program of the table reads an output of its own. Those of OSU and IMB have the shape that their documentation shows, and figures
// that nobody measured; the others are captures.
func TestReadyMade(t *testing.T) {
	want := map[string]reading{
		"lammps":       {3.06796, "s", "Loop time of 3.06796 on 4 procs for 60 steps with 4096 atoms"},
		"osu_latency":  {1.12, "us", "8                       1.12"},
		"osu_bw":       {12315.56, "MB/s", "1048576             12315.56"},
		"imb_latency":  {1.1, "us", "8         1000         1.10         7.30"},
		"imb_bw":       {11722.5, "MB/s", "4194304           10       357.80     11722.50"},
		"iperf3":       {809502766.5273218, "bit/s", "end.sum_received.bits_per_second: 809502767"},
		"fio":          {},
		"ib_write_bw":  {},
		"ib_write_lat": {},
	}
	var names []string
	for _, p := range readyMade() {
		names = append(names, p.name)
		if p.command == "" != fabric.NeedsCommand(p.name) {
			t.Errorf("%s: its command is %q, and the file's keys say another thing", p.name, p.command)
		}
		if p.pack == "" && p.source == "" {
			t.Errorf("%s: nothing says where it is from", p.name)
		}
		w, ok := want[p.name]
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join("testdata", "ready", p.name+".txt"))
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := p.read(string(text))
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
		} else if w.unit != "" && got != w {
			t.Errorf("%s: %+v, want %+v", p.name, got, w)
		} else if got.value <= 0 || got.unit == "" || got.line == "" {
			t.Errorf("%s: %+v", p.name, got)
		}
		if got, err := p.read(string(text[:40])); err == nil {
			t.Errorf("%s: cut off it still says %+v", p.name, got)
		}
	}
	slices.Sort(names)
	if have := slices.Sorted(slices.Values(fabric.Apps())); !slices.Equal(have, names) {
		t.Errorf("fabric knows %q, run %q", have, names)
	}
}

// TestAppLack: what is not installed is told with the package.
func TestAppLack(t *testing.T) {
	a := &appCell{}
	for name, want := range map[string]string{"lmp": "apt-get install lammps", "mpirun": "apt-get install openmpi-bin", "ib_read_bw": "apt-get install perftest", "mine": "install it there"} {
		if got := a.lackOf("n3", name); !strings.Contains(got, name+" is not on n3") || !strings.Contains(got, want) {
			t.Error(got)
		}
	}
}

// TestAppEstimate: a command that has not run is taken to need half a minute, one that has as long as it took.
func TestAppEstimate(t *testing.T) {
	c := appCells(t, `{method: app, on: n1, command: true, repeats: 2}`, Options{Commands: true})[0]
	d, steps := Estimate([]Config{{Cells: []*Cell{c}}})
	if steps != 2 || d < 2*appGuess || d > 2*appGuess+10e9 {
		t.Errorf("%d steps, %v", steps, d)
	}
	if c.asked() != AmountLimit {
		t.Errorf("its limit is %v", c.asked())
	}
}

// TestAppFigureOf: from standard output, else with a pattern from standard error; without either the time.
func TestAppFigureOf(t *testing.T) {
	out := &agent.AppOutcome{Seconds: 2.5, Stdout: agent.Kept{Text: []byte("x 1\n")}, Stderr: agent.Kept{Text: []byte("y 2\n")}}
	for pattern, want := range map[string]float64{`x (\d)`: 1, `y (\d)`: 2, "": 2.5} {
		a := &appCell{}
		if pattern != "" {
			a.figure = &fabric.Figure{Match: pattern}
		}
		if got, err := a.read(out); err != nil || got.value != want {
			t.Errorf("%s: %+v, %v", pattern, got, err)
		}
	}
}

// TestAppFiles: files lie below the fabric file's folder, and no link leads out of it.
func TestAppFiles(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	for name, text := range map[string]string{"secret": "s", "inner/a": "one", "inner/sub/b": "two", "inner/large": strings.Repeat("x", agent.MostFiles)} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(inner, "link")); err != nil {
		t.Skip(err)
	}
	for names, wrong := range map[string]string{"a sub/b": "", "link": "link", "sub": "no regular file", "none": "none", "a large": "larger than 512 KiB"} {
		a := &appCell{dir: inner, files: strings.Fields(names)}
		files, err := a.readFiles()
		if wrong != "" {
			if err == nil || !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s: %v", names, err)
			}
			continue
		}
		if err != nil || len(files) != 2 || files[1].Name != "b" || string(files[1].Data) != "two" {
			t.Errorf("%s: %v, %+v", names, err, files)
		}
	}
}

// TestAppAsks: only the first host runs the command; under mpirun all of them need it, and the program that is its problem.
func TestAppAsks(t *testing.T) {
	asks := func(experiment string) []agent.App {
		c := appCells(t, experiment, Options{Commands: true})[0]
		out, err := c.appAsks(nil, 20000, true, false)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	a := asks(`{method: app, on: "n[1-2]", via: a, app: lammps, command: "mpirun -n 2 lmp -in x"}`)
	if !slices.Equal(a[0].Argv, []string{"mpirun", "-n", "2", "lmp", "-in", "x"}) || a[1].Argv != nil || a[0].Name != a[1].Name || a[0].Local.String() != "10.1.0.1" || a[1].Local.String() != "10.1.0.2" {
		t.Errorf("%+v", a)
	}
	if !slices.Equal(a[1].Needs, []string{"mpirun", "lmp"}) || !slices.Contains(a[0].Needs, "lmp") {
		t.Errorf("needs %q and %q", a[0].Needs, a[1].Needs)
	}
	if b := asks(`{method: app, on: "n[1-2]", via: a, app: lammps, command: "mpirun -n 2 /opt/lmp_mpi -in x"}`); !slices.Equal(b[1].Needs, []string{"mpirun"}) {
		t.Errorf("with another program: %q", b[1].Needs)
	}
	if b := asks(`{method: app, from: n1, to: n2, via: a, app: iperf3}`); !b[1].Serves || b[1].Ready != "Server listening" || b[1].Argv[4] != "10.1.0.2" || b[0].Argv[2] != "10.1.0.2" || b[0].Env != nil {
		t.Errorf("%+v", b)
	}
}
