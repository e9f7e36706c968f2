// Package connecttest has the contract suite that every connection passes, and the remote ends that tests need. Only
// tests import it.
package connecttest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/host/connect"
)

// patience is the deadline of one command of the suite; working commands take far less.
const patience = 2 * time.Minute

// Suite runs the contract against a connection to a Unix host.
func Suite(t *testing.T, r connect.Connection) { SuiteOf(t, r, 64<<20) }

// SuiteOf is Suite with another size of its large transfers, for slow connections.
func SuiteOf(t *testing.T, r connect.Connection, size int64) {
	t.Run("exit codes", func(t *testing.T) { exitCodes(t, r) })
	t.Run("streams", func(t *testing.T) { streams(t, r) })
	t.Run("arguments", func(t *testing.T) { arguments(t, r) })
	t.Run("environment", func(t *testing.T) { environment(t, r) })
	t.Run("stdin", func(t *testing.T) { stdin(t, r) })
	t.Run("signal", func(t *testing.T) { signal(t, r) })
	t.Run("no program", func(t *testing.T) { noProgram(t, r) })
	t.Run("cancel", func(t *testing.T) { cancelled(t, r) })
	t.Run("kill", func(t *testing.T) { killed(t, r) })
	t.Run("large", func(t *testing.T) { large(t, r, size) })
	t.Run("several", func(t *testing.T) { several(t, r) })
	t.Run("put", func(t *testing.T) { put(t, r) })
}

// Ends is the part of the contract about how commands end, for a second configuration of the same kind of connection.
func Ends(t *testing.T, r connect.Connection) {
	t.Run("exit codes", func(t *testing.T) { exitCodes(t, r) })
	t.Run("signal", func(t *testing.T) { signal(t, r) })
	t.Run("cancel", func(t *testing.T) { cancelled(t, r) })
	t.Run("kill", func(t *testing.T) { killed(t, r) })
}

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func run(t *testing.T, r connect.Connection, stdin []byte, argv ...string) connect.Output {
	t.Helper()
	out, err := connect.Run(limited(t), r, stdin, argv...)
	if err != nil {
		t.Fatalf("%q: %v", argv, err)
	}
	return out
}

func exitCodes(t *testing.T, r connect.Connection) {
	for _, want := range []int{0, 1, 77, 255} {
		if out := run(t, r, nil, "sh", "-c", fmt.Sprintf("exit %d", want)); out.Exit != want {
			t.Errorf("exit %d came back as %d", want, out.Exit)
		}
	}
}

func streams(t *testing.T, r connect.Connection) {
	out := run(t, r, nil, "sh", "-c", "echo one; echo two >&2; printf three; printf four >&2; exit 255")
	if string(out.Stdout) != "one\nthree" || string(out.Stderr) != "two\nfour" || out.Exit != 255 {
		t.Errorf("got %q, %q and %d", out.Stdout, out.Stderr, out.Exit)
	}
}

