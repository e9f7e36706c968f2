package report

import (
	"bytes"
	"os"
	"testing"

	"linerate/result"
)

func page(t *testing.T, r *result.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	for name := range fixtures {
		html := page(t, fixture(t, name))
		t.Logf("%s: %d bytes", name, len(html))
		if dir := os.Getenv("LINERATE_PAGES"); dir != "" {
			if err := os.WriteFile(dir+"/"+name+".html", []byte(html), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
