package traffic

import (
	"bytes"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/testenv"
)

// fileOf writes a file of n bytes of a pattern that tells every place in it.
func fileOf(t *testing.T, n int) (path string, content []byte) {
	t.Helper()
	content = (&task{setup: Setup{Seed: 7}}).payload(unit.Bytes(n))
	path = filepath.Join(t.TempDir(), "source")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, content
}

// What arrives is the file, over and over, with copies and without.
func TestSourceIsSent(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	path, content := fileOf(t, 300_001)
	for _, copies := range []string{CopiesBoth, CopiesReceive} {
		if copies != CopiesBoth && runtime.GOOS != "linux" {
			continue
		}
		t.Run(copies, func(t *testing.T) {
			at := netip.MustParseAddr("127.0.0.1")
			s := Setup{Method: "stream", Side: From, Listen: true, Direction: Out, Streams: 1, Window: 2 * time.Minute, Local: at, Remote: at,
				Source: path, Amount: 1_000_000, Tuning: Tuning{Copies: copies}}
			a, err := Prepare(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			s.Side, s.Listen, s.Source, s.Port, s.Token = To, false, "", a.Ready().Port, a.Ready().Token
			b, err := Prepare(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			var o *Outcome
			done := make(chan error, 1)
			go func() {
				var err error
				o, err = a.Run(t.Context(), Now()+int64(lead), func([]Sample) {})
				done <- err
			}()
			var got []byte
			buf := make([]byte, 64<<10)
			for {
				n, err := b.wires[0].Read(buf)
				got = append(got, buf[:n]...)
				if err != nil {
					break
				}
			}
			if err := b.wires[0].closeWrite(); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			want := bytes.Repeat(content, 4)[:1_000_000]
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes came that are not the file's", len(got))
			}
			if e := o.InEffect; !strings.HasPrefix(e.Source, path) || !strings.Contains(e.Source, "300 kB") || e.SourceFrom == "" || e.Path == "" || e.Path == wayWrite.String() {
				t.Errorf("in effect: %+v", e)
			}
		})
	}
}

// Several streams of a window, each from its own place in the file, in both directions.
func TestSourceForATime(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	path, _ := fileOf(t, 1<<20)
	s := Setup{Method: "stream", Direction: Both, Streams: 3, Window: 2 * time.Second, Pace: 300e6, Source: path}
	r := pairs(t, drained, s)[0]
	if received(r.from) == 0 || received(r.to) == 0 {
		t.Errorf("%d and %d bytes were received", received(r.from), received(r.to))
	}
	for i := range r.from.Streams {
		if a, b := r.from.Streams[i], r.to.Streams[i]; a.Received != b.Sent || b.Received != a.Sent {
			t.Errorf("stream %d: %+v %+v", i, a, b)
		}
	}
}

func TestSourceRefused(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		"relative":                   "no absolute path",
		filepath.Join(dir, "none"):   "no such file",
		dir:                          "no regular file",
		empty:                        "empty",
		filepath.Join(dir, "a\x00b"): "",
	} {
		if s, err := openSource(Setup{Source: path}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v; want %q", path, s, err, says)
		}
	}
	at := netip.MustParseAddr("127.0.0.1")
	good := Setup{Method: "stream", Side: From, Listen: true, Direction: Out, Streams: 1, Window: time.Second, Local: at, Remote: at, Source: empty}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Setup)
		says   string
	}{
		"receiver": {func(s *Setup) { s.Side = To }, "sends nothing"},
		"udp":      {func(s *Setup) { s.Transport = UDP }, "tcp"},
		"trial":    {func(s *Setup) { s.Tuning.Trial = true }, "without a trial"},
		"long":     {func(s *Setup) { s.Source = "/" + strings.Repeat("a", mostPath) }, "longer than 4096"},
	} {
		s := good
		c.change(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %q", name, err, c.says)
		}
	}
}

func TestSourceFrom(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		fs     string
		read   *int64
		beside int
		want   string
		step   int64
	}{
		{"ext4", n(0), 0, "page cache: 0 B of 1000 B", 900}, {"xfs", n(1000), 0, "drive: ", 0}, {"xfs", n(4096), 0, "drive: 4 KiB were read from the drive, some of it ahead, and 1000 B sent", 0}, {"btrfs", n(500), 0, "both: ", 500},
		{"xfs", n(800), 0, "drive: ", 200}, {"xfs", n(800), 0, "both: ", 199},
		{"ext4", nil, 0, "not known: the system", 0}, {"ext4", n(0), 2, "not known: several", 0}, {"9p", n(0), 0, "not known: reads of the file system 9p", 0},
		{"", n(0), 0, "not known: ", 0}, {"tmpfs", nil, 0, "memory (tmpfs)", 0},
	} {
		if got := (&source{fs: c.fs}).from(c.read, 1000, c.step, c.beside); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
