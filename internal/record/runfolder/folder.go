package runfolder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"linerate/internal/record"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// The files of a run folder.
const (
	ManifestName  = "manifest.json"
	JournalName   = "journal.jsonl"
	SamplesName   = "samples.parquet"
	ReportName    = "report.html"
	SnapshotsName = "snapshots"
)

// ErrInput marks errors in the caller's input (exit code 2).
var ErrInput = errors.New("the input is wrong")

// inputError is a message that counts as ErrInput.
type inputError struct {
	text string
	kind error // ErrNoRun, ErrNotEmpty, or nil
}

func (e inputError) Error() string        { return e.text }
func (e inputError) Is(target error) bool { return target == ErrInput || target == e.kind }

func inputf(format string, a ...any) error { return inputError{fmt.Sprintf(format, a...), nil} }

var (
	// ErrNoRun is the ErrInput of a name that is not that of a run.
	ErrNoRun = errors.New("no such run")
	// ErrNotEmpty is the ErrInput of a folder with files, which cannot become a run folder.
	ErrNotEmpty = errors.New("not empty")
)

// Folder is a run folder that this program writes. No other program can write it while it is open. Its methods may be
// called from several goroutines. To read a folder, see Open.
type Folder struct {
	Path string
	ID   string // four letters
	disk disk
	log  *journal

	mu     sync.Mutex // of the files next to the journal
	closed bool
}

// Create makes the run folder dir, which must be new or empty (ErrInput otherwise).
func Create(dir string) (*Folder, error) { return createIn(osDisk{}, dir, letters()) }

// CreateDefault makes runsDir/DATE-FABRIC-XXXX with four letters that no other run there has.
func CreateDefault(runsDir, fabric string, now time.Time) (*Folder, error) {
	if err := os.MkdirAll(runsDir, 0o777); err != nil {
		return nil, writing(runsDir, err)
	}
	for range 50 {
		id := letters()
		if taken, err := filepath.Glob(filepath.Join(escapeGlob(runsDir), "*-"+id)); err != nil || len(taken) > 0 {
			continue
		}
		return createIn(osDisk{}, filepath.Join(runsDir, now.Format(time.DateOnly)+"-"+plainName(fabric)+"-"+id), id)
	}
	return nil, fmt.Errorf("%s: no four letters are free for a new run; give a folder with -o", runsDir)
}

var notPlain = regexp.MustCompile(`[^a-z0-9]+`)

// plainName makes a fabric's name safe as part of a file name on every system.
func plainName(fabric string) string {
	s := strings.Trim(notPlain.ReplaceAllString(strings.ToLower(fabric), "-"), "-")
	if s == "" {
		return "fabric"
	}
	return strings.TrimRight(s[:min(len(s), 40)], "-")
}

var globSpecial = regexp.MustCompile(`[\[\]*?\\]`)

// escapeGlob escapes a folder's name for use in a pattern. Patterns on Windows have no escapes, and such names are rare
// enough to be ignored.
func escapeGlob(dir string) string {
	if filepath.Separator == '\\' {
		return dir
	}
	return globSpecial.ReplaceAllString(dir, `\$0`)
}

// Free returns an ErrInput that says why dir cannot become a run folder: it is not a folder, or is not empty.
func Free(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return inputf("%s cannot be a run folder: %v; give a folder that is new or empty", dir, err)
	case len(entries) > 0:
		return inputError{fmt.Sprintf("%s is not empty (it has %s); name a new folder with -o; or continue an interrupted "+
			"run with --resume", dir, entries[0].Name()), ErrNotEmpty}
	}
	return nil
}

func createIn(d disk, dir, id string) (*Folder, error) {
	dir = filepath.Clean(dir)
	if err := Free(dir); err != nil {
		return nil, err
	}
	if err := d.MkdirAll(filepath.Join(dir, SnapshotsName)); err != nil {
		return nil, writing(dir, err)
	}
	name := filepath.Join(dir, JournalName)
	f, err := d.Open(name, create)
	if errors.Is(err, fs.ErrExist) {
		return nil, inputf("%s is being used by another run that started at the same time; give another folder with -o", dir)
	}
	if err != nil {
		return nil, writing(name, err)
	}
	err = f.Lock()
	if err == nil {
		err = d.SyncDir(dir)
	}
	if err == nil {
		err = d.SyncDir(filepath.Dir(dir))
	}
	if err != nil {
		f.Close()
		return nil, writing(name, err)
	}
	return &Folder{Path: dir, ID: id, disk: d, log: newJournal(name, f)}, nil
}

// WriteFile writes one file of the folder, such as report.html, whole or not at all. The name is relative to the
// folder, with slashes. An existing file is replaced.
func (f *Folder) WriteFile(name string, write func(io.Writer) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writeFile(name, write)
}

func (f *Folder) writeFile(name string, write func(io.Writer) error) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) || name == JournalName || name == ManifestName {
		return fmt.Errorf("%q cannot be written into %s: it is not a name for a file of its own there", name, f.Path)
	}
	return writeWhole(f.disk, filepath.Join(f.Path, filepath.FromSlash(name)), write)
}

// SaveOutput saves what the commands of a repeat printed as output/EXPERIMENT-REPEAT.txt and returns that name. It
// replaces the file of an interrupted run.
func (f *Folder) SaveOutput(experiment string, repeat int, text []byte) (string, error) {
	if !snapshotWord.MatchString(experiment) {
		return "", fmt.Errorf("output of experiment %.70q: its id has letters, digits, - and _", experiment)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.disk.MkdirAll(filepath.Join(f.Path, record.OutputName)); err != nil {
		return "", writing(filepath.Join(f.Path, record.OutputName), err)
	}
	name := fmt.Sprintf("%s/%s-%d.txt", record.OutputName, experiment, repeat)
	return name, f.writeFile(name, func(w io.Writer) error { _, err := w.Write(text); return err })
}

var snapshotWord = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$`)

// SaveSnapshot saves a host's snapshot as `snapshots/HOST.WHEN.txtar` and returns that name. When is idle, before,
// during-N or after. An existing snapshot of that name (the run was resumed) is kept, and -2, -3, ... is added to the
// new name.
func (f *Folder) SaveSnapshot(hostName, when string, archive []byte) (string, error) {
	for _, w := range []string{hostName, when} {
		if !snapshotWord.MatchString(w) {
			return "", fmt.Errorf("snapshot of host %.70q, %.70q: a name has letters, digits, - and _, 63 at most", hostName,
				when)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	name := SnapshotsName + "/" + hostName + "." + when + ".txtar"
	for n := 2; exists(filepath.Join(f.Path, filepath.FromSlash(name))); n++ {
		name = fmt.Sprintf("%s/%s.%s-%d.txtar", SnapshotsName, hostName, when, n)
	}
	err := f.writeFile(name, func(w io.Writer) error {
		_, err := w.Write(archive)
		return err
	})
	if err != nil {
		return "", err
	}
	return name, f.log.add(snapshot, record.File{Name: name, Size: int64(len(archive)), SHA256: hashOf(archive)})
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// Close syncs the journal and lets other programs write the folder. An error means that a part of the run is not on
// disk. A second Close does nothing.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	return f.log.close()
}

// SnapshotName returns the name of a snapshot in the run folder.
func SnapshotName(host, when string) string {
	return SnapshotsName + "/" + host + "." + when + ".txtar"
}
