package runfolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenIncomplete finds the latest run in runsDir that has no manifest and has this FabricHash. It is what --resume
// continues without a folder.
func OpenIncomplete(runsDir, fabricHash string) (dir string, err error) {
	runs, err := listRuns(runsDir)
	if err != nil {
		return "", err
	}
	for _, r := range runs {
		if !r.complete && r.fabric == fabricHash {
			return r.dir, nil
		}
	}
	return "", inputf(
		"the folder %s has no incomplete run of this fabric file; omit --resume, or name the folder with -o",
		runsDir)
}

// Resume opens an incomplete run to continue it. It returns the run in the journal, and cuts off a torn end; further
// events are appended. Measure only the repeats that the returned run does not have, and add them to it: Finish writes
// the whole run. ErrInput: the folder is not a run, is complete, or another program is writing it.
func Resume(dir, version string, arguments []string) (*Folder, *Replayed, error) {
	return resumeOn(osDisk{}, dir, version, arguments)
}

func resumeOn(d disk, dir, version string, arguments []string) (_ *Folder, _ *Replayed, err error) {
	dir = filepath.Clean(dir)
	switch r, err := readManifest(dir); {
	case err == nil && r.Complete:
		return nil, nil, inputf("%s is complete; there is nothing to continue", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err // a damaged or newer manifest must not be removed
	}
	name := filepath.Join(dir, JournalName)
	f, err := d.Open(name, extend)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, inputf("%s is not a run folder: it has no %s", dir, JournalName)
	}
	if err != nil {
		return nil, nil, writing(name, err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := f.Lock(); errors.Is(err, errHeld) {
		return nil, nil, inputf("%s: %v; wait for it to end, or start a run of its own with another -o", dir, err)
	} else if err != nil {
		return nil, nil, writing(name, err)
	}
	p, err := replayFolder(dir)
	if err != nil {
		return nil, nil, err
	}
	if err := f.Truncate(p.Good); err != nil {
		return nil, nil, writing(name, err)
	}
	if err := sweep(d, dir); err != nil {
		return nil, nil, err
	}
	folder := &Folder{Path: dir, ID: p.Run.ID, disk: d, log: newJournal(name, f)}
	if err := folder.log.add(runResumed,
		resumeBody{Version: version, Arguments: append([]string{}, arguments...)}); err != nil {
		folder.log.close()
		return nil, nil, err
	}
	p.Ended, p.Why, p.Run.Complete = false, "", false
	return folder, p, nil
}

// sweep removes the unfinished files of a killed writer, and a manifest, which would mark the continued run as
// finished.
func sweep(d disk, dir string) error {
	var names []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && (isUnfinished(name) || name == filepath.Join(dir, ManifestName)) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := d.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return writing(name, err)
		}
	}
	return writing(dir, d.MkdirAll(filepath.Join(dir, SnapshotsName)))
}
