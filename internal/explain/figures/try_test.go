package figures

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record/claims"
)

// The next measurement of a drive uses the same tool, pattern and size, with more concurrent requests.
func TestTryDrive(t *testing.T) {
	for _, c := range []struct {
		tool, way, pattern string
		depth              unit.Opt[int]
		want, no           string
	}{
		{"crystaldiskmark", "read", "random", unit.Known(32), "with 128 queues", "fio"},
		{"diskspd", "write", "random", unit.Known(8), "diskspd -b4K -r -o32 -t2 -w100", "fio"},
		{"diskspd", "read", "sequential", unit.Known(8), "-o32 -t2 -w0", " -r "},
		{"fio", "read", "random", unit.Known(4), "--rw=randread --bs=4K --iodepth=16 --numjobs=2", "overwritten"},
		{"fio", "write", "sequential", unit.Known(4), "FILE is overwritten", "rand"},
		{"", "", "", unit.Unknown[int]("nobody said"), "--rw=read --bs=4K --iodepth=32", "overwritten"},
	} {
		claim := &Claim{Figure: claims.Figure{Tool: c.tool, Way: c.way, Pattern: c.pattern, Depth: c.depth,
			Threads: unit.Known(2), Block: 4096}}
		if got := claim.tryDrive(); !strings.Contains(got, c.want) || strings.Contains(got, c.no) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
