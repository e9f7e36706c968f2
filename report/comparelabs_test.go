package report

import (
	"strings"
	"testing"

	"linerate/result"
)

// What is said of labs of two scales can be typed, and names the run that has to be measured again.
func TestLabsApart(t *testing.T) {
	of := func(id string, scale float64, path string, words ...string) *result.Run {
		return &result.Run{ID: id, Lab: &result.Lab{Scale: scale}, FabricPath: path, Arguments: words}
	}
	small := of("bbbb", 0.05, "", "linerate", "quick", "--lab")
	for _, c := range []struct {
		of   *result.Run
		want string
	}{
		{of("cccc", 0.1, "", "linerate", "quick", "--lab"), "measure run cccc again with --scale 0.05, and they are alike: linerate quick --lab --scale 0.05"},
		{of("cccc", 0.1, "my fabric.yaml", "linerate", "run", "my fabric.yaml", "--lab"), ": linerate run 'my fabric.yaml' --lab --scale 0.05"},
		{of("cccc", 0.1, "f.yaml", "linerate", "run", "f.yaml", "--lab", "--guests"), "again with --scale 0.05, and they are alike"},
		{of("cccc", 1, "f.yaml", "linerate", "run", "f.yaml", "--lab=abcd"), "at full scale"},
	} {
		for _, got := range []string{labsApart(c.of, small), labsApart(small, c.of)} {
			if !strings.Contains(got, c.want) || !strings.Contains(got, "1/20 scale") {
				t.Errorf("%q has no %q", got, c.want)
			}
		}
	}
	if got := labsApart(small, of("dddd", 0, "")); strings.Contains(got, "--scale") {
		t.Errorf("a scale that is not known: %q", got)
	}
	notes := NewComparisonSet([]*result.Run{small, of("cccc", 0.1, "", "linerate", "quick", "--lab")}, nil).Notes
	if all := strings.Join(notes, "\n"); !strings.Contains(all, "linerate quick --lab --scale 0.05") {
		t.Errorf("compare does not say it: %s", all)
	}
}
