package tested

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// folder has a short form of the results of ./test.sh all --write.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"live.events.json": `{"Action":"run","Package":"linerate/unit","Test":"TestA"}
{"Action":"pass","Package":"linerate/unit","Test":"TestA","Elapsed":0.1}
{"Action":"pass","Package":"linerate/unit","Test":"TestA/sub","Elapsed":0.1}
{"Action":"skip","Package":"linerate/unit","Test":"TestB","Elapsed":0}
{"Action":"pass","Package":"linerate/unit","Elapsed":1.2}
`,
		FuzzName:   "facts\tFuzzSources\t10000\nfacts\tFuzzParse\t1000\nunit\tFuzzRate\t1000\n",
		CountsName: "kill points\ta run\t9\nsnapshots parsed\tlinux\t500\nsystem\tLinux 6.18\t1\nkill points\ta run\t9\n",
		ScoreName:  `{"schema":"linerate/exam-score/1","date":"2026-03-08T10:00:00Z","result":"kept","faults":{"right":230,"wrong":1,"unknown":9},"healthy":{"right":1200,"failed":2}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPage(t *testing.T) {
	p, err := Read(folder(t), time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), "0123456789ab", "2 cores, Linux 6.18")
	if err != nil {
		t.Fatal(err)
	}
	text := p.Render()
	for _, want := range []string{
		"on 9 March 2026, commit 0123456789ab.",
		"| `./test.sh`, with the race detector where goroutines are | 1 | 1 | 2 |",
		"| facts | 2 | 11,000 |",
		"| a run | 9 |", // the same test counted twice
		"| linux | 500 |",
		"| 8 March 2026 | faults | 230 | 1 | 9 | 0 | kept |",
		"| 8 March 2026 | healthy labs | 1,200 | 0 | 0 | 2 | kept |",
		"| FreeBSD | there was no machine |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %q:\n%s", want, text)
		}
	}
	if err := Check(text); err != nil {
		t.Error(err)
	}
}

// An edited or truncated page is detected.
func TestCheckOfAnotherForm(t *testing.T) {
	p, err := Read(folder(t), time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), "0123456789ab", "2 cores")
	if err != nil {
		t.Fatal(err)
	}
	text := p.Render()
	for _, edit := range [][2]string{
		{"9 March 2026", "yesterday"},
		{"commit 0123456789ab", "commit main"},
		{"| a run | 9 |", "| a run | nine |"},
		{"| a run | 9 |", "| a run | 9 | 10 |"},
		{"## Kill points", "## Other points"},
		{"## Fuzzing\n", "## Fuzzing\nmany\n"},
		{"| faults | 230 |", "| faults | many |"},
	} {
		changed := strings.Replace(text, edit[0], edit[1], 1)
		if err := Check(changed); changed != text && err == nil {
			t.Errorf("%q in place of %q is taken", edit[1], edit[0])
		}
	}
}

func TestReadRefusesFailures(t *testing.T) {
	dir := folder(t)
	text := `{"Action":"fail","Package":"linerate/unit","Elapsed":1.2}`
	if err := os.WriteFile(filepath.Join(dir, "plain.events.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir, time.Now(), "0123456", "2 cores"); err == nil || !strings.Contains(err.Error(), "failed") {
		t.Errorf("a package that failed: %v", err)
	}
}

// The page in the repository was written by the script; its age is not checked.
func TestPageOfTheRepository(t *testing.T) {
	text, err := os.ReadFile("../../docs/tested.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(string(text)); err != nil {
		t.Errorf("docs/tested.md: %v; type: ./test.sh all --write", err)
	}
}
