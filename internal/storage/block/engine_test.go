package block

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// ways are the engines that work on this system without io_uring, which a system may forbid: live tests cover it.
func ways(t *testing.T) []string {
	t.Helper()
	all := []string{WayThreads}
	switch runtime.GOOS {
	case "windows":
		return append(all, WayOverlapped)
	case "linux":
		if !testenv.Wanted(testenv.Live) {
			return all
		}
		e, err := Prepare(t.Context(), Job{Way: WayNop, Size: 512, Read: 1, Depth: 1, Threads: 1, Interval: time.Second})
		if err != nil {
			t.Logf("without a ring: %v", err)
			return all
		}
		e.Close()
		return append(all, WayRing)
	}
	return all
}

// folder is t.TempDir, removed by calls that Wine has, too.
func folder(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "windows" {
		return t.TempDir()
	}
	at, err := os.MkdirTemp("", "block")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		entries, _ := os.ReadDir(at)
		for _, e := range entries {
			_ = os.Remove(filepath.Join(at, e.Name()))
		}
		if err := os.Remove(at); err != nil {
			t.Error(err)
		}
	})
	return at
}

// base is a job of a number of blocks: it ends when they are done, however long that takes.
func base(t *testing.T) Job {
	return Job{Target: filepath.Join(folder(t), "f"), Span: 4 * unit.MiB, Size: 4096, Read: 1, Depth: 4,
		Threads: 2, Amount: 400 * 4096, Interval: 2 * time.Minute, Seed: 11}
}

