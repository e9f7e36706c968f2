package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/agent/process"
	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
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

func appPlan(t *testing.T, text string) *plan.Plan {
	t.Helper()
	catalog := runtest.Catalog(t)
	f, problems := fabric.Parse("apps.yaml", []byte(appFabric+"  x: "+text+"\n"), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// appCombinations are the combinations of an experiment of that fabric.
func appCombinations(t *testing.T, text string, o experiment.Options) []*experiment.Combination {
	t.Helper()
	combinations := runtest.Expand(appPlan(t, text), o, Expand)
	return combinations
}

func TestAppCombinations(t *testing.T) {
	allowed := experiment.Options{Commands: true}
	for name, c := range map[string]struct {
		text string
		o    experiment.Options
		want string // of NotRun; empty: it is run
	}{
		"not allowed": {`{method: command, on: n1, command: "rm -rf x"}`, experiment.Options{}, "rm -rf x; read it, and " +
			"allow it with --allow-commands"},
		"all is shown": {`{method: command, from: n1, to: n2, via: a, command: x, server: "y z", files: [in.x]}`,
			experiment.Options{}, "on n2: y z; on n1: x; with the files in.x; read it"},
		"allowed":       {`{method: command, on: n1, command: "rm -rf x"}`, allowed, ""},
		"from alone":    {`{method: command, from: n1, command: true}`, allowed, ""},
		"several paths": {`{method: command, on: "n[1-2]", command: true}`, allowed, "choose one with via: a or b"},
		"via":           {`{method: command, on: "n[1-4]", via: b, command: true}`, allowed, ""},
		"no path":       {`{method: command, on: [n1, alone], command: true}`, allowed, "no link joins n1 and alone"},
		"no server":     {`{method: command, from: n1, to: n2, via: a, command: true}`, allowed, "it has a to and no server"},
		"server":        {`{method: command, from: n1, to: n2, via: a, app: iperf3}`, allowed, ""},
		"server's host": {`{method: command, on: "n[1-2]", via: a, app: iperf3}`, allowed, "write from: HOST and to: HOST"},
		"placeholder":   {`{method: command, on: n1, command: "x {procs}"}`, allowed, "{procs}, which stands for nothing"},
		"own braces":    {`{method: command, on: n1, command: "awk '{print $1}' {}"}`, allowed, ""},
		"a shell": {`{method: command, on: n1, processes: 3, command: "sh -c 'echo {processes}'"}`, allowed,
			"sh would read the value of {processes}"},
		"a shell right": {`{method: command, on: n1, processes: 3, command: "sh -c 'echo $1' sh {processes}"}`, allowed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			combinations := appCombinations(t, c.text, c.o)
			if got := combinations[0].Record.NotRun; len(combinations) != 1 || !strings.Contains(got, c.want) ||
				(got == "") != (c.want == "") {
				t.Errorf("%d combinations, not run: %q, want %q", len(combinations), got, c.want)
			}
		})
	}
}

// Values are parts of words, whatever they contain.
func TestAppWords(t *testing.T) {
	c := appCombinations(t, `{method: command, on: "n[1-4]", via: b, processes: 6, command: "x 'a b{processes}' {hosts} {addresses} {hostfile} {folder}/y {threads} {host} {interface} {port}"}`, experiment.Options{Commands: true})[0]
	got, err := commandOf(c).filled(commandOf(c).words, 0, 20123)
	if err != nil {
		t.Fatal(err)
	}
	face := commandOf(c).ports[0].Interface
	want := []string{"x", "a b6", "n1,n2,n3,n4", "10.2.0.1,10.2.0.2,10.2.0.3,10.2.0.4", "{folder}/.linerate/hosts",
		"{folder}/y", "1", "n1", face, "20123"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if c.Record.From != "n[1-4]" || c.Record.To != "" || len(c.Record.Links) != 4 ||
		c.Record.Ends[3].Address != "10.2.0.4" ||
		!slices.Equal(c.Hosts(), []string{"n1", "n2", "n3", "n4"}) {
		t.Errorf("%+v", c.Record)
	}
	plain, slots := commandOf(c).hostLists()
	if plain != "10.2.0.1\n10.2.0.2\n10.2.0.3\n10.2.0.4\n" ||
		slots != "10.2.0.1 slots=2\n10.2.0.2 slots=2\n10.2.0.3 slots=1\n10.2.0.4 slots=1\n" {
		t.Errorf("hosts\n%s\nslots\n%s", plain, slots)
	}
	env := commandOf(c).mpi(true, false)
	if apart := commandOf(c).mpi(false, false); !slices.Contains(apart, "UCX_TLS=tcp,self,sm") ||
		slices.Contains(apart, "UCX_TLS=tcp,self") {
		t.Errorf("hosts apart: %q", apart)
	}
	for _, want := range []string{"UCX_TLS=tcp,self", "OMPI_MCA_btl_tcp_if_include=10.2.0.0/24",
		"OMPI_MCA_plm_rsh_agent={folder}/.linerate/linerate-launch", "HYDRA_IFACE=" + face, "OMPI_MCA_pml=ob1"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in %q", want, env)
		}
	}
	if env := commandOf(c).mpi(true, true); !slices.Contains(env, "OMPI_MCA_btl=self,tcp") ||
		slices.Contains(env, "OMPI_MCA_btl=self,vader,tcp") {
		t.Errorf("hosts with one shared memory: %q", env)
	}
	for name, host := range map[string]int{"n3": 2, "10.2.0.3": 2, "10.1.0.3": -1, "alone": -1, "": -1} {
		if got := commandOf(c).hostOf(name); got != host {
			t.Errorf("%s is host %d, want %d", name, got, host)
		}
	}
	if _, err := commandOf(c).filled([]string{"{peer_address}"}, 0, 1); err == nil ||
		!strings.Contains(err.Error(), "of two hosts, and the experiment has 4") {
		t.Errorf("%v", err)
	}
	pair := appCombinations(t, `{method: command, from: n2, to: n4, via: a, command: "x {peer} {peer_address} {address}", server: "y {peer_address}"}`, experiment.Options{Commands: true})[0]
	client, _ := commandOf(pair).filled(commandOf(pair).words, 0, 1)
	server, _ := commandOf(pair).filled(commandOf(pair).serve, 1, 1)
	if !slices.Equal(client, []string{"x", "n4", "10.1.0.4", "10.1.0.2"}) ||
		!slices.Equal(server, []string{"y", "10.1.0.2"}) {
		t.Errorf("%q %q", client, server)
	}
}

// A different pattern of the figure makes a different experiment, a different time limit does not.
func TestAppIDs(t *testing.T) {
	id := func(more string) string {
		return appCombinations(t, `{method: command, on: n1, command: true`+more+`}`,
			experiment.Options{Commands: true})[0].Record.ID
	}
	if a, b := id(""), id(`, extract: {match: '(\d)'}`); a == b {
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
		"no number":        {`time (\S+)`, "time none", 0, "", `"none", which is not a number`},
		"not a number":     {`time (\S+)`, "time NaN", 0, "", "which is not a number"},
		"hexadecimal":      {`time (\S+)`, "time 0x10", 0, "", "which is not a number"},
		"too large":        {`time (\S+)`, "time 1e999", 0, "", "which is not a number"},
		"group not in it":  {`a|time (\S+)`, "a", 0, "", "without its group"},
		"binary before it": {`time (\S+)`, "\x00\xff time 3\xff x", 0, "", "which is not a number"},
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

// Each program of the table reads its own output. Those of OSU and IMB have the shape of their documentation with
// invented figures; the others are recorded.
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
	if have := slices.Sorted(slices.Values(method.Programs())); !slices.Equal(have, names) {
		t.Errorf("fabric knows %q, run %q", have, names)
	}
}

// A missing program is reported with its package.
func TestMissingProgram(t *testing.T) {
	a := &Command{}
	for name, want := range map[string]string{"lmp": "apt-get install lammps", "mpirun": "apt-get install openmpi-bin",
		"ib_read_bw": "apt-get install perftest", "mine": "install it there"} {
		if got := a.missing("n3", name); !strings.Contains(got, name+" is not on n3") || !strings.Contains(got, want) {
			t.Error(got)
		}
	}
}

// A command that has not run is estimated at half a minute, else at its last duration.
func TestAppEstimate(t *testing.T) {
	c := appCombinations(t, `{method: command, on: n1, command: true, repeats: 2}`, experiment.Options{Commands: true})[0]
	if n, d := c.Missing(), c.Expected(1); n != 2 || d != guessedDuration {
		t.Errorf("%d repeats of %v", n, d)
	}
	if c.Asked() != experiment.AmountLimit {
		t.Errorf("its limit is %v", c.Asked())
	}
}

// The figure is from standard output, else with a pattern from standard error; without either it is the time.
func TestAppFigureOf(t *testing.T) {
	out := &agent.AppOutcome{Seconds: 2.5, Stdout: process.Kept{Text: []byte("x 1\n")},
		Stderr: process.Kept{Text: []byte("y 2\n")}}
	for pattern, want := range map[string]float64{`x (\d)`: 1, `y (\d)`: 2, "": 2.5} {
		a := &Command{}
		if pattern != "" {
			a.figure = &fabric.Figure{Match: pattern}
		}
		if got, err := a.read(out); err != nil || got.value != want {
			t.Errorf("%s: %+v, %v", pattern, got, err)
		}
	}
}

// Files must lie below the fabric file's folder; no link may lead out of it.
func TestAppFiles(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	for name, text := range map[string]string{"secret": "s", "inner/a": "one", "inner/sub/b": "two",
		"inner/large": strings.Repeat("x", agent.MostFiles)} {
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
	for names, wrong := range map[string]string{"a sub/b": "", "link": "link", "sub": "not a regular file", "none": "none",
		"a large": "larger than 512 KiB"} {
		a := &Command{dir: inner, files: strings.Fields(names)}
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

// Only the first host runs the command. Under mpirun all of them need it; a missing program is only the first host's
// problem.
func TestAppAsks(t *testing.T) {
	asks := func(text string) []agent.App {
		c := appCombinations(t, text, experiment.Options{Commands: true})[0]
		out, err := commandOf(c).Requests(nil, 20000, true, false)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	a := asks(`{method: command, on: "n[1-2]", via: a, app: lammps, command: "mpirun -n 2 lmp -in x"}`)
	if !slices.Equal(a[0].Argv, []string{"mpirun", "-n", "2", "lmp", "-in", "x"}) || a[1].Argv != nil ||
		a[0].Name != a[1].Name ||
		a[0].Local.String() != "10.1.0.1" ||
		a[1].Local.String() != "10.1.0.2" {
		t.Errorf("%+v", a)
	}
	if !slices.Equal(a[1].Needs, []string{"mpirun", "lmp"}) || !slices.Contains(a[0].Needs, "lmp") {
		t.Errorf("needs %q and %q", a[0].Needs, a[1].Needs)
	}
	b := asks(`{method: command, on: "n[1-2]", via: a, app: lammps, command: "mpirun -n 2 /opt/lmp_mpi -in x"}`)
	if !slices.Equal(b[1].Needs, []string{"mpirun"}) {
		t.Errorf("with another program: %q", b[1].Needs)
	}
	b = asks(`{method: command, from: n1, to: n2, via: a, app: iperf3}`)
	if !b[1].Serves || b[1].Ready != "Server listening" || b[1].Argv[4] != "10.1.0.2" || b[0].Argv[2] != "10.1.0.2" ||
		b[0].Env != nil {
		t.Errorf("%+v", b)
	}
}

func commandOf(c *experiment.Combination) *Command { return c.Measurement.(*Command) }

// srun's ranks go into the job that all hosts share, or into a new one; hosts in several jobs share none.
func TestSlurmStep(t *testing.T) {
	hosts := []string{"a", "b"}
	for _, c := range []struct {
		places []slurmPlace
		want   string
	}{
		{[]slurmPlace{{"7", "n1"}, {"7", "n2"}}, "--overlap --jobid=7 -w n1,n2 -N2 --distribution=cyclic"},
		{[]slurmPlace{{"", "n1"}, {"", "n2"}}, "-w n1,n2 -N2 --distribution=cyclic"},
		{[]slurmPlace{{"7", "n1"}}, "--overlap --jobid=7 -w n1 -N1 --distribution=cyclic"},
		{[]slurmPlace{{"", "login"}}, ""},
		{[]slurmPlace{{"7", "n1"}, {"8", "n2"}}, "a is in job 7 and b is in job 8, and srun's ranks are in one: take " +
			"all nodes in one job (salloc -N 2 -w n1,n2 --no-shell)"},
		{[]slurmPlace{{"", "n1"}, {"8", "n2"}}, "a is in no job and b is in job 8"},
	} {
		words, err := slurmStep(hosts, c.places)
		if got := strings.Join(words, " "); got != c.want && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%v: %q, %v", c.places, got, err)
		}
	}
	if !runsSrun([]string{"/opt/slurm/bin/srun", "x"}) || runsSrun([]string{"xsrun"}) {
		t.Error("what srun is")
	}
}

// The new step does not inherit the agent's step, and the record does not show how.
func TestBySrun(t *testing.T) {
	words := bySrun([]string{"env", "A=1"}, []string{"-u", "B"})
	if got := withoutSlurm(words); !slices.Equal(got, []string{"env", "-u", "B", "A=1"}) {
		t.Errorf("%q", got)
	}
	if got := withoutSlurm([]string{"sh", "-c", "x"}); len(got) != 3 {
		t.Errorf("%q", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(cmd.Environ(), "SLURM_NTASKS=1", "SLURM_JOB_ID=7", "SLURM_CONF=/x", "SLURM_CPU_BIND=a b", "B=2")
	out, err := cmd.Output()
	text := string(out)
	cmd = exec.Command(words[0], words[1:]...)
	cmd.Env = append(cmd.Environ(), "SLURM_JOB_ID=")
	if out, err := cmd.Output(); err != nil || strings.Contains(string(out), "SLURM_JOB_ID") {
		t.Errorf("an empty number of a job: %v: %s", err, out)
	}
	if err != nil || !strings.Contains(text, "SLURM_JOB_ID=7\n") || !strings.Contains(text, "SLURM_CONF=/x\n") ||
		strings.Contains(text, "SLURM_NTASKS") ||
		strings.Contains(text, "SLURM_CPU_BIND") ||
		strings.Contains(text, "B=2") {
		t.Errorf("%v: %s", err, text)
	}
}
