package storage

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// CopyGave returns the sentence about copies with the duration of each. Empty: there are none.
func CopyGave(r *record.Run) string {
	const shown = 3
	var out []string
	more := 0
	for _, e := range r.Experiments {
		if e.Copy == nil || e.Bytes == nil || e.Seconds == nil {
			continue
		}
		if len(out) == shown {
			more++
			continue
		}
		out = append(out, fmt.Sprintf("%s: %s copied in %s (%s).", copySubject(e), unit.Bytes(e.Copy.Bytes),
			unit.Seconds(e.Seconds.Median), unit.BytesPerSecond(e.Bytes.Median)))
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("%d more %s below.", more, unit.If(more == 1, "is", "are")))
	}
	return strings.Join(out, " ")
}

// copySubject names a combination of copy in a few words.
func copySubject(e *record.Experiment) string {
	var words []string
	if c := e.Copy; c != nil {
		words = append(words, copyWay(c))
		if c.Files > 1 {
			words = append(words, unit.Counted(c.Files, "file"))
		}
	}
	if n := e.Settings["streams"]; n != "" && n != "1" {
		words = append(words, n+" at once")
	}
	return fmt.Sprintf("%s (%s)", e.Path(), strings.Join(words, ", "))
}

// copyWay names the tool and the protocol that it copies over.
func copyWay(c *record.Copy) string {
	tool := c.Tool
	if tool == "own" {
		tool = "own client"
	}
	if c.Over == "path" {
		return tool
	}
	return tool + " over " + c.Over
}

// CopyOf reports whether an experiment is one of copy.
func CopyOf(r *record.Run, name string) bool {
	return slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool {
		return e.Name == name &&
			method.Named(e.Method).CopiesFiles
	})
}
