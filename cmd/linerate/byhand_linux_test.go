package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"linerate/internal/lab/exam"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// Two network namespaces that ip made are measured without any file, as they are and with a shaper. The lab takes no
// part. The run has a figure and a verdict, and its snapshots show the shaper. internal/lab/exam/live judges the verdict.
func TestSpoiledByHand(t *testing.T) {
	t.Parallel()
	needLab(t)
	testenv.NeedRoot(t)
	p := newPlace(t)
	a, b := fmt.Sprintf("lra%d", os.Getpid()), fmt.Sprintf("lrb%d", os.Getpid())
	do := func(line string) {
		t.Helper()
		words := exam.InNamespaces(line, a, b)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	for _, ns := range []string{a, b} {
		t.Cleanup(func() { exec.Command("ip", "netns", "del", ns).Run() })
	}
	for _, line := range []string{"ip netns add A", "ip netns add B", "ip link add e0 netns A type veth peer name e0 netns B",
		"ip -n A addr add 10.9.0.1/24 dev e0", "ip -n B addr add 10.9.0.2/24 dev e0", "ip -n A link set e0 up", "ip -n B link set e0 up"} {
		do(line)
	}
	for _, c := range []struct{ name, spoil, section, want string }{
		{"as it is", "", "ip -j address", "10.9.0.1"},
		{"shaper", "ip netns exec A tc qdisc replace dev e0 root tbf rate 30mbit burst 128kb limit 500kb", "tc -j", `"tbf"`},
	} {
		if c.spoil != "" {
			do(c.spoil)
		}
		dir := p.path(c.name)
		got := p.linerate(t, "measure", "stream", "--from", "netns "+a, "--to", "netns "+b, "--to-address", "10.9.0.2", "--rate", "1G", "--time", "200ms",
			"--direction", "out", "--repeats", "1", "-o", dir, "--json")
		if got.code != exitDone {
			t.Fatalf("%s: want exit code 0: %s", c.name, got)
		}
		var r record.Run
		text, err := os.ReadFile(filepath.Join(dir, runfolder.ManifestName))
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil || len(r.Experiments) != 1 {
			t.Fatalf("%s: %v: %s", c.name, err, got)
		}
		e := r.Experiments[0]
		if e.Verdict == nil || e.Goodput == nil || len(e.Repeats) != 1 || len(e.Repeats[0].Streams) != 1 {
			t.Errorf("%s: verdict %+v, goodput %+v", c.name, e.Verdict, e.Goodput)
		}
		snapshot, err := os.ReadFile(filepath.Join(dir, runfolder.CaptureName(e.From, record.At(record.Before, e.ID))))
		if err != nil || !inSection(string(snapshot), c.section, c.want) {
			t.Errorf("%s: %v: the sender's snapshot has no %q in a section %q", c.name, err, c.want, c.section)
		}
	}
	p.nothingLeft(t, time.Minute)
}
