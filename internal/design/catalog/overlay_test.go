package catalog

import (
	"linerate/internal/golden"
	"linerate/internal/testenv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const replacing = `parts:
  - id: mcx354a-fcct
    name: Mellanox MCX354A-FCCT
    kind: nic
    speeds: [10G]
    ports: [{count: 2, cage: qsfp+}]
    drivers: {freebsd: {driver: mlx4en, sriov: true}}
    sources: {speeds: [recall], ports: [recall], drivers: [recall]}
    confidence: low
`

func TestWith(t *testing.T) {
	c := catalog(t)
	over, problems := c.With(File{"parts.d/mine.yaml", []byte(whole)}, File{"parts.d/old.yaml", []byte(replacing)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if p, err := over.Find("MN-1"); err != nil || p.From != "parts.d/mine.yaml" {
		t.Errorf("the new part: %+v, %v", p, err)
	}
	p, err := over.Find("MCX354A-FCCT")
	if err != nil || p.From != "parts.d/old.yaml" || p.Fastest() != 10e9 || p.PCIe != nil || p.Price != nil {
		t.Errorf("a replacement is whole: %+v, %v", p, err)
	}
	if d := p.Drivers["freebsd"]; !d.SRIOV.Or(false) || d.PFC.IsKnown() {
		t.Errorf("its driver: %+v", d)
	}
	if _, err := over.Find("CX354A-FCCT"); err == nil {
		t.Error("the replaced part's alias is still found")
	}
	if p, err := c.Find("MCX354A-FCCT"); err != nil || p.From != "" || p.Fastest() != 56e9 {
		t.Errorf("the catalogue below was changed: %+v, %v", p, err)
	}
	if len(over.Parts) != len(c.Parts)+1 || len(over.Files) != 2 {
		t.Errorf("%d parts over %d, %d files", len(over.Parts), len(c.Parts), len(over.Files))
	}
}

// TestWithOver: a file of a later folder overrides an earlier one.
func TestWithOver(t *testing.T) {
	faster := strings.Replace(replacing, "[10G]", "[40G]", 1)
	over, problems := catalog(
		t,
	).With(File{"home/parts.d/a.yaml", []byte(replacing)}, File{"parts.d/a.yaml", []byte(faster)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if p, err := over.Find("mcx354a-fcct"); err != nil || p.From != "parts.d/a.yaml" || p.Fastest() != 40e9 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestWithRefuses(t *testing.T) {
	var all strings.Builder
	for _, x := range []struct {
		name  string
		files []File
		want  string
	}{
		{"twice in a folder", []File{{"parts.d/a.yaml", []byte(replacing)}, {"parts.d/b.yaml", []byte(replacing)}},
			"parts.d/b.yaml:2:5"},
		{"a name of another file", []File{{"parts.d/a.yaml", []byte(whole)},
			{"parts.d/b.yaml", []byte(strings.Replace(replacing,
				"name: Mellanox MCX354A-FCCT", "name: MN-1", 1))}}, "that of parts.d/a.yaml: my-nic"},
		{"drivers", []File{{"parts.d/a.yaml", []byte("drivers:\n  - {os: linux, driver: mlx4_core, rdma: [ib], sources: " +
			"{rdma: [recall]}}\n")}}, "parts.d/a.yaml:1:1"},
		{"two files with errors", []File{{"parts.d/a.yaml", []byte("parts:\n  - {id: x}\n")},
			{"parts.d/b.yaml", []byte("part: 1\n")}}, "parts.d/b.yaml:1:1"},
	} {
		over, problems := catalog(t).With(x.files...)
		if over != nil || !strings.Contains(problems.Error(), x.want) {
			t.Errorf("%s: %v; want %s", x.name, problems, x.want)
		}
		all.WriteString(x.name + "\n" + problems.Error() + "\n\n")
	}
	golden.Compare(t, "testdata/overlay.txt", all.String())
}

func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	if files, problems := ReadFolder(filepath.Join(dir, "none")); files != nil || problems != nil {
		t.Errorf("a folder that is not there: %v, %v", files, problems)
	}
	for name, text := range map[string]string{"b.yaml": replacing, "a.yml": whole, "notes.txt": "x", ".hidden.yaml": "x"} {
		testenv.WriteFile(t, filepath.Join(dir, name), []byte(text), 0o644)
	}
	files, problems := ReadFolder(dir)
	if len(problems) > 0 || len(files) != 2 || files[0].Name != filepath.Join(dir, "a.yml") ||
		string(files[1].Text) != replacing {
		t.Errorf("%v, %v", files, problems)
	}
	testenv.Check(t, os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o755))
	if _, problems := ReadFolder(dir); len(problems) != 1 || !strings.Contains(problems.Error(),
		"folder.yaml: it is not a file") {
		t.Errorf("a folder called folder.yaml: %v", problems)
	}
}

func FuzzWith(f *testing.F) {
	c := catalog(f)
	f.Add([]byte(whole), []byte(replacing))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		over, problems := c.With(File{"parts.d/a.yaml", a}, File{"parts.d/b.yaml", b})
		if (over == nil) == (len(problems) == 0) {
			t.Fatalf("%v, %v", over, problems)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Col < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
		if over == nil {
			return
		}
		for _, p := range over.Parts {
			if found, err := over.Find(p.ID); err != nil || found != p {
				t.Errorf("part %q is not found by its id: %v", p.ID, err)
			}
		}
	})
}
