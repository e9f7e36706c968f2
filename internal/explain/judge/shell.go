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
	for i, a := range r.Arguments {
		if a == "--in-lab="+r.Lab.ID || a == "--in-lab" && i+1 < len(r.Arguments) && r.Arguments[i+1] == r.Lab.ID {
			return "--in-lab " + r.Lab.ID
		}
	}
	return fmt.Sprintf("--lab --scale %.6g", r.Lab.Scale)
}
