package render_test

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/device/configtest"
	"linerate/internal/device/render"
	"linerate/internal/testenv"
)

// parser prints a line for every file that its grammar of PowerShell refuses: the first error.
const parser = `
import sys, tree_sitter, tree_sitter_powershell
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
def wrong(node):
    if node.is_missing or node.type == 'ERROR':
        return node
    return next((w for w in map(wrong, node.children) if w), None)
for path in sys.argv[1:]:
    # The grammar knows no digits in the name of a parameter, which PowerShell takes.
    text = open(path, 'rb').read().replace(b'-PriorityValue8021Action', b'-PriorityValueAction')
    tree = parser.parse(text)
    if tree.root_node.has_error:
        w = wrong(tree.root_node)
        print(path, w.start_point[0] + 1, text.splitlines()[w.start_point[0]].decode()[:120])
`

// parse returns the lines of the parser for files.
func parse(t *testing.T, files ...string) string {
	t.Helper()
	python := cmp.Or(os.Getenv("LINERATE_PYTHON"), "python3")
	if out, err := exec.Command(python, "-c", "import tree_sitter, tree_sitter_powershell").CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		testenv.Missing(t, "a grammar of PowerShell (pip install tree-sitter tree-sitter-powershell; LINERATE_PYTHON "+
			"names the Python): "+lines[len(lines)-1])
	}
	cmd := exec.Command(python, append([]string{"-c", parser}, files...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return out.String()
}

// TestParsed: an independent grammar of PowerShell accepts every script of every example, also with hostile names in
// it, and refuses other texts.
func TestParsed(t *testing.T) {
	testenv.Need(t, testenv.Live)
	dir := t.TempDir()
	var files []string
	write := func(name, text string) {
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		testenv.WriteFile(t, path, text, 0o644)
		files = append(files, path)
	}
	seen := map[string]bool{}
	for _, path := range []string{"examples/roce-100g.yaml", "examples/eval-25g.yaml", "examples/mesh-10g.yaml",
		"examples/nas-40g.yaml", "examples/designs/all-families.yaml"} {
		for _, d := range render.Render(configtest.Plan(t, path)).Devices {
			for _, f := range d.Files {
				if text := f.Text(); d.Family == "windows" && strings.HasSuffix(f.Name, ".ps1") &&
					!strings.HasPrefix(d.Name, "vm") && !seen[text] {
					seen[text] = true
					write(filepath.Base(path)+"-"+d.Name+"-"+f.Name, text)
				}
			}
		}
	}
	for _, version := range []string{"", "11 23H2"} {
		d := rendered(t, with(version, `ports: ["o'clock \u2019; Restart-Computer; $(reboot) `+"größe"+`", b]`))
		for _, f := range d.Files {
			if strings.HasSuffix(f.Name, ".ps1") {
				write("hostile-"+version+"-"+f.Name, f.Text())
			}
		}
	}
	if len(files) < 20 {
		t.Fatalf("only %d scripts", len(files))
	}
	if out := parse(t, files...); out != "" {
		t.Errorf("the grammar does not take:\n%s", out)
	}
	files = nil
	write("broken-quote.ps1", "$a = 'x\nGet-NetAdapter\n")
	write("broken-brace.ps1", "if ($a) { Get-NetAdapter\n")
	if out := parse(t, files...); strings.Count(out, "broken-") != 2 {
		t.Errorf("the grammar takes what is not PowerShell: %q", out)
	}
}
