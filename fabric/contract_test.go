package fabric

import (
	"sync"
	"testing"

	"linerate/parts"
)

var loadCatalog = sync.OnceValues(parts.Load)

func catalog(t testing.TB) *parts.Catalog {
	t.Helper()
	c, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parseFile(t *testing.T, path string, opt Options) *Fabric {
	t.Helper()
	opt.Catalog = catalog(t)
	f, problems := Load(path, opt)
	if len(problems) > 0 {
		t.Fatalf("%s:\n%v", path, problems)
	}
	return f
}
