package runfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Opened is a run that was read from disk.
type Opened struct {
	Dir      string // its folder; or the file of its page
	Run      *record.Run
	Complete bool // it was read from a manifest or a page, not from the journal
	// Page reports whether the run was read from a page: there are no snapshots, and the verdicts are those in the page.
	Page    bool
	Why     string   // why it ended incomplete, if that was recorded
	LeftOut string   // what was recorded but is not in Run, in words
	Notes   []string // what is missing or damaged, and what replaces it; a sentence each
}

// Open reads the run that ref names: the path of a run folder, its four letters, "latest" in runsDir, or a page of a
// run that linerate wrote (report.html under any name). A run without a manifest (interrupted, killed, still running),
// or with a damaged one, is read from its journal with every finished repeat. Without a journal it is read from the
// rest of the manifest, or from the page in the folder. ErrInput: there is no such run, or a newer linerate wrote it.
func Open(ref, runsDir string) (*Opened, error) { return open(ref, runsDir, math.MaxInt64) }

// OpenBrief is Open for callers that need only the figures. Of a manifest above 64 MB, which only runs of a thousand
// and more experiments have, it omits what the page of such a run omits, and LeftOut says so. A whole run of ten
// thousand experiments takes gigabytes of memory.
func OpenBrief(ref, runsDir string) (*Opened, error) { return open(ref, runsDir, briefFrom) }

// briefFrom is the size of a manifest, in bytes, from which on OpenBrief omits parts.
const briefFrom = 64_000_000

func open(ref, runsDir string, briefFrom int64) (*Opened, error) {
	if info, err := os.Stat(ref); err == nil && info.Mode().IsRegular() && filepath.Base(ref) != ManifestName &&
		filepath.Base(ref) != JournalName {
		return openPage(ref, briefFrom < math.MaxInt64)
	}
	dir, err := Find(ref, runsDir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(filepath.Join(dir, ManifestName))
	brief := err == nil && info.Size() >= briefFrom
	r, err := readManifestAs(dir, brief)
	switch {
	case err == nil:
		o := &Opened{Dir: dir, Run: r, Complete: true}
		if brief {
			o.LeftOut = briefly
		}
		return o, nil
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errDamaged):
		return nil, err
	}
	p, other := replayFolder(dir)
	if other == nil {
		p.Run.Complete = false
		o := &Opened{Dir: dir, Run: p.Run, Why: p.Why}
		if r != nil {
			o.Notes = append(o.Notes,
				fmt.Sprintf("%s was cut off or changed: the run is shown from its journal", filepath.Join(dir, ManifestName)))
		}
		return o, nil
	}
	if r != nil && len(r.Experiments) > 0 {
		r.Complete = false
		note := fmt.Sprintf(
			"%s was cut off or changed, and there is no journal to go by: %d experiments can be read, and only these are shown",
			filepath.Join(dir, ManifestName), len(r.Experiments))
		return &Opened{Dir: dir, Run: r, Complete: true, Notes: []string{note}}, nil
	}
	page := filepath.Join(dir, ReportName)
	o, err := openPage(page, briefFrom < math.MaxInt64)
	switch {
	case err == nil:
		o.Notes = append(o.Notes,
			fmt.Sprintf("%s has no manifest and no journal that can be read: the run is shown from its page", dir))
		return o, nil
	case errors.Is(other, fs.ErrNotExist) && exists(page):
		return nil, err
	}
	return nil, other
}

func replayFolder(dir string) (*Replayed, error) {
	f, err := os.Open(filepath.Join(dir, JournalName))
	if err != nil {
		return nil, fmt.Errorf("read the run in %s: %w", dir, err)
	}
	defer f.Close()
	p, err := Replay(f)
	if err != nil {
		return nil, inputf("%s: %v%s", filepath.Join(dir, JournalName), err, pageNextToFolder(dir))
	}
	return p, nil
}

var fourLetters = regexp.MustCompile(`^[a-z]{4}$`)

// Find returns the folder of the run that ref names, see Open.
func Find(ref, runsDir string) (string, error) {
	if ref == "latest" {
		runs, err := listRuns(runsDir)
		if err != nil {
			return "", err
		}
		if len(runs) == 0 {
			return "", inputError{fmt.Sprintf("the folder %s has no run; start one with linerate run; or name a run folder",
				runsDir), ErrNoRun}
		}
		return runs[0].dir, nil
	}
	if dir := ref; ref != "" {
		if filepath.Base(dir) == ManifestName || filepath.Base(dir) == JournalName {
			dir = filepath.Dir(dir)
		}
		if isRun(dir) || IsPage(filepath.Join(dir, ReportName)) {
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
		return "", inputError{fmt.Sprintf("no run is called %.200q; looked in ./%s%s", ref, runsDir, someOf(runs)),
			ErrNoRun}
	}
	return "", inputf("%q is several runs: %s; give the path of one", ref, strings.Join(found, ", "))
}

func someOf(runs []foundRun) string {
	if len(runs) == 0 {
		return ", which has no run"
	}
	names := xslices.Map(runs[:min(len(runs), 5)], func(r foundRun) string { return filepath.Base(r.dir) })
	return "; the latest ones are " + strings.Join(names, ", ")
}

// IsRun reports whether a folder is that of a run.
func IsRun(dir string) bool { return isRun(dir) || IsPage(filepath.Join(dir, ReportName)) }

func isRun(dir string) bool {
	return exists(filepath.Join(dir, JournalName)) || exists(filepath.Join(dir, ManifestName))
}

type foundRun struct {
	dir      string
	started  time.Time
	fabric   string // FabricHash
	complete bool
}

// listRuns returns the readable runs of a folder, latest first. It skips folders that cannot be read, or were cut off
// before the first event.
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
			runs = append(runs,
				foundRun{dir, head.Started, record.FabricHash(head.FabricText), exists(filepath.Join(dir, ManifestName))})
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

// readHead reads only the first event of the journal, or else the manifest.
func readHead(dir string) (*record.Run, bool) {
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
