package judge

import (
	"fmt"
	"strings"

	"linerate/internal/record"
)

// Quote quotes a word for a shell.
func Quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+,=") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// LabFlag returns the flag for the same lab: the running one if the run was in it, or else a new one at the same scale.
func LabFlag(r *record.Run) string {
	if r.Lab == nil {
		return "--lab"
	}
	for _, a := range r.Arguments {
		if a == "--lab="+r.Lab.ID {
			return a
		}
	}
	return fmt.Sprintf("--lab --scale %.6g", r.Lab.Scale)
}
