package fabric

import (
	"path/filepath"
	"testing"

	"linerate/internal/testenv"
)

// The examples belong to the project's users: each loads as written and with
// each of its variants.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	designs, err := filepath.Glob("../../../examples/designs/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	paths = append(paths, designs...)
	if len(paths) == 0 {
		testenv.Missing(t, "the folder ../examples with *.yaml")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, problems := Load(path, Options{Catalog: testCatalog(t)})
			if len(problems) > 0 {
				t.Fatalf("\n%v", problems)
			}
			for _, v := range f.Variants {
				if _, problems := Load(path, Options{Variant: v, Catalog: testCatalog(t)}); len(problems) > 0 {
					t.Errorf("variant %s:\n%v", v, problems)
				}
			}
		})
	}
}
