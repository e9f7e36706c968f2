package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"linerate/internal/runfile"
)

// files are the contents of files by their names, with slashes.
type files map[string][]byte

// testCase is one command and the files that it finds in its folder.
type testCase struct {
	of     string // the input that it reads, for its name
	inputs files
	args   []string
}

func (c testCase) name() string { return strings.TrimSpace(c.of + ": " + strings.Join(c.args, " ")) }

// ofFabric are the commands that read a fabric file; IN stands for it.
var ofFabric = []string{"plan IN", "plan IN --json", "plan IN -o out", "plan IN --csv bom", "plan IN --csv cables",
	"plan IN --csv addresses", "config IN --json", "config IN -o out", "ceiling IN", "ceiling IN --json",
	"facts IN --dry-run", "run IN --dry-run", "parts --check IN"}

// ofSnapshots are the commands that read snapshots of hosts and switches.
var ofSnapshots = []string{"facts --snapshots IN", "facts --snapshots IN --json", "check --snapshots IN",
	"check --snapshots IN --json"}

// ofSummary are the commands that read a summary to post.
var ofSummary = []string{"compare IN IN", "compare IN --json"}

// ofRun are the commands that read a run folder.
var ofRun = []string{"report IN", "report IN --json", "report IN --junit goals.xml", "explain IN --json",
	"show IN --all", "show IN --format markdown", "show IN --format bbcode", "show IN --format csv",
	"show IN --format json",
	"whatif IN --mtu 9000", "whatif IN --link 100G --json", "compare IN IN", "compare IN --by streams --json",
	"compare IN IN -o compare.html"}

// ofTool are the commands that read what another tool printed.
var ofTool = []string{"explain IN", "explain IN@1500 --link 40G", "explain IN --link 100G --json",
	"explain IN --drive pcie3x4", "explain IN --tool fio"}

// ofNothing are commands that need no file.
var ofNothing = []string{"parts", "parts --json", "parts chelsio", "parts MCX354A-FCCT", "parts 15b3:1007",
	"parts ConnectX-3", "parts crs504", "schema", "check --list", "check --list --json", "compare --baselines",
	"compare --baselines --json", "facts --script windows", "facts --script onyx", "facts --script cumulus",
	"facts --script sonic", "facts --script eos", "facts --script routeros", "docs reference -", "docs man out",
	"completion bash", "completion fish", "version", "suggest --hosts 3 --speed 10G --distance 8m --os freebsd,windows",
	"suggest --hosts 3 --speed 100G --distance 3m --rdma rocev2 --design 2 -o new.yaml",
	"suggest --hosts 5 --speed 25G --distance 3m --all --json",
	"suggest --hosts 2 --speed 40G --distance 1m --rdma ib", "ceiling --speed 10G", "ceiling --speed FDR --pcie 3.0x8",
	"ceiling --link 40G --transport rocev2 --path-mtu 1024 --io 64KiB",
	"ceiling --link 25G --mtu 9000 --transport nvme-tcp --io 4KiB --drive pcie3x4 --depth 32 --latency 100us --json",
	"ceiling --link 10G --window 64KiB --rtt 0.1ms --loss 0.1%", "ceiling --drive sata3 --layout raid6 --drives 8",
	"ceiling --link 25G --transport smb --replicas 3 --nodes 4", "explain --value 9.6G --link 10G",
	"explain --value 93G --link 100G --transport rocev2 --path-mtu 1024", "explain --value 74.5GiB/2m --link 10G --json",
	"lab fault --list", "lab fault --list --json", "apply", "run", "plan", "config", "nothing", "plan --nothing"}

// allCases are the cases of the project in the working directory, of the program's schemas, and of the folder of
// snapshots, if there is one.
func allCases(program, snapshots string) ([]testCase, error) {
	var cases []testCase
	add := func(of, in string, inputs files, commands []string) {
		for _, command := range commands {
			args := strings.Fields(command)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "IN", in)
			}
			cases = append(cases, testCase{of: of, inputs: inputs, args: args})
		}
	}
	add("", "", nil, ofNothing)
	kinds, err := exec.Command(program, "schema").Output()
	if err != nil {
		return nil, fmt.Errorf("%s schema: %w", program, err)
	}
	for line := range strings.Lines(string(kinds)) {
		kind, _, _ := strings.Cut(line, " ")
		add("", "", nil, []string{"schema " + kind})
	}

	listed, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	for _, file := range strings.Fields(string(listed)) {
		var commands []string
		switch {
		case strings.HasSuffix(file, ".yaml"):
			commands = ofFabric
		case strings.Contains(file, "facts/") && strings.HasSuffix(file, ".txtar"),
			strings.Contains(file, "/machines/"):
			commands = ofSnapshots
		case strings.Contains(file, "internal/report/summary/testdata/") && !strings.Contains(file, "fuzz"):
			commands = ofSummary
		case strings.HasSuffix(file, runfile.Extension):
			run, err := runfile.Open(file)
			if err != nil {
				return nil, err
			}
			inputs := files{}
			for _, f := range run.Files {
				inputs["run/"+f.Name] = f.Data
			}
			add(file, "run", inputs, ofRun)
			continue
		default:
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		base := path.Base(file)
		add(file, base, files{base: text}, commands)
	}
	if snapshots == "" {
		return cases, nil
	}

	machines := map[string]files{}
	root := os.DirFS(snapshots)
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		base := path.Base(name)
		add(name, "kept", files{"kept/machine/" + base: text}, ofSnapshots)
		places := strings.SplitN(name, "/", 4)
		if places[0] == "bench" {
			add(name, base, files{base: text}, ofTool)
		}
		if len(places) == 4 && places[1] == "hosts" {
			machine := path.Join(places[:3]...)
			if machines[machine] == nil {
				machines[machine] = files{}
			}
			machines[machine]["kept/machine/"+places[3]] = text
		}
		return nil
	})
	for _, machine := range slices.Sorted(maps.Keys(machines)) {
		add(machine, "kept", machines[machine], ofSnapshots)
	}
	return cases, err
}
