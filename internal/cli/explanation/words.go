package explanation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/cli"
	"linerate/internal/cli/ceilings"
	"linerate/internal/cli/results"
	"linerate/internal/design/fabric"
	"linerate/internal/record/runfolder"
)

// runsFolder is the folder of runs below the current one.
const runsFolder = "runs"

// Options are what the flags of explain say besides the ceilings.
type Options struct {
	Claims *ceilings.ClaimFlags
	Pasted results.PastedFlags
	Tool   string
	List   bool
}

// Words explains what the words of a command line name: each is, in this order, a file or a folder that exists, a run,
// or the id of a problem. Without words it is standard input.
func Words(ctx context.Context, e *cli.Env, o Options, words []string) error {
	f := o.Claims
	if o.List {
		return list(e, f.AsJSON)
	}
	if len(words) > 0 && isRun(words[0]) {
		return ofRun(e, o, words)
	}
	for _, flag := range []struct{ name, value string }{{"before", o.Pasted.Before}, {"after", o.Pasted.After}} {
		if flag.value != "" {
			e.Errors.Add(&cli.Advice{Text: "--" + flag.name + " needs a run",
				Help: []string{"linerate explain latest --before DIR --after DIR"}})
		}
	}
	if len(words) == 0 && !f.HasValues() {
		if !isPiped(e.In) {
			return missing(e)
		}
		words = []string{"-"}
	}
	var files []input
	var folders, problems []string
	for _, word := range words {
		name, mtu, ok, err := fileOf(word)
		switch {
		case err != nil:
			e.Errors.Add(err)
		case ok && isSnapshot(name):
			folders = append(folders, name)
		case ok:
			in, err := readInput(e, name, mtu)
			if err != nil && name == "-" && len(words) == 1 {
				return missing(e)
			}
			e.Errors.Add(err)
			files = append(files, in)
		case hasPage(word):
			problems = append(problems, word)
		default:
			e.Errors.Add(unknownWord(word))
		}
	}
	if err := e.Errors.Err(); err != nil {
		return err
	}
	for _, id := range problems {
		if err := page(e, id, f.AsJSON); err != nil {
			return err
		}
	}
	for _, folder := range folders {
		if err := snapshots(ctx, e, folder, f.AsJSON); err != nil {
			return err
		}
	}
	if len(files) > 0 || f.HasValues() {
		return Texts(e, f, files, o.Tool)
	}
	return nil
}

// missing is the error of a command line that names nothing.
func missing(e *cli.Env) error {
	e.Errors.Add(&cli.Advice{ID: diag.ArgumentMissing, Text: "missing FILE, RUN or ID",
		Help: []string{"linerate explain FILE, or iperf3 -c HOST | linerate explain",
			"linerate explain --value 9.6G --link 10G explains a single rate",
			"linerate explain --list prints the ids of all problems"}})
	return e.Errors.Err()
}

// isRun reports whether a word names a run: its folder, its page, latest, or its four letters. The four letters of a
// file that exists are that file.
func isRun(word string) bool {
	info, err := os.Stat(word)
	switch {
	case err == nil && info.Mode().IsRegular():
		base := filepath.Base(word)
		return base == runfolder.ManifestName || base == runfolder.JournalName || runfolder.IsPage(word)
	case err == nil:
		return runfolder.IsRun(word)
	}
	if word == "latest" {
		return true
	}
	_, err = runfolder.Find(word, runsFolder)
	return err == nil
}

// isSnapshot reports whether a path is a folder, or a snapshot in one file.
func isSnapshot(name string) bool {
	info, err := os.Stat(name)
	return err == nil && (info.IsDir() || filepath.Ext(name) == ".txtar")
}

// unknownWord is the error of a word that names nothing. A path or a word with an ending can be a file alone.
func unknownWord(word string) error {
	if strings.ContainsAny(word, "/.\\@") {
		a := &cli.Advice{ID: diag.WordUnknown, Text: cli.Clean(word) + ": no such file"}
		if near := nearFile(word); near != "" {
			a.Help = append(a.Help, "did you mean "+cli.Clean(near)+"?")
		}
		a.Help = append(a.Help, "linerate explain FILE with a file that exists, or iperf3 -c HOST | linerate explain")
		return a
	}
	a := &cli.Advice{ID: diag.WordUnknown, Text: fmt.Sprintf("%s: no such file, run or problem", cli.Clean(word))}
	if near := nearest(word); near != "" {
		a.Help = append(a.Help, "did you mean "+near+"?")
	}
	a.Help = append(a.Help, "linerate explain --list prints the ids of all problems")
	return a
}

// nearFile returns the file of the same folder whose name is most similar; empty: there is none.
func nearFile(path string) string {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir)) // of no folder: the current one
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	if near := fabric.Nearest(name, names); near != "" {
		return dir + near
	}
	return ""
}

func cutLast(text string, at byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(text, at); i > 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}
