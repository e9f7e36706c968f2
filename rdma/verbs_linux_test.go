package rdma

import (
	"bufio"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// built is the program, built once for all tests of a `go test`.
func built(t testing.TB) string {
	t.Helper()
	testenv.Need(t, testenv.Live)
	path, err := Build(t.Context(), filepath.Join(os.TempDir(), fmt.Sprintf("linerate-verbs-test-%d", os.Getuid())))
	if errors.Is(err, ErrNoCompiler) {
		testenv.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// output starts the program, writes lines to it, ends its input and returns its output and exit code.
func output(t *testing.T, env []string, lines string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, built(t))
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = strings.NewReader(lines)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%.100q: it does not end", lines)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

const opening = "open device=none port=1 transport=rc op=write metric=latency role=from direction=out pairs=1 size=8"

func with(key, value string) string {
	words := strings.Split(opening, " ")
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, key+"=") })
	if i < 0 {
		return opening + " " + key + "=" + value
	}
	words[i] = key + "=" + value
	return strings.Join(words, " ")
}

// Each invalid line is refused with a message, before any device is opened.
func TestRefusals(t *testing.T) {
	long := strings.Repeat("x", 70000)
	cores := strings.TrimSuffix(strings.Repeat("1,", 5000), ",")
	for line, says := range map[string]string{"": `"" is no command`,
		"help":                                "there are hello, devices, release, open",
		"hello world":                         `"world" is no key=value`,
		"hello x=1":                           "hello knows no x",
		"hello  x=1":                          `"" is no key=value; between words of hello stands one space`,
		"hello =1":                            `"=1" is no key=value`,
		long:                                  "a line is longer than 65536 bytes",
		"open" + strings.Repeat(" a=1", 2):    "a stands twice in open",
		"hello" + manyWords(70):               "hello has more than 64 words",
		"he\x00llo":                           "a byte of value 0",
		"\x1b[31m":                            `"?[31m" is no command`,
		"open":                                "device is missing",
		"open device=":                        "device is missing",
		"run begin=1 open=2 close=3":          "run cannot be done now: connect comes first",
		"peer n=0":                            "peer cannot be done now",
		"listen address=::1 token=00":         "listen cannot be done now",
		"connect":                             "connect cannot be done now",
		"halo ranks=1 words=1":                "halo cannot be done now: it stands once between connect and run",
		"rank n=0 id=0":                       "rank cannot be done now: it stands between halo and run",
		"edge rank=0 side=0":                  "edge cannot be done now",
		with("device", long[:64]):             "a name has at most 63 characters",
		with("port", "0"):                     "port=0: it goes from 1 to 255",
		with("port", "+1"):                    "port=+1: no number",
		with("port", "1x"):                    "port=1x: no number",
		with("port", "-1"):                    "port=-1: no number",
		with("pairs", "0"):                    "pairs=0: it goes from 1 to 4096",
		with("pairs", "4097"):                 "pairs=4097: it goes from 1 to 4096",
		with("pairs", "18446744073709551617"): "too large a number",
		with("size", "0"):                     "size=0: it goes from 1 to 1073741824",
		with("size", "1073741825"):            "size=1073741825: it goes from 1 to 1073741824",
		with("depth", "65537"):                "depth=65537",
		with("mtu", "1500"):                   "a path MTU is 256, 512, 1024, 2048 or 4096",
		with("op", "atomic"):                  "op=atomic: it is one of write|read|send",
		with("op", "writ"):                    "op=writ: it is one of",
		with("transport", "ud"):               "transport=ud carries op=send alone",
		with("direction", "both"):             "direction=both is for goodput",
		with("cores", "1,,2"):                 "no number; write digits",
		with("cores", "1;2"):                  "numbers with a comma between them",
		with("cores", "9999"):                 "it goes from 0 to 8191",
		with("cores", cores):                  "cores has more than 4096 entries",
		with("speed", "1"):                    "open knows no speed",
		strings.Replace(with("signal", "8"), "latency", "goodput depth=8 batch=4", 1): "need a depth of at least 11, not 8"} {
		out, code := output(t, nil, line+"\n")
		if code != 1 || !strings.HasPrefix(out, "error step=line pair=-1 ") || !strings.Contains(out, says) ||
			strings.Count(out, "\n") != 1 {
			t.Errorf("%.60q: exit code %d, want 1 and %q: %.300q", line, code, says, out)
		}
	}
}