func arguments(t *testing.T, r connect.Connection) {
	args := []string{"", " ", "a b", "'", `"`, `\`, `\\`, `'\''`, "$HOME", "$(exit 3)", "`exit 3`", "a\nb", "\n", "\t",
		"\r\n", "-n", "--", "-", "*", "?", "[a]", "~", "!", "!!", "#", "&", ";", "|", ">", "<", "{a,b}", "%s", "%", "ümläut",
		"日本", "\xff\xfe", "\x01\x1b[31m", "\x1elinerate exit-255", strings.Repeat("x'", 5000)}
	all := make([]byte, 0, 255)
	for c := 1; c < 256; c++ {
		all = append(all, byte(c))
	}
	args = append(args, string(all))
	out := run(t, r, nil, append([]string{"printf", `%s\0`}, args...)...)
	got := strings.Split(strings.TrimSuffix(string(out.Stdout), "\x00"), "\x00")
	if len(got) != len(args) {
		t.Fatalf("%d arguments came through, want %d", len(got), len(args))
	}
	for i := range args {
		if got[i] != args[i] {
			t.Errorf("argument %q came through as %q", args[i], got[i])
		}
	}
}

func environment(t *testing.T, r connect.Connection) {
	var out bytes.Buffer
	p, err := r.Start(limited(t), connect.Command{
		Argv: []string{"sh", "-c", `printf "%s,%s,%s" "$LINERATE_A" "$LINERATE_B" "${PATH:+path}"`}, Stdout: &out,
		Env: []string{"LINERATE_A=a b 'c' $(d)\n\\", "LINERATE_B="},
	})
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(); exit != 0 || err != nil {
		t.Fatalf("exit %d, %v", exit, err)
	}
	if want := "a b 'c' $(d)\n\\,,path"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func stdin(t *testing.T, r connect.Connection) {
	if out := run(t, r, nil, "cat"); len(out.Stdout) != 0 {
		t.Errorf("without input, cat wrote %q", out.Stdout)
	}
	if out := run(t, r, []byte("\x00a\nb\xff"), "cat"); string(out.Stdout) != "\x00a\nb\xff" {
		t.Errorf("cat wrote %q", out.Stdout)
	}
	// A program that ends without reading its input, and one that reads only the beginning.
	open, w := io.Pipe()
	defer w.Close()
	p, err := r.Start(limited(t), connect.Command{Argv: []string{"true"}, Stdin: open})
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(); exit != 0 || err != nil {
		t.Errorf("true with an open input: exit %d, %v", exit, err)
	}
	if out := run(t, r, bytes.Repeat([]byte("x"), 4<<20), "head", "-c", "3"); string(out.Stdout) != "xxx" ||
		out.Exit != 0 {
		t.Errorf("head wrote %q, exit %d", out.Stdout, out.Exit)
	}
}

func signal(t *testing.T, r connect.Connection) {
	for _, s := range []struct {
		name string
		want int
	}{{"KILL", 137}, {"TERM", 143}} {
		if out := run(t, r, nil, "sh", "-c", "echo before; kill -"+s.name+" $$"); out.Exit != s.want ||
			string(out.Stdout) != "before\n" {
			t.Errorf("a program that dies by %s: exit %d, %q; want %d", s.name, out.Exit, out.Stdout, s.want)
		}
	}
}

func noProgram(t *testing.T, r connect.Connection) {
	out, err := connect.Run(limited(t), r, nil, "linerate-no-such-program", "x")
	var e *connect.Error
	if !errors.Is(err, connect.ErrNoProgram) || !errors.As(err, &e) {
		t.Errorf("got %+v, %v; want ErrNoProgram as *connect.Error", out, err)
	}
	if out := run(t, r, nil, "sh", "-c", "linerate-no-such-program"); out.Exit != 127 {
		t.Errorf("a shell that finds no program: exit %d, want 127", out.Exit)
	}
}

// family starts a program with a child and a child that has left its parent, and returns their process ids.
func family(t *testing.T, ctx context.Context, r connect.Connection) (p connect.Process, pids []string) {
	t.Helper()
	read, write := io.Pipe()
	p, err := r.Start(ctx, connect.Command{
		Argv:   []string{"sh", "-c", `(sleep 3600 & echo $!); sleep 3600 & echo "$! $$."; wait`},
		Stdout: write,
	})
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	buf := make([]byte, 64)
	for !strings.Contains(said.String(), ".") {
		n, err := read.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		said.Write(buf[:n])
	}
	go io.Copy(io.Discard, read)
	return p, strings.Fields(strings.TrimRight(said.String(), ".\n"))
}

// living prints those of its arguments that are running processes; a zombie counts as dead.
const living = `for p; do if kill -0 $p 2>/dev/null && ! grep -qs "^State:.Z" /proc/$p/status; then echo $p; fi; done`

// gone fails when one of the processes still lives after a minute.
func gone(t *testing.T, r connect.Connection, pids []string) {
	t.Helper()
	if len(pids) != 3 {
		t.Fatalf("process ids %q, want 3", pids)
	}
	var alive string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		out := run(t, r, nil, "sh", "-c", living, "sh", pids[0], pids[1], pids[2])
		if alive = string(out.Stdout); alive == "" {
			return
		}
	}
	t.Errorf("of %q these still live: %q", pids, alive)
}

func cancelled(t *testing.T, r connect.Connection) {
	ctx, cancel := context.WithCancel(limited(t))
	p, pids := family(t, ctx, r)
	cancel()
	if exit, err := p.Wait(); exit != -1 || !errors.Is(err, context.Canceled) {
		t.Errorf("Wait after the cancel: %d, %v; want -1 and context.Canceled", exit, err)
	}
	gone(t, r, pids)
	if _, err := r.Start(ctx, connect.Command{Argv: []string{"true"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Start with an ended context: %v", err)
	}
}

func killed(t *testing.T, r connect.Connection) {
	p, pids := family(t, limited(t), r)
	if err := p.Kill(); err != nil {
		t.Errorf("Kill: %v", err)
	}
	if exit, err := p.Wait(); exit != 137 || err != nil {
		t.Errorf("Wait after Kill: %d, %v; want 137", exit, err)
	}
	if err := p.Kill(); err != nil {
		t.Errorf("Kill of an ended process: %v", err)
	}
	gone(t, r, pids)
}

// large sends bytes through cat and compares the output.
func large(t *testing.T, r connect.Connection, size int64) {
	sent, back := sha256.New(), sha256.New()
	source := io.TeeReader(io.LimitReader(rand.NewChaCha8([32]byte{1}), size), sent)
	p, err := r.Start(limited(t), connect.Command{Argv: []string{"cat"}, Stdin: source, Stdout: back})
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(); exit != 0 || err != nil {
		t.Fatalf("exit %d, %v", exit, err)
	}
	if !bytes.Equal(sent.Sum(nil), back.Sum(nil)) {
		t.Errorf("%d bytes came back changed", size)
	}
}

func several(t *testing.T, r connect.Connection) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			want := fmt.Sprint(i)
			out, err := connect.Run(t.Context(), r, []byte(want), "sh", "-c", "cat; exit "+want)
			if err != nil || string(out.Stdout) != want || out.Exit != i {
				t.Errorf("command %d of 8 at once: %q, exit %d, %v", i, out.Stdout, out.Exit, err)
			}
		})
	}
	wg.Wait()
}

func put(t *testing.T, r connect.Connection) {
	dir := strings.TrimSpace(string(run(t, r, nil, "mktemp", "-d").Stdout))
	defer connect.Run(context.WithoutCancel(t.Context()), r, nil, "rm", "-r", dir)
	path := dir + "/a 'file'"
	write := func(data []byte, path string, mode fs.FileMode) error {
		sum := sha256.Sum256(data)
		return connect.PutStream(limited(t), r, bytes.NewReader(data), hex.EncodeToString(sum[:]), path, mode)
	}
	for _, data := range [][]byte{{}, bytes.Repeat([]byte{0, 1, 2, 255}, 1<<20)} {
		if err := write(data, path, 0o750); err != nil {
			t.Fatal(err)
		}
		if out := run(t, r, nil, "cat", path); !bytes.Equal(out.Stdout, data) {
			t.Errorf("%d bytes arrived as %d bytes, or changed", len(data), len(out.Stdout))
		}
	}
	if out := run(t, r, nil, "ls", "-l", path); !strings.HasPrefix(string(out.Stdout), "-rwxr-x---") {
		t.Errorf("the mode is not 0750: %s", out.Stdout)
	}
	if out := run(t, r, nil, "ls", "-A", dir); string(out.Stdout) != "a 'file'\n" {
		t.Errorf("the folder has %q, want only the file", out.Stdout)
	}
	err := write([]byte("x"), dir+"/no/such/folder", 0o600)
	var e *connect.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), dir+"/no/such/folder") {
		t.Errorf("a file into a folder that is not there: %v", err)
	}
}
