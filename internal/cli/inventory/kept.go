package inventory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// ReadKept reads the snapshots of a folder: HOST.txtar, or HOST.WHEN.txtar, of which the newest counts; or a folder
// HOST with outputs saved by hand, a file a command. silent are machines and files that could not be read, notes are
// oddities of the others.
func ReadKept(w *check.World, dir string) (silent, notes []record.Unknown, err error) {
	files, silent, err := KeptFiles(dir)
	if err != nil {
		return nil, nil, err
	}
	at, from := map[string]int{}, map[string]string{}
	for _, file := range files {
		name := KeptName(w.Plan, filepath.Base(file))
		text, notRead, err := KeptText(file, name)
		silent = append(silent, notRead...)
		var f *facts.Facts
		if err == nil {
			f, err = read.Parse(text)
		}
		switch {
		case err != nil && len(notRead) > 0: // its files are reported one by one
			continue
		case err != nil:
			silent = append(silent, record.Unknown{Subject: file, Reason: err.Error()})
			continue
		}
		for _, u := range f.Unknown {
			if u.Subject == "snapshot" {
				silent = append(silent, record.Unknown{Subject: file, Reason: u.Reason})
			}
		}
		if w.Plan == nil && f.Host != "" && strings.HasPrefix(name, f.Host+".") {
			name = f.Host // HOST.WHEN.txtar of a host that is not in the plan
		}
		if i, ok := at[name]; ok {
			before, after, older := w.Hosts[i].Facts, f, file
			if before.When.Before(f.When) {
				w.Hosts[i].Facts, older, from[name] = f, from[name], file
			} else {
				before, after = f, before
			}
			notes = append(notes, contradiction(older, from[name], before, after)...)
			continue
		}
		if !w.Add(name, f) {
			silent = append(silent, record.Unknown{Subject: file,
				Reason: "the fabric has no host and no switch " + name + "; a snapshot is named HOST.txtar"})
			continue
		}
		at[name], from[name] = len(w.Hosts)-1, file
	}
	for _, h := range w.Hosts {
		if other := w.Host(h.Facts.Host); other != nil && other != h && other.Facts.Host == h.Facts.Host {
			notes = append(notes, record.Unknown{
				Subject: from[h.Name],
				Reason: fmt.Sprintf("it says that it is of %s, as %s does: is it named after the wrong machine?",
					cli.Clean(h.Facts.Host), from[other.Name]),
			})
		}
	}
	if w.Plan != nil {
		for _, h := range w.Plan.Hosts {
			if _, ok := at[h.Name]; !ok {
				silent = append(silent, record.Unknown{Subject: h.Name, Reason: "there is no snapshot of it in " + dir})
			}
		}
	}
	return silent, notes, nil
}

// contradiction reports two snapshots with the same name but different permanent properties.
func contradiction(older, newer string, before, after *facts.Facts) []record.Unknown {
	list, other := facts.Contradictions(before, after)
	if len(list) == 0 {
		return nil
	}
	reason := fmt.Sprintf("it differs from %s, which is older and does not count: %s", older, strings.Join(list, ", "))
	if other {
		reason += "; that may be another machine"
	}
	return []record.Unknown{{Subject: newer, Reason: reason}}
}

// KeptFiles are the snapshots of a folder, by name, and its other files.
func KeptFiles(dir string) (files []string, stray []record.Unknown, err error) {
	if info, err := os.Stat(dir); err == nil && info.Mode().IsRegular() &&
		filepath.Ext(dir) == ".txtar" { // a single snapshot
		return []string{dir}, nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, cli.Fail(cli.ExitInput, fmt.Errorf("--snapshots: %w", err))
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."), strings.HasPrefix(strings.ToUpper(e.Name()), "README"):
		case e.IsDir(), filepath.Ext(e.Name()) == ".txtar":
			files = append(files, name)
		default:
			stray = append(stray, record.Unknown{
				Subject: name,
				Reason: "it was not read: a snapshot is named HOST.txtar, and what was kept by hand of a host or switch is in a " +
					"folder of its name, as " + filepath.Join(dir, "HOST", e.Name()),
			})
		}
	}
	if len(files) == 0 {
		return nil, nil, cli.Fail(cli.ExitInput, cli.Advise(
			fmt.Errorf("--snapshots %s: there is no HOST.txtar in it and no folder HOST", dir),
			fmt.Sprintf("linerate facts FABRIC.yaml -o %s writes them", dir)))
	}
	slices.Sort(files)
	return files, stray, nil
}

// keptLimit is the size limit of one file, in bytes.
const keptLimit = 64 << 20

// KeptText is a snapshot: a single file, or assembled from the files of a folder.
func KeptText(file, host string) (text []byte, notRead []record.Unknown, err error) {
	if filepath.Ext(file) == ".txtar" {
		text, err = keptFile(file)
		return text, nil, err
	}
	entries, err := os.ReadDir(file)
	if err != nil {
		return nil, nil, err
	}
	texts, order := map[string][]byte{}, []string{}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if texts[e.Name()], err = keptFile(filepath.Join(file, e.Name())); err != nil {
			notRead = append(notRead, record.Unknown{Subject: filepath.Join(file, e.Name()), Reason: err.Error()})
			continue
		}
		order = append(order, e.Name())
	}
	text, unread := read.FromKept(host, texts, order)
	for _, u := range unread {
		notRead = append(notRead, record.Unknown{Subject: filepath.Join(file, u.Subject), Reason: u.Reason})
	}
	return text, notRead, nil
}

func keptFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	case info.Size() > keptLimit:
		return nil, cli.Advise(fmt.Errorf("it has %d bytes", info.Size())).
			Note(fmt.Sprintf("linerate reads snapshots of up to %d", keptLimit))
	}
	return os.ReadFile(name)
}

// KeptName is the host of a snapshot's file name: HOST.txtar or HOST.WHEN.txtar. A host's name may contain dots.
func KeptName(p *plan.Plan, file string) string {
	name := strings.TrimSuffix(file, ".txtar")
	if p == nil || p.Host(name) != nil || p.Switch(name) != nil {
		return name
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}
