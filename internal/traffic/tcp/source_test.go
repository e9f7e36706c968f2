package tcp

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
	"linerate/internal/traffic"
	"linerate/internal/traffic/traffictest"
)

// fileOf writes a file of n bytes of a pattern in which every place differs.
func fileOf(t *testing.T, n int) (path string, content []byte) {
	t.Helper()
	content = (&traffic.Flow{Setup: traffic.Endpoint{Setup: traffic.Setup{Seed: 7}}}).Payload(unit.Bytes(n))
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
	for _, copies := range []string{traffic.CopiesBoth, traffic.CopiesReceive} {
		if copies != traffic.CopiesBoth && runtime.GOOS != "linux" {
			continue
		}
		t.Run(copies, func(t *testing.T) {
			at := netip.MustParseAddr("127.0.0.1")
			s := traffic.Setup{Method: "throughput", Side: traffic.From, Listen: true, Direction: traffic.Out, Streams: 1,
				Interval: 2 * time.Minute, Local: at, Remote: at,
				Source: path, Amount: 1_000_000, Tuning: traffic.Tuning{Copies: copies}}
			a, err := table().Prepare(t.Context(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			s.Side, s.Listen, s.Source, s.Port, s.Token = traffic.To, false, "", a.Ready().Port, a.Ready().Token
			b, err := table().Prepare(t.Context(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			var o *traffic.Outcome
			done := make(chan error, 1)
			go func() {
				var err error
				o, err = a.Run(t.Context(), traffic.Now()+int64(traffictest.Lead), func([]traffic.Sample) {})
				done <- err
			}()
			var got []byte
			buf := make([]byte, 64<<10)
			for {
				n, err := b.Engine.(*engine).wires[0].Read(buf)
				got = append(got, buf[:n]...)
				if err != nil {
					break
				}
			}
			if err := b.Engine.(*engine).wires[0].CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			want := bytes.Repeat(content, 4)[:1_000_000]
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes came that are not the file's", len(got))
			}
			if e := o.InEffect; !strings.HasPrefix(e.Source, path) || !strings.Contains(e.Source, "300 kB") ||
				e.SourceFrom == "" || e.Path == "" || e.Path == wayWrite.String() {
				t.Errorf("in effect: %+v", e)
			}
		})
	}
}

// Several streams send for a time, each from its own place in the file, in both directions.
func TestSourceForATime(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	path, _ := fileOf(t, 1<<20)
	s := traffic.Setup{Method: "throughput", Direction: traffic.Both, Streams: 3, Interval: 2 * time.Second, Pace: 300e6,
		Source: path}
	r := traffictest.Pairs(t, table(), traffictest.Drained, s)[0]
	if traffictest.Received(r.From) == 0 || traffictest.Received(r.To) == 0 {
		t.Errorf("%d and %d bytes were received", traffictest.Received(r.From), traffictest.Received(r.To))
	}
	for i := range r.From.Streams {
		if a, b := r.From.Streams[i], r.To.Streams[i]; a.Received != b.Sent || b.Received != a.Sent {
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
	for path, says := range map[string]string{"relative": "not an absolute " +
		"path", filepath.Join(dir, "none"): "no such file",
		dir: "not a regular file", empty: "empty", filepath.Join(dir, "a\x00b"): ""} {
		if s, err := openSource(traffic.Endpoint{Setup: traffic.Setup{Source: path}}); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v; want %q", path, s, err, says)
		}
	}
	at := netip.MustParseAddr("127.0.0.1")
	good := traffic.Setup{Method: "throughput", Side: traffic.From, Listen: true, Direction: traffic.Out, Streams: 1,
		Interval: time.Second, Local: at, Remote: at, Source: empty}
	if err := table().Check(good); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*traffic.Setup)
		says   string
	}{
		"receiver": {func(s *traffic.Setup) { s.Side = traffic.To }, "sends nothing"},
		"udp":      {func(s *traffic.Setup) { s.Transport = traffic.UDP }, "tcp"},
		"trial":    {func(s *traffic.Setup) { s.Tuning.Trial = true }, "without a trial"},
		"long":     {func(s *traffic.Setup) { s.Source = "/" + strings.Repeat("a", traffic.MostPath) }, "longer than 4096"},
	} {
		s := good
		c.change(&s)
		if err := table().Check(s); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %q", name, err, c.says)
		}
	}
}

func TestSourceFrom(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		fs         string
		read       *int64
		background int
		want       string
		step       int64
	}{
		{"ext4", n(0), 0, "page cache: 0 B of 1000 B", 900}, {"xfs", n(1000), 0, "drive: ", 0},
		{"xfs", n(4096), 0, "drive: 4 KiB were read from the drive, some of it ahead, and 1000 B sent", 0},
		{"btrfs", n(500), 0, "both: ", 500},
		{"xfs", n(800), 0, "drive: ", 200}, {"xfs", n(800), 0, "both: ", 199},
		{"ext4", nil, 0, "not known: the system", 0}, {"ext4", n(0), 2, "not known: several", 0},
		{"9p", n(0), 0, "not known: reads of the file system 9p", 0},
		{"", n(0), 0, "not known: ", 0}, {"tmpfs", nil, 0, "memory (tmpfs)", 0},
	} {
		if got := (&source{fs: c.fs}).from(c.read, 1000, c.step, c.background); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
