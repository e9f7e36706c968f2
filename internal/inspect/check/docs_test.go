package check

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// docs/checks.md is written from the records.
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# What is looked at on hosts that are there

` + "`linerate check FABRIC`" + ` lists what is not as it should be, each line with the id of a check. ` + "`--only ID,ID` and `--skip ID,ID`" + ` choose; the exit code is 3 when there is an error.

- **error**: costs at least a tenth of what the path could carry, or reachability, or data.
- **warning**: costs less, or may.
- **info**: costs nothing now.

The second column is the worst that a check says.

| id | worst | what is looked at | why | source |
|---|---|---|---|---|
`)
	for _, k := range checks {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.ID, k.Worst, k.Title, k.Why, k.Source)
	}
	const path = "../../../docs/checks.md"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != b.String() {
		t.Errorf("%s is not what the records say (%v); go test ./check -run TestDocs -update writes it", path, err)
	}
}
