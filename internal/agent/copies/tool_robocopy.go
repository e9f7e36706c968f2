package copies

import (
	"fmt"
	"regexp"
	"strconv"

	"linerate/internal/base/failure"
)

// robocopyArgv asks for no retries: by default robocopy tries a million times, every half minute.
func robocopyArgv(a task) ([]string, error) {
	from, to := a.ends()
	argv := []string{"robocopy", from, to}
	if a.named() {
		argv = append(argv, a.names()...)
	}
	argv = append(argv, "/R:0", "/W:0", "/NP", "/NFL", "/NDL", "/BYTES")
	if a.Threads > 1 {
		argv = append(argv, "/MT:"+strconv.Itoa(a.Threads))
	}
	return argv, nil
}

// robocopyFiles is the row of files in robocopy's summary: total, copied, skipped, mismatch, failed, extras.
var robocopyFiles = regexp.MustCompile(`(?m)^\s*Files :\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*$`)

// robocopyWrong reads the exit code, whose bits are: 1 copied, 2 extras, 4 mismatches, 8 failures, 16 nothing done.
func robocopyWrong(exit int, text string) (why, code string) {
	rows := robocopyFiles.FindStringSubmatch(text)
	if exit >= 0 && exit < 8 && rows != nil && rows[5] == "0" && rows[2] == rows[1] {
		return "", ""
	}
	if rows != nil {
		return fmt.Sprintf("robocopy ended with exit code %d: of %s files it copied %s and failed at %s", exit, rows[1],
			rows[2], rows[5]), failure.CodeInternal
	}
	return fmt.Sprintf("robocopy ended with exit code %d, without its summary", exit), failure.CodeInternal
}
