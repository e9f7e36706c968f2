package agent

import (
	"fmt"
	"strings"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
)

// Error is a failed request to an agent: the host, the request, the cause, and the last lines of the agent's standard
// error.
type Error struct {
	Host   string
	Asked  string
	Cause  error // *failure.Error when the agent has sent it
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

// remoteError is the error in a frame of kindError.
func remoteError(f frame) error {
	var e failure.Error
	if err := decode(f.Body, &e); err != nil {
		return fmt.Errorf("an error that cannot be read: %w", err)
	}
	e.Text, e.Subject, e.Code = process.Printable(e.Text), process.Printable(e.Subject), process.Printable(e.Code)
	return &e
}
