package method

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTable: callers cannot change the table through the settings that they get.
func TestTable(t *testing.T) {
	want := newTable()
	for i, s := range Settings() {
		spoil(s)
		s, ok := SettingOf(want[i].Key)
		if !ok {
			t.Errorf("%s is not a setting", want[i].Key)
		}
		spoil(s)
	}
	clear(Keys())
	clear(Names(nil))
	if diff := cmp.Diff(want, Settings()); diff != "" {
		t.Errorf("new (-), kept (+):\n%s", diff)
	}
	for i, s := range want {
		got, _ := SettingOf(s.Key)
		if diff := cmp.Diff(s, got); diff != "" {
			t.Errorf("new (-), kept (+):\n%s", diff)
		}
		if Keys()[i] != s.Key {
			t.Errorf("key %d is %s, want %s", i, Keys()[i], s.Key)
		}
	}
}

// spoil overwrites everything in a setting.
func spoil(s Setting) {
	for _, list := range [][]string{s.Words, s.Methods, s.Later} {
		clear(list)
	}
	for _, f := range s.Flags {
		clear(f.UsageOf)
		spoilLists(f.Default)
	}
	spoilLists(s.WordsOf)
	clear(s.HighOf)
	clear(s.Flags)
}

func spoilLists(of map[string][]string) {
	for _, list := range of {
		clear(list)
	}
	clear(of)
}

func BenchmarkSettingOf(b *testing.B) {
	for b.Loop() {
		SettingOf("streams")
	}
}

func BenchmarkTakes(b *testing.B) {
	for b.Loop() {
		Takes(Throughput, "streams")
	}
}

func BenchmarkNamed(b *testing.B) {
	for b.Loop() {
		Named(Lossless)
	}
}
