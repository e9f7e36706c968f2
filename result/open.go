package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Opened is a run as it was read from disk.
type Opened struct {
	Dir      string
	Run      *Run
	Complete bool   // it has a manifest; without one the run comes from the journal
	Why      string // why it ended incomplete, if it could still say so
}

// Open reads the run that ref names: a path of a run folder, its four letters, or
// "latest" in runsDir. A run without a manifest (interrupted, killed, still going on)
// is read from its journal with every finished repeat. ErrInput: there is none, or
// it is of a newer linerate.
func Open(ref, runsDir string) (*Opened, error) {
	dir, err := Find(ref, runsDir)
	if err != nil {
		return nil, err
	}
	r, err := readManifest(dir)
	if err == nil {
		return &Opened{Dir: dir, Run: r, Complete: true}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	p, err := replayFolder(dir)
	if err != nil {
		return nil, err
	}
	p.Run.Complete = false
	return &Opened{Dir: dir, Run: p.Run, Why: p.Why}, nil
}

func replayFolder(dir string) (*Replayed, error) {
	f, err := os.Open(filepath.Join(dir, JournalName))
	if err != nil {
		return nil, fmt.Errorf("read the run in %s: %w", dir, err)
	}
	defer f.Close()
	p, err := Replay(f)
	if err != nil {
		return nil, inputf("%s: %v", filepath.Join(dir, JournalName), err)
	}
	return p, nil
}

var fourLetters = regexp.MustCompile(`^[a-z]{4}$`)

// Find returns the folder of the run that ref names; see Open.
func Find(ref, runsDir string) (string, error) {
	if ref == "latest" {
		runs, err := listRuns(runsDir)
		if err != nil {
			return "", err
		}
		if len(runs) == 0 {
			return "", inputf("there is no run in %s; make one with linerate run, or give the path of a run folder", runsDir)
		}
		return runs[0].dir, nil
	}
	if dir := ref; ref != "" {
		if filepath.Base(dir) == ManifestName || filepath.Base(dir) == JournalName {
			dir = filepath.Dir(dir)
		}
		if isRun(dir) {
			return dir, nil
		}
	}
	runs, err := listRuns(runsDir)
	if err != nil {
		return "", err
	}
	var found []string
	if fourLetters.MatchString(ref) {
		for _, r := range runs {
			if strings.HasSuffix(r.dir, "-"+ref) {
				found = append(found, r.dir)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", inputf("%.200q is no run: neither a run folder nor the four letters of one in %s%s", ref, runsDir, someOf(runs))
	}
	return "", inputf("%q is several runs: %s; give the path of one", ref, strings.Join(found, ", "))
}

func someOf(runs []foundRun) string {
	if len(runs) == 0 {
		return ", where there is none"
	}
	var names []string
	for _, r := range runs[:min(len(runs), 5)] {
		names = append(names, filepath.Base(r.dir))
	}
	return "; the latest ones are " + strings.Join(names, ", ")
}

func isRun(dir string) bool {
	return exists(filepath.Join(dir, JournalName)) || exists(filepath.Join(dir, ManifestName))
}

type foundRun struct {
	dir      string
	started  time.Time
	fabric   string // FabricHash
	complete bool
}

// listRuns returns the readable runs of a folder, latest first. What cannot be read,
// or was cut off before its first event, is passed over.
func listRuns(runsDir string) ([]foundRun, error) {
	entries, err := os.ReadDir(runsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for runs: %w", err)
	}
	var runs []foundRun
	for _, e := range entries {
		dir := filepath.Join(runsDir, e.Name())
		if !isRun(dir) {
			continue
		}
		if head, ok := readHead(dir); ok {
			runs = append(runs, foundRun{dir, head.Started, FabricHash(head.FabricText), exists(filepath.Join(dir, ManifestName))})
		}
	}
	slices.SortFunc(runs, func(a, b foundRun) int {
		if c := b.started.Compare(a.started); c != 0 {
			return c
		}
		return strings.Compare(b.dir, a.dir)
	})
	return runs, nil
}

// readHead reads the first event of the journal alone, else the manifest.
func readHead(dir string) (*Run, bool) {
	f, err := os.Open(filepath.Join(dir, JournalName))
	if err != nil {
		r, err := readManifest(dir)
		return r, err == nil
	}
	defer f.Close()
	p := &Replayed{}
	eachEvent(f, func(e written) error {
		p.apply(e)
		return refused{errors.New("the first is enough")}
	})
	return p.Run, p.Run != nil
}
