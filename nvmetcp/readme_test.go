package nvmetcp_test

import (
	"os"
	"strings"
	"testing"
)

// The code in README.md is Example, which runs with the tests.
func TestReadme(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	normal := func(text []byte) string { return strings.ReplaceAll(string(text), "\r\n", "\n") }
	_, body, _ := strings.Cut(normal(source), "\nfunc Example() {\n")
	body, _, ok := strings.Cut(body, "\n\t// Output:")
	if !ok {
		t.Fatal("example_test.go has no Example with an output")
	}
	code := strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n\t", "\n"), "\n")
	if want := "```go\n" + code + "```\n"; !strings.Contains(normal(readme), want) {
		t.Errorf("README.md does not have the code of Example. Replace its block with:\n%s", want)
	}
}
