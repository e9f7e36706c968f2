// Package configtest has what the tests of device families share: plans of fabric files and golden folders.
package configtest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// Plan plans a fabric file; path is relative to the root of the project.
func Plan(t testing.TB, path string) *plan.Plan {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), path))
	if err != nil {
		t.Fatal(err)
	}
	return named(t, filepath.Base(path), string(text))
}

// root returns the project's root, from the folder of any test.
func root(t testing.TB) string {
	t.Helper()
	for dir := ".."; len(dir) < 32; dir = filepath.Join("..", dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the tests")
	return ""
}

// catalogue is read once for all tests of a package, because it is large.
var catalogue = sync.OnceValues(catalog.Load)

// Text plans the text of a fabric file.
func Text(t testing.TB, text string) *plan.Plan {
	t.Helper()
	return named(t, "fabric.yaml", text)
}

func named(t testing.TB, name, text string) *plan.Plan {
	t.Helper()
	catalog, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	f, problems := fabric.Parse(name, []byte(text), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

// Hostile are texts that try to escape from their place.
var Hostile = []string{
	`plain`, `two words`, `o'clock`, `say "no"`, "new\nline", "carriage\rreturn", "nul\x00byte", "\x1b[31mred",
	"tab\there", `$(reboot)`, "`reboot`", `; reboot`, `| reboot`, `& reboot`, `&& reboot`, `# comment`, `%COMPUTERNAME%`,
	`${HOME}`, `$env:PATH`, `\`, `\\`, `\"`, `\n`, `"; reboot; "`, `'; reboot; '`, `{`, `}`, `[/system reboot]`, `<!--`,
	`*`, `?`, `~`, `-rf`, `--help`, ` leading`, `trailing `, ``, "\u2018; Restart-Computer; \u2019", "\u201a", "\u201b",
	"\u201cx\u201d", "\u201e", "right\u202eto left", "zero\u200bwidth", "line\u2028separator", "next\u0085line",
	"\xff\xfe", "größe", "東京", "🙂",
}
