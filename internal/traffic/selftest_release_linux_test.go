package traffic

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
)

// The skews of all rounds become their median and most; a program that does not know the command is a reason.
func TestSelftestRelease(t *testing.T) {
	var skews []string
	for i := range 20 {
		skews = append(skews, fmt.Sprint(1000*(i+1)))
	}
	scripted(t, `release) echo "release threads=2 skew_ns=`+strings.Join(skews, ",")+`";;`)
	var i record.Instrument
	if err := SelftestRelease(t.Context(), &i, nil); err != nil || len(i.Releases) != 2 || i.Releases[0].Threads != 2 || i.Releases[1].Threads != 8 || math.Abs(i.Releases[0].Max-20e-6) > 1e-12 ||
		math.Abs(i.Releases[0].Median-10.5e-6) > 1e-12 || i.Releases[0].Rounds != 20 || i.Releases[0].Cores < 1 || len(i.Unknown) > 0 {
		t.Fatalf("%+v %v", i, err)
	}
	for script, says := range map[string]string{
		`release) echo "error step=line pair=-1 errno=0 status=0 at=1 text=release is no command"; exit 1;;`: "release is no command",
		`release) echo "release threads=2 skew_ns=1,2";;`:                                                    "with 2 rounds in place of 20",
		`release) echo "release threads=2 skew_ns=-1,2";;`:                                                   `"-1" is no time`,
	} {
		scripted(t, script)
		var i record.Instrument
		if err := SelftestRelease(t.Context(), &i, nil); err != nil || len(i.Releases) > 0 || len(i.Unknown) != 1 || i.Unknown[0].Subject != record.UnknownRelease || !strings.Contains(i.Unknown[0].Reason, says) {
			t.Errorf("%s: %+v %v", script, i, err)
		}
	}
	if !slices.Equal(releaseThreads, []int{2, 8}) {
		t.Error(releaseThreads)
	}
}
