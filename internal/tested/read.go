package tested

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Names of the files that ./test.sh all --write leaves in one folder.
const (
	CountsName = "counts.tsv" // of testenv.Count: topic, subject, number
	FuzzName   = "fuzz.tsv"   // package, target, executions
	ScoreName  = "score.json" // of ./test.sh exam
	// Files with the events of go test -json have this suffix; the rest of the name is the command, see commands.
	eventsSuffix = ".events.json"
)

// commands are the rows of the first table: the name of a file of events, and the displayed command.
var commands = [][2]string{
	{"plain", "`go test ./...` as an ordinary user"},
	{"live", "`./test.sh`, with the race detector where goroutines are"},
	{"heavy", "`./test.sh all`: Wine, guests, Slurm"},
}

// Read makes the page from the results in a folder.
func Read(dir string, now time.Time, commit, machine string) (*Page, error) {
	p := &Page{Date: now, Commit: commit, Machine: machine, Tables: map[string][][]string{}}
	for _, c := range commands {
		row, err := events(filepath.Join(dir, c[0]+eventsSuffix))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Tables["Tests"] = append(p.Tables["Tests"], append([]string{c[1]}, row...))
	}
	fuzz, err := lines(filepath.Join(dir, FuzzName))
	if err != nil {
		return nil, err
	}
	targets := map[string]int{}
	executions := map[string]int{}
	for _, l := range fuzz {
		targets[l.topic]++
		executions[l.topic] += l.n
	}
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		p.Tables["Fuzzing"] = append(p.Tables["Fuzzing"], []string{name, count(targets[name]), count(executions[name])})
	}
	counted, err := lines(filepath.Join(dir, CountsName))
	if err != nil {
		return nil, err
	}
	for topic, title := range map[string]string{"snapshots parsed": "Snapshots parsed", "kill points": "Kill points",
		"system": "Systems on which linerate ran"} {
		sums := map[string]int{}
		for _, l := range counted {
			if l.topic == topic {
				if topic == "system" { // each test reports it once
					sums[l.subject] += l.n
					continue
				}
				// The same test runs plain, live and perhaps with the race detector: the larger count is what one run covers.
				sums[l.subject] = max(sums[l.subject], l.n)
			}
		}
		for _, subject := range slices.Sorted(maps.Keys(sums)) {
			p.Tables[title] = append(p.Tables[title], []string{subject, count(sums[subject])})
		}
	}
	if p.Tables["Exam"], err = score(filepath.Join(dir, ScoreName)); err != nil {
		return nil, err
	}
	p.Tables["Systems on which linerate never ran"] = neverRan
	return p, nil
}

// line is one line of a file of counts.
type line struct {
	topic, subject string
	n              int
}

// lines reads a file of counts; a missing file has none.
func lines(name string) (out []line, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for i, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if l == "" {
			continue
		}
		f := strings.Split(l, "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("%s:%d: %d fields, not 3: %q", name, i+1, len(f), l)
		}
		n, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: not a whole number: %q", name, i+1, f[2])
		}
		out = append(out, line{f[0], f[1], n})
	}
	return out, err
}

// event is what this package reads of an event of go test -json.
type event struct {
	Action, Test, Package string
	Elapsed               float64
}

// events counts the tests of a file of events: passed, skipped, and the seconds of all packages.
func events(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	passed, skipped, seconds := 0, 0, 0.0
	for in := json.NewDecoder(bufio.NewReader(f)); ; {
		var e event
		if err := in.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		switch {
		case e.Test == "":
			if e.Action == "pass" {
				seconds += e.Elapsed
			}
			if e.Action == "fail" {
				return nil, fmt.Errorf("%s: package %s failed", name, e.Package)
			}
		case strings.Contains(e.Test, "/"):
		case e.Action == "pass":
			passed++
		case e.Action == "skip":
			skipped++
		}
	}
	return []string{count(passed), count(skipped), count(int(math.Ceil(seconds)))}, nil
}

// score reads the result of the last exam; without a file there is no row.
func score(name string) ([][]string, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	type tally struct{ Right, Wrong, Unknown, Failed int }
	var s struct {
		Date            time.Time
		Result          string // kept, broken, not judged
		Faults, Healthy tally
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var rows [][]string
	for _, of := range []struct {
		name string
		t    tally
	}{{"faults", s.Faults}, {"healthy labs", s.Healthy}} {
		rows = append(rows,
			[]string{s.Date.Format(day), of.name, count(of.t.Right), count(of.t.Wrong), count(of.t.Unknown), count(of.t.Failed),
				s.Result})
	}
	return rows, nil
}
