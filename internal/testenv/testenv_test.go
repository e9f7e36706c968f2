package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWanted(t *testing.T) {
	for _, c := range []struct {
		value string
		kind  Kind
		want  bool
	}{
		{"", Live, false},
		{"live", Live, true},
		{"live,wine", Wine, true},
		{"livewine", Live, false},
	} {
		t.Setenv(Variable, c.value)
		if have := Wanted(c.kind); have != c.want {
			t.Errorf("%s=%q: %s wanted: %t, want %t", Variable, c.value, c.kind, have, c.want)
		}
	}
}

func TestNeedSkips(t *testing.T) {
	t.Setenv(Variable, "live")
	ran := false
	t.Run("wanted", func(t *testing.T) { Need(t, Live); ran = true })
	if !ran {
		t.Error("a test of a wanted kind did not run")
	}
	t.Run("not wanted", func(t *testing.T) {
		Need(t, Live, Guest)
		t.Error("a guest test ran without being asked for")
	})
}

func TestCount(t *testing.T) {
	name := filepath.Join(t.TempDir(), "counts")
	t.Setenv(CountVariable, name)
	Count(t, "kill points", "a run", 9)
	Count(t, "snapshots parsed", "hosts", 20)
	have, err := os.ReadFile(name)
	if want := "kill points\ta run\t9\nsnapshots parsed\thosts\t20\n"; err != nil || string(have) != want {
		t.Errorf("%v: have %q, want %q", err, have, want)
	}
}
