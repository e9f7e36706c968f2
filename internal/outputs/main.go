// Outputs shows whether two builds of linerate print and write the same. It starts every command that only reads, over
// all examples, fixtures and recorded runs of the project, with each of the two programs, and prints where they differ.
// Who moves code or renames it compares the build before with the build after:
//
//	go build -o /tmp/before ./cmd/linerate
//	... the change ...
//	go build -o /tmp/after ./cmd/linerate
//	go run ./internal/outputs /tmp/before /tmp/after [SNAPSHOTS]
//
// SNAPSHOTS is a folder of outputs of hosts and switches, SYSTEM/FILE or SYSTEM/hosts/MACHINE/FILE. facts and check
// read each file, and all files of a machine together.
//
// Exit code 1: there are differences. 2: the comparison could not be made.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

func main() {
	lines := flag.Int("lines", 20, "lines of each difference that are printed")
	only := flag.String("only", "", "only cases whose name contains this")
	flag.Parse()
	if flag.NArg() < 2 || flag.NArg() > 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/outputs [-lines N] [-only WORDS] BEFORE AFTER [SNAPSHOTS]")
		os.Exit(2)
	}
	differ, err := compare(os.Stdout, flag.Arg(0), flag.Arg(1), flag.Arg(2), *only, *lines)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	if differ {
		os.Exit(1)
	}
}

// compare runs all cases, prints where they differ, and reports whether any does.
func compare(out io.Writer, before, after, snapshots, only string, lines int) (bool, error) {
	var programs [2]string
	for i, name := range []string{before, after} {
		full, err := filepath.Abs(name)
		if err != nil {
			return false, err
		}
		if _, err := exec.LookPath(full); err != nil {
			return false, err
		}
		programs[i] = full
	}
	cases, err := allCases(programs[0], snapshots)
	if err != nil {
		return false, err
	}
	scratch, err := os.MkdirTemp("", "outputs-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)

	var mu sync.Mutex
	var wait sync.WaitGroup
	var failed error
	ran, differ := 0, 0
	turns := make(chan struct{}, runtime.NumCPU())
	for i, c := range cases {
		if !strings.Contains(c.name(), only) {
			continue
		}
		turns <- struct{}{}
		wait.Go(func() {
			defer func() { <-turns }()
			text, err := c.differences(programs, filepath.Join(scratch, fmt.Sprint(i)), lines)
			mu.Lock()
			defer mu.Unlock()
			ran++
			if err != nil && failed == nil {
				failed = fmt.Errorf("%s: %w", c.name(), err)
			}
			if text != "" {
				differ++
				fmt.Fprintf(out, "== %s\n%s\n", c.name(), text)
			}
		})
	}
	wait.Wait()
	fmt.Fprintf(out, "%d of %d commands print or write something else\n", differ, ran)
	if failed == nil && ran == 0 {
		failed = fmt.Errorf("no case")
	}
	return differ > 0, failed
}

// differences runs the case with both programs, one after the other in folders with the same names, and returns where
// their outputs differ; empty: nowhere.
func (c testCase) differences(programs [2]string, scratch string, lines int) (string, error) {
	defer os.RemoveAll(scratch)
	var outputs [2]string
	for i, program := range programs {
		text, err := c.output(program, filepath.Join(scratch, "work"))
		if err != nil {
			return "", err
		}
		outputs[i] = text
	}
	if outputs[0] == outputs[1] {
		return "", nil
	}
	names := [2]string{filepath.Join(scratch, "before"), filepath.Join(scratch, "after")}
	for i, name := range names {
		if err := os.WriteFile(name, []byte(outputs[i]), 0o600); err != nil {
			return "", err
		}
	}
	out, err := exec.Command("diff", "-u", "--label", "before", "--label", "after", names[0], names[1]).Output()
	if err != nil && len(out) == 0 {
		return "", err
	}
	shown := strings.SplitAfter(string(out), "\n")
	if len(shown) > lines {
		shown = append(shown[:lines], fmt.Sprintf("... and %d lines more\n", len(shown)-lines))
	}
	return strings.Join(shown, ""), nil
}

// output is what the program prints and writes in an empty folder with the case's inputs, as one text.
func (c testCase) output(program, dir string) (string, error) {
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for name, text := range c.inputs {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return "", err
		}
	}
	var printed, complained bytes.Buffer
	cmd := exec.Command(program, c.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &printed, &complained
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "COLUMNS=100"}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return "", err
	}
	text := new(bytes.Buffer)
	fmt.Fprintf(text, "exit %d\n--- printed\n%s\n--- errors\n%s\n", cmd.ProcessState.ExitCode(), &printed, &complained)
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(text, "--- file %s\n%s\n", name, content)
		return err
	})
	return text.String(), err
}
