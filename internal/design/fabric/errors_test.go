package fabric

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files of testdata/errors anew")

// Each file of testdata/errors is one idea of what people get wrong; beside it
// stands what they then read.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.yaml")
	if err != nil || len(paths) < 25 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, problems := Parse(name+".yaml", text, Options{Catalog: testCatalog(t)})
			if len(problems) == 0 || f != nil {
				t.Fatalf("it loads: %d problems, fabric %v", len(problems), f != nil)
			}
			got := problems.Error() + "\n"
			golden := strings.TrimSuffix(path, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-want +got (go test ./fabric -update writes it anew):\n%s", diff)
			}
		})
	}
}
