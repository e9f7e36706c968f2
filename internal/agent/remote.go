package agent

import (
	"fmt"
	"strings"

	"linerate/internal/traffic"
)

// Error is a request to an agent that failed: at which host, what was asked, why, and what the agent last wrote to its
// standard error.
type Error struct {
	Host   string
	Asked  string
	Cause  error // *measure.Error when the agent itself said so
	Output string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s: %v", e.Host, e.Asked, e.Cause)
	if e.Output != "" {
		text += "; the agent's last lines: " + strings.ReplaceAll(e.Output, "\n", " | ")
	}
	return text
}

func (e *Error) Unwrap() error { return e.Cause }

// remoteError is the error in a frame of that kind.
func remoteError(f frame) error {
	var e traffic.Error
	if err := decode(f.Body, &e); err != nil {
		return fmt.Errorf("an error that cannot be read: %w", err)
	}
	e.Text, e.Subject, e.Code = printable(e.Text), printable(e.Subject), printable(e.Code)
	return &e
}

// printable removes what a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