func do(t *testing.T, j Job) (Ready, *Outcome, error) {
	t.Helper()
	e, err := Prepare(t.Context(), j)
	if err != nil {
		t.Fatalf("%+v: %v", j, err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	o, err := e.Run(t.Context(), traffic.Now()+int64(20*time.Millisecond), nil)
	if o == nil {
		t.Fatal(err)
	}
	return e.Ready(), o, err
}

func ok(t *testing.T, j Job) (Ready, *Outcome) {
	t.Helper()
	r, o, err := do(t, j)
	if err != nil {
		t.Fatalf("%+v: %v", j, err)
	}
	return r, o
}

// One table of jobs, run with each engine.
func TestJobs(t *testing.T) {
	for _, way := range ways(t) {
		for name, change := range map[string]func(*Job){
			"random reads":       func(*Job) {},
			"sequential":         func(j *Job) { j.Pattern, j.Size, j.Amount = PatternSequential, 128*unit.KiB, 5*unit.MiB },
			"zipf":               func(j *Job) { j.Pattern = PatternZipf },
			"mixed":              func(j *Job) { j.Read = 0.7 },
			"writes":             func(j *Job) { j.Read = 0 },
			"synchronous writes": func(j *Job) { j.Read, j.Sync = 0, true },
			"through the cache":  func(j *Job) { j.Read, j.Cached = 0.5, true },
			"one at a time":      func(j *Job) { j.Depth, j.Threads = 1, 1 },
			"largest block": func(j *Job) {
				j.Span, j.Size, j.Depth, j.Threads, j.Amount = 16*unit.MiB, 8*unit.MiB, 1, 1, 40*unit.MiB
			},
			"verified":             func(j *Job) { j.Verify, j.Read = true, 0.5 },
			"verified reads":       func(j *Job) { j.Verify = true },
			"verified, with zeros": func(j *Job) { j.Verify, j.Read, j.Compressible = true, 0.5, 0.5 },
			"with think time":      func(j *Job) { j.Think, j.Amount = time.Millisecond, 40*4096 },
			"at a rate":            func(j *Job) { j.Rate, j.Amount = 2000, 40*4096 },
			"a folder":             func(j *Job) { j.Target = filepath.Dir(j.Target) },
		} {
			t.Run(way+" "+name, func(t *testing.T) {
				t.Parallel()
				j := base(t)
				j.Way = way
				change(&j)
				r, o := ok(t, j)
				if r.Way != way || !r.Created || r.Direct == nil && r.DirectWhy == "" {
					t.Errorf("%+v", r)
				}
				if _, err := os.Stat(r.Path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s is still there: %v", r.Path, err)
				}
				if left, _ := os.ReadDir(filepath.Dir(r.Path)); len(left) != 0 {
					t.Errorf("still there: %v", left)
				}
				n := o.Read.Operations + o.Write.Operations
				if n != int64(j.Amount/j.Size) || o.ErrorCount != 0 || len(o.Errors) != 0 || o.Hanging != 0 {
					t.Fatalf("%d operations, errors %v", n, o.Errors)
				}
				if o.Read.Bytes != o.Read.Operations*int64(j.Size) ||
					o.Write.Bytes != o.Write.Operations*int64(j.Size) {
					t.Errorf("bytes %d and %d of %d and %d operations", o.Read.Bytes, o.Write.Bytes, o.Read.Operations,
						o.Write.Operations)
				}
				if share := float64(
					o.Read.Operations,
				) / float64(n); n >= 300 && math.Abs(share-j.Read) > 0.1 || j.Read == 1 && share != 1 ||
					j.Read == 0 && share != 0 {
					t.Errorf("%.3f are reads", share)
				}
				var sum Slice
				for _, s := range o.Series {
					sum.Reads, sum.Writes, sum.ReadBytes, sum.WrittenBytes = sum.Reads+s.Reads, sum.Writes+s.Writes,
						sum.ReadBytes+s.ReadBytes, sum.WrittenBytes+s.WrittenBytes
				}
				if sum.Reads != o.Read.Operations || sum.WrittenBytes != o.Write.Bytes ||
					sum.Writes != o.Write.Operations ||
					sum.ReadBytes != o.Read.Bytes {
					t.Errorf("the series has %+v, the counts are %+v and %+v", sum, o.Read, o.Write)
				}
				for _, c := range []Counts{o.Read, o.Write} {
					h, err := c.Latency()
					if err != nil || h == nil && c.Operations > 0 || h != nil && h.Count() != c.Operations {
						t.Errorf("the histogram of %d operations: %v", c.Operations, err)
					}
				}
				if o.MeanDepth <= 0 {
					t.Errorf("%v requests under way on average", o.MeanDepth)
				}
				if o.Batch < 1 || way == WayThreads && o.Batch != 1 {
					t.Errorf("batches of %v", o.Batch)
				}
				if j.Read < 1 && o.FinalSync <= 0 && runtime.GOOS != "windows" { // its clock is coarse
					t.Errorf("the last sync took %v s", o.FinalSync)
				}
				if v := o.Verified; j.Verify &&
					(v == nil || v.Wrong != 0 || v.Unknown != 0 || v.Right < o.Read.Operations || j.Read == 1 &&
						v.ReadBack+v.NotReadBack != 0 || j.Read < 1 && v.ReadBack == 0) {
					t.Errorf("%+v, %d reads", v, o.Read.Operations)
				}
			})
		}
	}
}

func TestAmount(t *testing.T) {
	for _, way := range ways(t) {
		j := base(t)
		j.Way, j.Amount, j.Interval, j.Threads, j.Depth = way, 1003*4096, time.Minute, 3, 5
		_, o := ok(t, j)
		if o.Read.Operations != 1003 {
			t.Errorf("%s: %d blocks were read, 1003 are asked for", way, o.Read.Operations)
		}
		if o.CloseNS != o.LastNS {
			t.Errorf("%s: from %d to %d, the last at %d", way, o.OpenNS, o.CloseNS, o.LastNS)
		}
	}
}

// Every block is read once before any is read twice, also with many under way.
func TestAmountReadsEachBlockOnce(t *testing.T) {
	j := base(t)
	j.Read, j.Verify, j.Amount, j.Threads = 0, true, j.Span, 4
	_, o := ok(t, j)
	if v := o.Verified; v == nil || v.ReadBack != int64(j.Span/j.Size) || v.Wrong != 0 {
		t.Errorf("%+v of %d blocks", v, j.Span/j.Size)
	}
}

// A job that is stopped keeps what it has counted, and runs only once.
func TestCancel(t *testing.T) {
	for _, way := range ways(t) {
		j := base(t)
		j.Way, j.Amount, j.Interval = way, 0, 2*time.Minute
		e, err := Prepare(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		o, err := e.Run(ctx, traffic.Now(), func(rows []traffic.Sample) {
			if slices.ContainsFunc(rows, func(s traffic.Sample) bool { return s.Metric == "reads" && s.Value > 0 }) {
				stop()
			}
		})
		stop()
		var m *failure.Error
		if !errors.As(err, &m) || m.Code != failure.CodeStopped || o == nil || o.Read.Operations == 0 {
			t.Errorf("%s: %v, %+v", way, err, o)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if _, err := e.Run(t.Context(), traffic.Now(), nil); err == nil {
			t.Error("a job runs twice")
		}
	}
}

// One that is prepared and not run leaves nothing.
func TestPrepareAndClose(t *testing.T) {
	before := runtime.NumGoroutine()
	j := base(t)
	e, err := Prepare(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(j.Target); err != nil || info.Size() != int64(j.Span) {
		t.Errorf("%v, %v", info, err)
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(j.Target)); len(left) != 0 {
		t.Errorf("still there: %v", left)
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestAllErrorsAreReported(t *testing.T) {
	_, err := Prepare(
		t.Context(),
		Job{Size: 1000, Pattern: "zig", Read: math.NaN(), Depth: 0, Threads: 1000,
			Interval: -1, Warmup: -1, Rate: -1, Compressible: 2, OnError: "hm", Destroy: "x"},
	)
	var m *failure.Error
	if !errors.As(err, &m) || m.Code != failure.CodeInput {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{"target", "1000 bytes is not a multiple of 512, the smallest sector there is; take " +
		"512 or " +
		"1024", `"zig" is not one of random, sequential, mixed, zipf`, "read: NaN", "depth: 0",
		"threads: 1000 is not from 1 to 256",
		"window", "warmup", "rate", "compressible", `"hm" is not one of stop, go-on`, "DEVICE=SERIAL"} {
		if !strings.Contains(m.Text, want) {
			t.Errorf("%q is not said:\n%s", want, m.Text)
		}
	}
}

func TestRefusals(t *testing.T) {
	at := folder(t)
	file := filepath.Join(at, "precious")
	if err := os.WriteFile(file, []byte(strings.Repeat("precious", 1024)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Job)
		code   string
		says   string
	}{
		"somebody's file": {func(j *Job) { j.Target, j.Span, j.Read = file, 0, 0.9 }, failure.CodeUnsafe,
			"was not made by linerate"},
		"a file as a device": {func(j *Job) { j.Target, j.Span, j.Read, j.Destroy = file, 0, 0, file+"=8192" },
			failure.CodeInput, "is not a device"},
		"too large a span": {func(j *Job) { j.Target = file }, failure.CodeInput, "less than the 4 MiB"},
		"no size":          {func(j *Job) { j.Span = 0 }, failure.CodeInput, "say how large"},
		"no folder":        {func(j *Job) { j.Target = filepath.Join(at, "no", "f") }, failure.CodeInput, "make the folder"},
		"unknown kind":     {func(j *Job) { j.Target = "ftp://x/y" }, failure.CodeInput, "no target of this kind"},
		"too few blocks": {func(j *Job) { j.Threads, j.Depth, j.Verify, j.Read = 64, 32, true, 0.5 },
			failure.CodeInput, "need 2048"},
		"more than there is": {func(j *Job) { j.Span = 1 << 55 }, failure.CodeLimit, ""},
		"too much memory": {func(j *Job) { j.Span, j.Size, j.Depth, j.Threads = unit.GiB, 8*unit.MiB, 1024, 16 },
			failure.CodeLimit, "128 GiB of memory"},
		"a block in the middle": {func(j *Job) { j.Size = 4097 }, failure.CodeInput, "take 4096 or 4608"},
	} {
		j := base(t)
		change := c.change
		change(&j)
		e, err := Prepare(t.Context(), j)
		var m *failure.Error
		if err == nil {
			e.Close()
			t.Errorf("%s: it is done", name)
		} else if !errors.As(err, &m) || m.Code != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v (%+v)", name, err, m)
		}
		if left, _ := os.ReadDir(filepath.Dir(base(t).Target)); len(left) != 0 {
			t.Errorf("%s: still there: %v", name, left)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != strings.Repeat("precious", 1024) {
		t.Error("the file was changed")
	}
}

// A job reads existing files of others, whole or in part.
func TestReadsAnyFile(t *testing.T) {
	j := base(t)
	if err := os.WriteFile(j.Target, make([]byte, 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	j.Span = 0
	r, _ := ok(t, j)
	if r.Created || r.Blocks != 24 {
		t.Errorf("%+v", r)
	}
	if info, err := os.Stat(j.Target); err != nil || info.Size() != 100_000 {
		t.Error("it was changed")
	}
}

// A file that an earlier measurement left is written again, known by its attribute or by the file next to it; a file
// that took its name is not.
func TestMarks(t *testing.T) {
	for _, asFile := range []bool{false, true} {
		j := base(t)
		j.Read = 0
		f, err := os.Create(j.Target)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(int64(j.Span)); err != nil {
			t.Fatal(err)
		}
		if asFile {
			info, _ := f.Stat()
			err = os.WriteFile(markFileOf(j.Target), []byte(markWord+" "+numberOf(f, info)+"\n"), 0o600)
		} else {
			_, _, err = mark(f, j.Target)
		}
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		r, o := ok(t, j)
		if r.Created || r.Mark == "" ||
			asFile != strings.Contains(r.Mark, "beside") && strings.Contains(r.Mark, ".f.linerate") != asFile ||
			!strings.Contains(strings.Join(o.Warnings, "\n"), "left by an earlier") {
			t.Errorf("%+v", r)
		}
		if !asFile {
			continue
		}
		// Another file that takes the name was not made by linerate.
		other := j.Target + "2"
		if err := os.WriteFile(other, make([]byte, j.Span), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(other, j.Target); err != nil {
			t.Fatal(err)
		}
		var m *failure.Error
		if _, err := Prepare(t.Context(), j); !errors.As(err, &m) || m.Code != failure.CodeUnsafe {
			t.Errorf("another file of that name: %v", err)
		}
	}
}

// spoil changes a block of the file during the job. Every kind of wrong block is reported.
func TestSpoiledBlocksAreFound(t *testing.T) {
	for _, way := range ways(t) {
		for kind, spoil := range map[string]func(b []byte, d data){
			WrongZeros:  func(b []byte, _ data) { clear(b[4096*7:][:4096]) },
			WrongOffset: func(b []byte, _ data) { copy(b[4096*7:][:4096], b[4096*8:]) },
			WrongSeed: func(b []byte, _ data) {
				newData(Job{Size: 4096, Seed: 99, Verify: true}).fill(b[4096*7:][:4096], 4096*7, laidOut)
			},
			WrongGeneration: func(b []byte, d data) { d.fill(b[4096*7:][:4096], 4096*7, laidOut-1) },
			WrongSpoiled:    func(b []byte, _ data) { b[4096*7+512*3+99] ^= 16 },
			WrongElse:       func(b []byte, _ data) { copy(b[4096*7:][:4096], strings.Repeat("x", 4096)) },
		} {
			j := base(t)
			j.Way, j.Verify, j.Amount, j.Interval, j.Threads, j.Cached = way, true, 4*unit.MiB, time.Minute, 1, true
			e, err := Prepare(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(j.Target)
			if err != nil {
				t.Fatal(err)
			}
			spoil(b, newData(j))
			f, err := os.OpenFile(j.Target, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt(b[4096*7:][:4096], 4096*7); err != nil {
				t.Fatal(err)
			}
			f.Close()
			o, err := e.Run(t.Context(), traffic.Now(), nil)
			if err != nil {
				t.Fatal(err)
			}
			v := o.Verified
			at := int64(4096 * 7)
			if kind == WrongSpoiled {
				at += 512 * 3
			}
			if v.Wrong != 1 || v.Right != 1023 || len(v.Blocks) != 1 || v.Blocks[0].Kind != kind ||
				v.Blocks[0].Offset != at {
				t.Errorf("%s, %s: %+v", way, kind, v)
			}
			if all := strings.Join(o.Warnings, "\n"); !strings.Contains(
				all,
				fmt.Sprintf(
					"1 of 1024 blocks that were read and compared are not what was written, such as that of offset %d: there was",
					at),
			) {
				t.Errorf("%s, %s: %q does not tell of it", way, kind, all)
			}
			e.Close()
		}
	}
}

// The file becomes shorter during the job: reported with offset and time; the job stops or goes on as configured.
func TestTargetThatShrinks(t *testing.T) {
	for _, way := range ways(t) {
		for _, on := range []string{OnErrorStop, OnErrorGoOn} {
			j := base(t)
			j.Way, j.OnError, j.Amount = way, on, j.Span
			e, err := Prepare(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(j.Target, 1<<20); err != nil {
				t.Fatal(err)
			}
			o, err := e.Run(t.Context(), traffic.Now(), nil)
			e.Close()
			if o == nil || o.ErrorCount == 0 || len(o.Errors) == 0 || o.Errors[0].Offset < 1<<20 ||
				o.Errors[0].Op != "read" ||
				!strings.Contains(o.Errors[0].Text, "0 of 4096 bytes") {
				t.Fatalf("%s, %s: %v, %+v", way, on, err, o)
			}
			if !slices.IsSortedFunc(o.Errors, func(a, b IOError) int { return int(a.AtNS - b.AtNS) }) ||
				len(o.Errors) > maxKept {
				t.Errorf("%+v", o.Errors)
			}
			var m *failure.Error
			if on == OnErrorStop {
				if !errors.As(err, &m) || m.Code != CodeLost || o.LostNS == 0 ||
					o.CloseNS-o.OpenNS >= int64(j.Interval) {
					t.Errorf("%s: %v, lost at %d", way, err, o.LostNS)
				}
				continue
			}
			if err != nil || o.LostNS != 0 || o.ErrorCount != 768 || o.Read.Operations != 256 {
				t.Errorf("%s: %v, %d errors, %d blocks were read", way, err, o.ErrorCount, o.Read.Operations)
			}
		}
	}
}

// A job survives the agent's protocol unchanged.
func TestJobAsJSON(t *testing.T) {
	j := base(t)
	j.Think, j.Rate, j.Amount, j.Destroy = time.Second, 3.5, 4096, "a=b"
	b, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	var back Job
	if err := json.Unmarshal(b, &back); err != nil || back != j {
		t.Errorf("%s: %+v, %v", b, back, err)
	}
}

func TestCacheIsHonest(t *testing.T) {
	testenv.Need(t, testenv.Live)
	if runtime.GOOS != "linux" {
		t.Skip("the cache is asked on Linux alone")
	}
	for _, warm := range []bool{false, true} {
		j := base(t)
		j.Cached, j.Warm = true, warm
		_, o := ok(t, j)
		if want := map[bool]string{false: "dropped before the warm-up", true: "left as it was"}[warm]; !strings.Contains(
			o.Cache, want) ||
			strings.Contains(o.Cache, " 0 B of it") {
			t.Errorf("warm %v: %s", warm, o.Cache)
		}
	}
}
