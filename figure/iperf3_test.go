package figure

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCollection(t *testing.T) {
	files, _ := filepath.Glob("../../shared/captures/bench/iperf3*")
	if len(files) == 0 {
		t.Skip("no collection of captures beside the project")
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read("iperf3", b)
		t.Logf("%s: %v %v %+v", filepath.Base(file), err, f.Rate, f)
	}
}
