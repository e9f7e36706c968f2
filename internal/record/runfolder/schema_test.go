package runfolder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/record"
)

// A record of an older form is refused, wherever it is, with the version that reads it.
func TestOlder(t *testing.T) {
	journal := func(version string) string {
		return strings.Replace(strings.Replace(begin, record.JournalSchema, "linerate/journal/1", 1), `"id":"abcd"`,
			`"id":"abcd","version":"`+version+`"`, 1)
	}
	for _, c := range []struct{ file, text, want string }{
		{ManifestName, `{"schema":"linerate/run/1","id":"a","version":"0.1.0","experiments":[{}]}`,
			"linerate 0.1.0 reads it"},
		{ManifestName, `{"schema":"linerate/run/1.4","version":"0.1.0","experiments":[`, "linerate 0.1.0 reads it"},
		{ManifestName, `{"schema":"linerate/run/1","version":"source"}`, "the linerate that wrote it reads it"},
		{ManifestName, `{"schema":"linerate/run/1","experiments":[]}`, "the linerate that wrote it reads it"},
		{ManifestName, `{"schema":"linerate/run/1"}`, "the linerate that wrote it reads it"},
		{JournalName, journal("0.1.0"), "linerate 0.1.0 reads it"},
		{JournalName, journal("source") + repeat0, "the linerate that wrote it reads it"},
		{"report.html", packedPage(t, []byte(`{"schema":"linerate/run/1","version":"0.1.0","experiments":[]}`)),
			"linerate 0.1.0 reads it"},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, c.file)
		if err := os.WriteFile(name, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		ref := dir
		if c.file == "report.html" {
			ref = name
		}
		_, err := Open(ref, "")
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "the run was written by an older linerate; "+c.want) {
			t.Errorf("%.60s: %v", c.text, err)
		}
		if c.file == "report.html" {
			continue
		}
		if _, _, err := Resume(dir, "v0", nil); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("continued: %.60s: %v", c.text, err)
		}
	}
}
