package fabric

import (
	"fmt"
	"os"
	"testing"
)

func parseFile(t *testing.T, path string, opt Options) *Fabric {
	t.Helper()
	f, problems := Load(path, opt)
	if len(problems) > 0 {
		t.Fatalf("%s:\n%v", path, problems)
	}
	return f
}

func TestContract(t *testing.T) {
	f := parseFile(t, "testdata/contract.yaml", Options{})
	fmt.Fprintf(os.Stderr, "%+v\n", f.Links[0])
}
