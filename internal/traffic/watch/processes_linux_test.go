package watch

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"linerate/internal/record"
	"linerate/internal/testenv"
)

// A process of this namespace is seen with what it did; this one, and one that came or went meanwhile, is not.
func TestProcessesHere(t *testing.T) {
	testenv.Need(t, testenv.Live)
	c := exec.Command("sh", "-c",
		`read line; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; head -c 3000000 /dev/zero > "$0"; echo done; read line`,
		filepath.Join(t.TempDir(), "f"))
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer in.Close()
	before, err := processesHere("/proc")
	if err != nil {
		t.Fatal(err)
	}
	if u := before[c.Process.Pid]; u.name != "sh" || u.start == 0 || u.read < 0 {
		t.Errorf("%+v", u)
	}
	if _, ok := before[os.Getpid()]; ok {
		t.Error("this process is among them")
	}
	in.Write([]byte("\n"))
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	after, err := processesHere("/proc")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := before[c.Process.Pid], after[c.Process.Pid]; b.cpu+0.011 < a.cpu || b.read <= a.read {
		t.Errorf("%+v, then %+v", a, b)
	}
}

func TestProcessesBetween(t *testing.T) {
	before := map[int]processUse{1: {"d", 5, 1.0, 100, 1000}, 2: {"d", 6, 2.0, 0, 0}, 3: {"gone", 7, 1, 0, 0},
		4: {"other", 8, 1, 0, 0}, 5: {"blind", 9, 0, -1, -1}}
	after := map[int]processUse{1: {"d", 5, 1.5, 150, 4000}, 2: {"d", 6, 3.0, 50, 2000}, 4: {"anew", 99, 5, 0, 0},
		5: {"blind", 9, 0.1, -1, -1}, 6: {"came", 10, 5, 0, 0}}
	got := processesBetween(before, after, 2)
	if len(got) != 2 || got[0].Name != "d" || got[0].Count != 2 || got[0].Cores != 0.75 || *got[0].ReadBytes != 100 ||
		*got[0].WrittenBytes != 5000 {
		t.Fatalf("%+v", got)
	}
	if b := got[1]; b.Name != "blind" || b.ReadBytes != nil || b.WrittenBytes != nil {
		t.Errorf("%+v", b)
	}
	var none []record.ProcessCount
	if got := processesBetween(before, after, 0); len(got) != len(none) {
		t.Errorf("%+v in no time", got)
	}
}
