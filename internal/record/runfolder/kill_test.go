//go:build linux || freebsd || darwin

package runfolder

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linerate/internal/record"
	"linerate/internal/record/recordtest"
	"linerate/internal/testenv"
)

// childFolder names the environment variable that turns the test binary into the program to kill. Its value is the
// folder.
const childFolder = "LINERATE_TEST_RESULT_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const childRepeats = 25

// child starts or continues a run and finishes it. It prints a repeat only after recording it.
func child(dir string) error {
	r := exampleRunPlain()
	var f *Folder
	var err error
	if exists(filepath.Join(dir, JournalName)) {
		var p *Replayed
		if f, p, err = Resume(dir, "v0", nil); err != nil {
			return err
		}
		r = p.Run
	} else {
		if f, err = Create(dir); err != nil {
			return err
		}
		if err = f.Started(r); err != nil {
			return err
		}
	}
	fmt.Println("started")
	if len(r.Experiments) == 0 {
		r.Experiments = []*record.Experiment{{ID: "e"}}
	}
	e := r.Experiments[0]
	for i := len(e.Repeats); i < childRepeats; i++ {
		if err := f.Samples(recordtest.Samples("e", i, 20)); err != nil {
			return err
		}
		if _, err := f.SaveSnapshot("n1", fmt.Sprintf("during-%d", i), []byte(strings.Repeat("x", 10_000))); err != nil {
			return err
		}
		if err := f.Repeat(e.ID, recordtest.Repeat(i)); err != nil {
			return err
		}
		e.Repeats = append(e.Repeats, recordtest.Repeat(i))
		fmt.Println("repeat", i)
	}
	if _, err := os.Stdin.Read(
		make([]byte, 1),
	); err != nil { // the test kills it until it gets to the end
		return err
	}
	r.Complete = true
	if err := f.Finish(r, ""); err != nil {
		return err
	}
	return f.Close()
}

func exampleRunPlain() *record.Run {
	return &record.Run{Version: "v0", Fabric: "mesh-10g", FabricText: "fabric: mesh-10g\n", Started: time.Now()}
}

// TestKilled kills a program that writes a run after a random number of repeats, until the program gets to the end.
// After each kill the folder opens with every repeat that was recorded.
func TestKilled(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	kills := 0
	for range 3 {
		dir := filepath.Join(t.TempDir(), "run")
		said, last := 0, false
		for round := 0; !last; round++ {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childFolder+"="+dir)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			kill := random.IntN(4 + 2*round) // after so many repeats
			for i := -1; ; i++ {             // the folder must open from the first line on
				if i == kill {
					cmd.Process.Kill()
				}
				if said == childRepeats { // it may finish, and may be killed while finishing
					_, _ = in.Write([]byte{1})
					if round%2 == 0 && round < 20 {
						cmd.Process.Kill()
					}
				}
				if !lines.Scan() {
					break
				}
				if i >= 0 {
					said++
				}
			}
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
			in.Close()
			err = cmd.Wait()
			last = err == nil
			if !last {
				if stderr.Len() > 0 {
					t.Fatalf("the program failed by itself: %s", stderr.String())
				}
				kills++
			}
			o, err := Open(dir, "")
			if err != nil {
				t.Fatalf("killed %d times: %v", kills, err)
			}
			repeats := 0
			if len(o.Run.Experiments) > 0 {
				repeats = len(o.Run.Experiments[0].Repeats)
			}
			if repeats < said || len(o.Run.Warnings) > 0 {
				t.Fatalf("killed %d times: %d repeats are there, %d were recorded; warnings %q", kills, repeats, said,
					o.Run.Warnings)
			}
			said = repeats // a repeat may be recorded and not printed any more
			if o.Complete {
				if err := Verify(dir); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		o, err := Open(dir, "")
		if err != nil || !o.Complete {
			t.Fatalf("the run never got to its end: %v", err)
		}
		if e := o.Run.Experiments; len(e) != 1 || len(e[0].Repeats) != childRepeats {
			t.Errorf("%d experiments: %+v", len(e), e)
		}
		rows := map[int32]int{}
		for _, r := range readSamples(t, dir) {
			rows[r.Repeat]++
		}
		for i := range int32(childRepeats) {
			if rows[i] != 40 {
				t.Errorf("repeat %d has %d samples; want 40", i, rows[i])
			}
		}
	}
	t.Log("killed", kills, "times")
	testenv.Count(t, "kill points", "a program that writes a run folder, after a drawn number of repeats", kills)
	if kills == 0 {
		t.Error("the program was never killed; the test shows nothing")
	}
}
