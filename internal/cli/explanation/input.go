package explanation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"linerate/internal/cli"
	"linerate/internal/cli/ceilings"
	"linerate/internal/record/claims"
)

// standardInput is the name of standard input in messages.
const standardInput = "standard input"

// input is a text that was given to explain.
type input struct {
	name string
	text string
	mtu  int // behind the @ of its name; 0: none
}

// sizeLimit is the size limit of an input, in bytes.
const sizeLimit = 64 << 20

// readInput reads a file, or standard input (-).
func readInput(e *cli.Env, name string, mtu int) (input, error) {
	in := input{name: name, mtu: mtu}
	from := e.In
	if name == "-" {
		in.name = standardInput
	} else {
		file, err := os.Open(name)
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			err = failed.Err // the message contains the name already
		}
		if err != nil {
			return in, fmt.Errorf("%s: %w", cli.Clean(name), err)
		}
		defer file.Close()
		from = file
	}
	raw, err := io.ReadAll(io.LimitReader(from, sizeLimit+1))
	if err == nil && len(raw) > sizeLimit {
		err = cli.Advise(errors.New("it is larger than 64 MiB"),
			"keep the output of one measurement")
	}
	if err == nil {
		in.text, err = claims.Text(raw)
	}
	if err != nil {
		return in, fmt.Errorf("%s: %w", cli.Clean(in.name), err)
	}
	return in, nil
}

// isPiped reports whether standard input is a pipe or a file.
func isPiped(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// fileOf returns the file that a word names, with the MTU behind its @; ok is false if there is none.
func fileOf(word string) (name string, mtu int, ok bool, err error) {
	if word == "-" {
		return word, 0, true, nil
	}
	if _, err := os.Stat(word); err == nil {
		return word, 0, true, nil
	}
	name, mtu, err = ceilings.WithMTU(word)
	if err != nil {
		if bare, _, found := cutLast(word, '@'); found && exists(bare) {
			return bare, 0, true, err
		}
		return word, 0, false, nil
	}
	if name != word && (name == "-" || exists(name)) {
		return name, mtu, true, nil
	}
	return word, 0, false, nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
