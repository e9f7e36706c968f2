package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/runfile"
)

// testCase is one command and the files that it finds in its folder.
type testCase struct {
	of     string // the input that it reads, for its name
	inputs map[string]func(to string) error
	args   []string
}

func (c testCase) name() string { return strings.TrimSpace(c.of + ": " + strings.Join(c.args, " ")) }

// copied writes a copy of the file.
func copied(from string) func(to string) error {
	return func(to string) error {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o600)
	}
}

// ofFabric are the commands that read a fabric file; IN stands for it.
var ofFabric = []string{
	"plan IN", "plan IN --json", "plan IN -o out", "plan IN --csv bom", "plan IN --csv cables", "plan IN --csv addresses",
	"config IN --json", "config IN -o out", "ceiling IN", "ceiling IN --json", "facts IN --dry-run", "run IN --dry-run",
	"parts --check IN",
}

// ofSnapshots are the commands that read snapshots of hosts and switches.
var ofSnapshots = []string{"facts --captures IN", "facts --captures IN --json", "check --captures IN", "check --captures IN --json"}

// ofRun are the commands that read a run folder.
var ofRun = []string{
	"report IN", "report IN --json", "report IN --junit goals.xml", "explain IN", "explain IN --json", "show IN --all",
	"show IN --as markdown", "show IN --as bbcode", "show IN --as csv", "show IN --as json", "whatif IN --mtu 9000",
	"whatif IN --rate 100G --json", "compare IN IN", "compare IN --by streams --json", "compare IN IN -o compare.html",
}

// ofTool are the commands that read what another tool printed.
var ofTool = []string{
	"explain --crystaldiskmark IN", "explain --diskspd IN", "explain --fio IN", "explain --iperf3 IN@1500 --rate 40G",
	"explain --ntttcp IN", "explain --perftest IN --rate 100G", "explain --fio IN --json", "explain --iperf3 IN --json",
}

// ofNothing are commands that need no file.
var ofNothing = []string{
	"parts", "parts --json", "parts chelsio", "parts MCX354A-FCCT", "parts 15b3:1007", "parts ConnectX-3", "parts crs504",
	"schema", "check --list", "check --list --json", "compare --baselines", "compare --baselines --json",
	"facts --script windows", "facts --script onyx", "facts --script cumulus", "facts --script sonic", "facts --script eos",
	"facts --script routeros", "docs reference -", "docs man out", "completion bash", "completion fish", "version",
	"plan --suggest --hosts 3 --rate 10G --reach 8m --os freebsd,windows",
	"plan --suggest --hosts 3 --rate 100G --reach 3m --rdma rocev2 --design 2 -o new.yaml",
	"plan --suggest --hosts 5 --rate 25G --reach 3m --all --json", "plan --suggest --hosts 2 --rate 40G --reach 1m --rdma ib",
	"ceiling --rate 10G", "ceiling --rate FDR --pcie 3.0x8", "ceiling --rate 40G --transport rocev2 --path-mtu 1024 --io 64KiB",
	"ceiling --rate 25G --mtu 9000 --transport nvme-tcp --io 4KiB --drive pcie3x4 --depth 32 --latency 100us --json",
	"ceiling --rate 10G --window 64KiB --rtt 0.1ms --loss 0.1%", "ceiling --drive sata3 --layout raid6 --drives 8",
	"ceiling --rate 25G --transport smb --copies 3 --nodes 4", "explain --figure 9.6G --rate 10G",
	"explain --figure 93G --rate 100G --transport rocev2 --path-mtu 1024", "explain --figure 74.5GiB/2m --rate 10G --json",
	"lab fault --list", "lab fault --list --json", "apply", "run", "plan", "config", "nothing", "plan --nothing",
}

// schemas are the kinds of schema.
var schemas = strings.Fields(`fabric apply baselines card ceiling check checks compare config doctor event exam explain facts
	facts-dry-run fault faults init lab lab-build lab-reboot lab-wire labs loop parts parts-check plan plan-compare run selftest
	suggest version whatif`)

// allCases are the cases of the project in the working directory, and those of the folder of snapshots, if there is one.
func allCases(snapshots string) ([]testCase, error) {
	var cases []testCase
	add := func(of, in string, inputs map[string]func(string) error, commands []string) {
		for _, command := range commands {
			args := strings.Fields(command)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "IN", in)
			}
			cases = append(cases, testCase{of: of, inputs: inputs, args: args})
		}
	}
	add("", "", nil, ofNothing)
	for _, kind := range schemas {
		add("", "", nil, []string{"schema " + kind})
	}

	listed, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		return nil, err
	}
	tracked := strings.Fields(string(listed))
	for _, file := range tracked {
		base := filepath.Base(file)
		switch {
		case strings.HasSuffix(file, ".yaml"):
			add(file, base, map[string]func(string) error{base: copied(file)}, ofFabric)
		case strings.Contains(file, "facts/") && strings.HasSuffix(file, ".txtar"), strings.Contains(file, "/machines/"):
			add(file, base, map[string]func(string) error{base: copied(file)}, ofSnapshots)
		case strings.HasSuffix(file, runfile.Extension):
			inputs, err := unpacked(file)
			if err != nil {
				return nil, err
			}
			add(file, "run", inputs, ofRun)
		case strings.Contains(file, "card/testdata/") && !strings.Contains(file, "fuzz"):
			inputs := map[string]func(string) error{base: copied(file)}
			add(file, base, inputs, []string{"compare IN IN", "compare IN --json"})
		}
	}
	if snapshots == "" {
		return cases, nil
	}
	err = filepath.WalkDir(snapshots, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(snapshots, path)
		if err != nil {
			return err
		}
		base := filepath.Base(name)
		inputs := map[string]func(string) error{filepath.Join("kept", "machine", base): copied(path)}
		add(name, "kept", inputs, ofSnapshots)
		if strings.HasPrefix(name, "bench"+string(filepath.Separator)) {
			add(name, base, map[string]func(string) error{base: copied(path)}, ofTool)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	machines, err := filepath.Glob(filepath.Join(snapshots, "*", "hosts", "*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(machines)
	for _, machine := range machines {
		files, err := os.ReadDir(machine)
		if err != nil {
			continue // a file: read above
		}
		inputs := map[string]func(string) error{}
		for _, file := range files {
			if !file.IsDir() {
				inputs[filepath.Join("kept", "machine", file.Name())] = copied(filepath.Join(machine, file.Name()))
			}
		}
		add(machine, "kept", inputs, ofSnapshots)
	}
	return cases, nil
}

// unpacked are the files of the run folder that a recorded run holds.
func unpacked(file string) (map[string]func(string) error, error) {
	run, err := runfile.Open(file)
	if err != nil {
		return nil, err
	}
	inputs := map[string]func(string) error{}
	for _, f := range run.Files {
		inputs[filepath.Join("run", f.Name)] = func(to string) error { return os.WriteFile(to, f.Data, 0o600) }
	}
	return inputs, nil
}
