package main

import (
	"fmt"
	"io"
	"os"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
)

const (
	quietUsage = "print the report and what went wrong, and nothing while it works"
	junitUsage = "also write the goals into this file, as CI systems take results of tests"
)

// news is where a run says what it is about to do and how far it is: not where mistakes and what is left out are told.
func (j *job) news() io.Writer {
	if j.flags.quiet {
		return io.Discard
	}
	return j.err
}

// junitFile refuses a name that is a folder's, before anything is measured.
func junitFile(name string) error {
	if info, err := os.Stat(name); name != "" && err == nil && info.IsDir() {
		return fmt.Errorf("--junit %s: it is a folder; name a file", name)
	}
	return nil
}

// writeGoals writes how the goals of a run stand, as results of tests.
func writeGoals(name string, r *record.Run) error {
	if err := runfolder.WriteFile(name, func(w io.Writer) error { return report.JUnitGoals(w, r) }); err != nil {
		return fail(exitInput, fmt.Errorf("--junit: %w", err))
	}
	return nil
}
