package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// recordedWords are the words of a line in which RUN/NAME stands for a recorded run.
func recordedWords(t *testing.T, line string) []string {
	t.Helper()
	words := strings.Fields(line)
	for i, w := range words {
		if name, ok := strings.CutPrefix(w, "RUN/"); ok {
			words[i] = recordedRun(t, name)
		}
	}
	return words
}

// Without --all there is one sentence and a row for each path.
func TestWhatIfInShort(t *testing.T) {
	a := call(t, nil, "whatif", recordedRun(t, "two-mtus"), "--mtu", "9000")
	testenv.Contains(t, a, unwrapped(a.out), "with MTU 9000", "workstation -> nas carries 26.8 Gb/s in place of 8.05 Gb/s",
		"link measured estimate then limited by", "8.05 Gb/s 26.8 Gb/s (measured)", "2 experiments left out",
		"the same command with --all")
	if strings.Contains(a.out, "memory of") || strings.Count(a.out, "\n") > 14 {
		t.Errorf("it is not short: %s", a)
	}
	for _, l := range strings.Split(a.out, "\n") {
		if len([]rune(l)) > 80 {
			t.Errorf("%q is too long", l)
		}
	}
}

// Questions are answered from a recorded run, in plain words first; every line fits the terminal.
func TestWhatIf(t *testing.T) {
	for line, want := range map[string][]string{
		"RUN/two-mtus --mtu 9000": {"what if MTU 9000?",
			"With MTU 9000, workstation -> nas carries 26.8 Gb/s in place of 8.05 Gb/s", "that was measured in the same run",
			"14.6 Gb/s .. 35.1 Gb/s CPU of nas and workstation",
			"measured   in this run, with that: 26.8 Gb/s", "holds it back", "per packet",
			"memory of workstation, memory of nas: not measured", "threads, 2 times: it has MTU 9000 already"},
		"RUN/two-mtus --experiment threads --slot nas.cx3=pcie2x2,pcie3x8 --streams 8": {"nas.cx3 in a slot pcie2x2",
			"8 streams",
			"slot of nas.cx3 is then the lowest ceiling", "The plan with it", "PCIe 2.0 x2 carries at most", "fix "},
		"RUN/receive-window-cap --window 4MiB --rtt 10ms": {"a round trip of 10.0 ms and a window of 4 MiB",
			"would reach 2.69 to 3.36 Gb/s in place of 2.56 Gb/s",
			"8 * window * streams / rtt; window 4 MiB, streams 1, rtt 10.0 ms"},
		"RUN/wrong-nic --link 40G": {"nothing follows from this run"},
	} {
		a := call(t, nil, append([]string{"whatif", "--all"}, recordedWords(t, line)...)...)
		if a.code != cli.ExitDone || a.err != "" {
			t.Errorf("whatif %s: %s", line, a)
		}
		flat := unwrapped(a.out)
		for _, w := range want {
			if !strings.Contains(flat, unwrapped(w)) {
				t.Errorf("whatif %s: want %q: %s", line, w, a)
			}
		}
		for _, l := range strings.Split(a.out, "\n") {
			if len([]rune(l)) > 80 {
				t.Errorf("whatif %s: %q is too long", line, l)
			}
		}
		noEscape(t, a)
	}
	a := call(t, nil, "whatif", recordedRun(t, "two-mtus"), "--mtu", "9000", "--json")
	var got struct {
		Schema      string
		Run         string
		Change      map[string]any
		Experiments []struct {
			ID, Name, Path, Sentence, Limiter string
			Stays                             *bool
			Goodput                           struct{ Median float64 }
			Predicted                         struct{ Low, High float64 }
			Measured                          *struct{ ID string }
			Ceilings                          []struct {
				Component, Kind, Origin, Formula string
				Low, High                        *float64
				Inputs                           []struct{ Name, Origin string }
			}
			Unknown []string
		}
		NotAsked []struct {
			Name, Reason string
			Count        int
		} `json:"not_asked"`
		Problems *[]any
	}
	if err := json.Unmarshal([]byte(a.out), &got); err != nil || a.code != cli.ExitDone || a.err != "" {
		t.Fatalf("%v: %s", err, a)
	}
	if got.Schema != "linerate/whatif/1" || got.Change["mtu"] != 9000.0 || len(got.Experiments) != 2 ||
		len(got.NotAsked) != 1 || got.NotAsked[0].Count != 2 || got.Problems == nil || len(*got.Problems) != 0 {
		t.Errorf("%+v", got)
	}
	for _, x := range got.Experiments {
		if x.ID == "" || x.Name != "threads" || x.Sentence == "" || x.Limiter == "" || x.Stays == nil ||
			x.Measured == nil || x.Predicted.Low <= x.Goodput.Median || x.Predicted.High <= x.Predicted.Low ||
			len(x.Ceilings) < 4 || len(x.Unknown) == 0 || x.Ceilings[0].Low == nil || x.Ceilings[0].Inputs[0].Origin == "" {
			t.Errorf("%+v", x)
		}
	}
}

