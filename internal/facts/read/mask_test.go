package read

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// differs compares two values of JSON; a masked text may be anything.
func differs(path string, a, b any) string {
	switch b := b.(type) {
	case string:
		if a != b && !strings.Contains(b, "masked") {
			return fmt.Sprintf("%s: %v, masked %v", path, a, b)
		}
	case map[string]any:
		m, ok := a.(map[string]any)
		if !ok || len(m) != len(b) {
			return fmt.Sprintf("%s: %d keys, masked %d", path, len(m), len(b))
		}
		for k, v := range b {
			if d := differs(path+"."+k, m[k], v); d != "" {
				return d
			}
		}
	case []any:
		l, ok := a.([]any)
		if !ok || len(l) != len(b) {
			return fmt.Sprintf("%s: %d entries, masked %d", path, len(l), len(b))
		}
		for i, v := range b {
			if d := differs(fmt.Sprintf("%s[%d]", path, i), l[i], v); d != "" {
				return d
			}
		}
	default:
		if !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("%s: %v, masked %v", path, a, b)
		}
	}
	return ""
}

// TestMaskedSnapshotsParseAlike: the parsers read a masked snapshot like the original.
func TestMaskedSnapshotsParseAlike(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	n := 0
	alike := func(name string, raw []byte) {
		tree := func(text []byte) (v any) {
			f, err := Parse(text)
			if err != nil {
				return nil
			}
			j := testenv.Must(json.Marshal(f))(t)
			json.Unmarshal(j, &v)
			return v
		}
		m := snapshot.NewMasker()
		hidden := m.Snapshot(raw)
		if d := differs("", tree(raw), tree(hidden)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if again := m.Snapshot(hidden); string(again) != string(hidden) {
			t.Errorf("%s: it is another one when it is masked again", name)
		}
		n++
	}
	for _, file := range files {
		text := testenv.Must(os.ReadFile(file))(t)
		alike(file, text)
	}
	// Outputs of other machines, if the collection is next to the project.
	filepath.WalkDir("../../../../shared/captures", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".txt" {
			return nil
		}
		text := testenv.Must(os.ReadFile(path))(t)
		if len(text) > 8<<10 && (len(text) > 128<<10 || !testenv.Wanted(testenv.Live)) {
			return nil // many of one kind
		}
		if raw, unread := FromKept("x", map[string][]byte{filepath.Base(path): text},
			[]string{filepath.Base(path)}); len(unread) == 0 {
			alike(path, raw)
		}
		return nil
	})
	t.Logf("%d snapshots", n)
}
