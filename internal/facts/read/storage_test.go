package read

import (
	"testing"

	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/storage"
)

func TestStorageOfAGuest(t *testing.T) {
	f := load(t, "storage.guest.txtar")
	if c := storage.Nvme(parse.NewBuilder(f), "nvme1"); c.Transport != "tcp" || c.Target.String() != "127.0.0.1:4420" {
		t.Errorf("%+v", c)
	}
	for i, rebuilding := range []bool{false, true, true, false, false} {
		if a := f.Storage.Arrays[i]; a.Rebuilding() != rebuilding {
			t.Errorf("%+v", a)
		}
	}
}