// Invalid questions are reported, all together, and nothing else is printed.
func TestWhatIfErrors(t *testing.T) {
	for line, want := range map[string][]string{
		"":            {"error: missing RUN"},
		"RUN/healthy": {"error: missing a change\nhelp: add --mtu 9000"},
		"zzzz --mtu 9 --streams 0 --slot agp8x --slot sata3 --slot pcie3 --link x --drive 0G --rtt 0ms --window 0B": {
			"--mtu 9: an IP MTU is from 576 to 65520",
			"--streams 0: linerate measures with 1 to 1024",
			`--slot: "agp8x" is not a bus`, "--slot sata3: a NIC's slot has a generation and lanes",
			"--slot pcie3: a NIC's slot", "--link: ", "--drive: 0G: nothing would be carried",
			"--rtt: 0ms: a round trip takes time",
			"--window: 0B: with nothing in flight", "zzzz"},
		"zzzz --mtu big --streams many": {"--mtu big is not valid", "--streams many is not valid", "zzzz"},
		"RUN/healthy --mut 9000":        {"help: did you mean --mtu?"},
		"RUN/healthy --drive 3GB/s":     {"--drive 3GB/s: nothing in this run reads a drive"},
		"RUN/healthy --drive 3GB/s --experiment raw --slot h.c=pcie3x8": {"nothing in raw of this run reads a drive",
			"the run's fabric has no NIC h.c\nnote: it has host1.card, host2.card, host3.card"},
		"RUN/healthy --mtu 9000 --experiment nothing": {`--experiment: no experiment is called "nothing"`},
		"RUN/healthy --slot pcie3x8 --slot pcie4x8":   {"this NIC has another slot already"},
	} {
		a := call(t, nil, append([]string{"whatif"}, recordedWords(t, line)...)...)
		if a.code != cli.ExitInput || a.out != "" {
			t.Errorf("whatif %s: %s", line, a)
		}
		for _, w := range want {
			if strings.Count(a.err, w) != 1 {
				t.Errorf("whatif %s: %q is not said once: %s", line, w, a.err)
			}
		}
	}
}

// A run by flags has no fabric file: its record has the hosts, ports and links.
func TestWhatIfWithoutFile(t *testing.T) {
	dir := recordedRun(t, "receive-window-cap")
	name := filepath.Join(dir, "manifest.json")
	b := testenv.Must(os.ReadFile(name))(t)
	var m map[string]any
	testenv.Check(t, json.Unmarshal(b, &m))
	m["fabric_text"] = ""
	testenv.WriteFile(t, name, testenv.Must(json.Marshal(m))(t), 0o600)
	if a := call(t, nil, "explain", dir, "--json"); a.code != cli.ExitDone ||
		!strings.Contains(a.out, "its receive buffer stops at") {
		t.Error(a)
	}
	a := call(t, nil, "whatif", dir, "--mtu", "9000")
	if flat := unwrapped(a.out); a.code != cli.ExitDone ||
		!strings.Contains(flat, "would hardly carry more than its 2.56 Gb/s") ||
		!strings.Contains(flat, "would allow about 99.0 Gb/s") {
		t.Error(a)
	}
	if a := call(t, nil, "whatif", dir, "--slot", "pcie3x8"); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "measured by flags, and no NIC of it is known") {
		t.Error(a)
	}
}