func manyWords(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, " k%d=1", i)
	}
	return s.String()
}

// Valid lines get as far as the machine allows: no device of that name.
func TestNoDevice(t *testing.T) {
	for _, line := range []string{opening, with("cores", "0,1,8191"), with("seed", "18446744073709551615"), with("mtu",
		"4096")} {
		out, code := output(t, nil, line+"\n")
		if code != 1 || !strings.HasPrefix(out, "error step=") || strings.HasPrefix(out, "error step=line") {
			t.Errorf("%s: exit code %d: %q", line, code, out)
		}
	}
}

// Without the libraries the program starts and reports it; an older library is distinguished from a missing one.
func TestHelloWithoutLibraries(t *testing.T) {
	broken, old := t.TempDir(), t.TempDir()
	for _, name := range []string{"libibverbs.so.1", "librdmacm.so.1"} {
		if err := os.WriteFile(filepath.Join(broken, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		built(t)
		if out, err := exec.Command("cc", "-shared", "-o", filepath.Join(old, name), "-x", "c", os.DevNull).
			CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for dir, why := range map[string]string{broken: "file too short", old: "libibverbs.so.1 is too old: it has no " +
		"ibv_get_device_list; librdmacm.so.1 is too old: it has no rdma_get_devices"} {
		env := []string{"LD_LIBRARY_PATH=" + dir}
		out, code := output(t, env, "hello\n")
		if code != 0 || !strings.HasPrefix(out, "linerate-verbs 1 libibverbs=no librdmacm=no why=") ||
			!strings.Contains(out, why) {
			t.Errorf("hello: exit code %d: %q, want %q", code, out, why)
		}
		for _, line := range []string{"devices", opening} {
			if out, code := output(t, env, line+"\n"); code != 1 || !strings.HasPrefix(out, "error step=library") ||
				!strings.Contains(out, "install libibverbs1") {
				t.Errorf("%s: exit code %d: %q", line, code, out)
			}
		}
	}
}

// The program ends with its input, also in the middle of a line, and with its parent.
func TestEndsWithItsInput(t *testing.T) {
	for _, lines := range []string{"", "hel", "hello\nhel"} {
		if out, code := output(t, nil, lines); code != 0 || strings.Contains(out, "error") {
			t.Errorf("%q: exit code %d: %q", lines, code, out)
		}
	}
}

// Its input stays open, and its parent is killed.
func TestEndsWithItsParent(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cmd := exec.Command("sh", "-c", `"$1" <&3 3<&- & exec 3<&-; read line`, "sh", built(t))
	cmd.ExtraFiles = []*os.File{r}
	stdin, ierr := cmd.StdinPipe()
	stdout, oerr := cmd.StdoutPipe()
	if err := errors.Join(ierr, oerr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer stdin.Close()
	fmt.Fprintln(w, "hello")
	answers := bufio.NewReader(stdout)
	if line, err := answers.ReadString('\n'); err != nil || !strings.HasPrefix(line, "linerate-verbs 1 ") {
		t.Fatalf("hello: %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := answers.ReadString('\n') // only the program holds the pipe now
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != io.EOF {
			t.Errorf("its output ends with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("its parent has ended, and it has not")
	}
	cmd.Wait()
}

// The program only needs libc.
func TestNeedsLibcAlone(t *testing.T) {
	f, err := elf.Open(built(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		if !slices.Contains([]string{"libc.so.6", "libdl.so.2", "libpthread.so.0"}, l) {
			t.Errorf("it needs %s", l)
		}
	}
}

func TestBuild(t *testing.T) {
	first := built(t)
	dir := t.TempDir()
	again, err := Build(t.Context(), dir)
	if err != nil || filepath.Base(again) != filepath.Base(first) {
		t.Fatalf("%s, %v; want the name %s", again, err, filepath.Base(first))
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left next to it: %v", entries)
	}
}

// A compiler's failure is reported, and nothing of it is left.
func TestBuildFails(t *testing.T) {
	t.Setenv("CC", "no-such-cc")
	if _, err := Build(t.Context(), t.TempDir()); !errors.Is(err, ErrNoCompiler) ||
		!strings.Contains(err.Error(), "no C compiler no-such-cc; apt-get install gcc") {
		t.Errorf("without a compiler: %v", err)
	}
	if _, err := os.Stat("/bin/sh"); err != nil {
		testenv.Missing(t, "/bin/sh")
	}
	// A compiler that does not find the headers, one that breaks off, and one that does not end.
	const endless = "exec sleep 600"
	for script, says := range map[string]string{
		`echo "verbs.h:8:10: fatal error: infiniband/verbs.h: No such file or directory" >&2; ` +
			`exit 1`: "infiniband/verbs.h: " +
			"No such file or directory; apt-get install gcc",
		`for a; do case $a in */linerate-verbs) echo half > $a;; esac; done; echo boom; exit 3`: "boom",
		endless: "context deadline exceeded",
	} {
		fake, dir := filepath.Join(t.TempDir(), "cc"), t.TempDir()
		if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("CC", fake)
		patience := time.Minute
		if script == endless {
			patience = 200 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		path, err := Build(ctx, dir)
		cancel()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %s, %v; want %q", script, path, err, says)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("%s: left behind: %v", script, entries)
		}
	}
}

// FuzzLines: for any input the program answers with its own messages and ends.
func FuzzLines(f *testing.F) {
	built(f)
	for _, s := range []string{"hello\n", opening + "\n", "open a=b a=c\n", "hello\x00\n", "run begin=1\n",
		"peer n=0 gid=zz\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, code := output(t, nil, s)
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(line, " ")
			if !slices.Contains([]string{"error", "linerate-verbs", "device", "end\n"}, word) {
				t.Errorf("%q: %q", s, line)
			}
		}
		if code != 0 && code != 1 {
			t.Errorf("%q: exit code %d", s, code)
		}
	})
}

// The barrier is measured without a device: one figure a round, with the requested number of threads.
func TestRelease(t *testing.T) {
	for line, rounds := range map[string]int{"release threads=3": 20, "release threads=1 rounds=2": 2, "release " +
		"threads=5 rounds=3 yield=64 cores=0": 3} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, built(t))
		in, ierr := cmd.StdinPipe()
		out, oerr := cmd.StdoutPipe()
		if err := errors.Join(ierr, oerr, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(in, line)
		said, err := bufio.NewReader(out).ReadString('\n')
		in.Close()
		werr := cmd.Wait()
		cancel()
		head, list, _ := strings.Cut(strings.TrimSpace(said), " skew_ns=")
		skews := strings.Split(list, ",")
		if err != nil || werr != nil || !strings.HasPrefix(line, head) || len(skews) != rounds {
			t.Errorf("%s: %q, %v, %v", line, said, err, werr)
		}
		if strings.Contains(line, "threads=1 ") && list != "0,0" {
			t.Errorf("one thread is apart from itself: %q", list)
		}
	}
	for line, says := range map[string]string{"release": "threads is missing",
		"release threads=0":                "threads=0: it goes from 1 to 4096",
		"release threads=1 rounds=1001":    "rounds=1001: it goes from 1 to 1000",
		"release threads=1 cores=0;1":      "numbers with a comma between them",
		"release threads=1 speed=1":        "release knows no speed",
		"release threads=2 cores=0 yield=": "yield is missing"} {
		if out, code := output(t, nil, line+"\n"); code != 1 || !strings.Contains(out, says) {
			t.Logf("%s: %d %q, want %q", line, code, out, says)
			t.Fail()
		}
	}
}
