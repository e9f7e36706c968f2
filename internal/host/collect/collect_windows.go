package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	windows "linerate/internal/device/windows/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/snapshot"
)

// windowsTimeout bounds the run time of the script, which gives up by itself before that.
const windowsTimeout = 25 * time.Second

// rest runs windows.ps1. It takes seconds, so it does not run during a measurement.
func (c *collector) rest() {
	if c.head.Level != facts.Full {
		c.unknown("windows.ps1", errors.New("it is asked for a full snapshot alone: it takes seconds"))
		return
	}
	out, err := askPowerShell(c.ctx)
	if err != nil {
		c.unknown("windows.ps1", err)
		return
	}
	c.files = append(c.files, snapshot.File{Name: "windows.ps1", Data: out})
}

// askPowerShell runs the script that is part of linerate. Any other output is an error: the powershell.exe of Wine
// succeeds and prints nothing.
func askPowerShell(ctx context.Context) ([]byte, error) {
	if err := announcedProgram("windows", windowsCommand); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, windowsTimeout, fmt.Errorf("no answer within %v", windowsTimeout))
	defer cancel()
	out, said := &limited{max: commandMax}, &limited{max: 4096}
	cmd := exec.CommandContext(ctx, windowsCommand[0], windowsCommand[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(windowsScript), out, said
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("there is no powershell.exe on this host")
	case out.full:
		return nil, fmt.Errorf("it wrote more than %d MiB", commandMax>>20)
	case err != nil && out.Len() == 0:
		return nil, fmt.Errorf("%w: %.200s", err, facts.OneLine(said.String()))
	}
	text, err := snapshot.Decode(out.Bytes())
	if err != nil {
		return nil, err
	}
	if _, err := windows.ParseScript(bytes.TrimSpace(text)); err != nil {
		return nil, fmt.Errorf("%w%s", err, more(facts.OneLine(said.String())))
	}
	return text, nil
}

// more returns what the program printed in addition to its answer.
func more(said string) string {
	if said == "" {
		return ""
	}
	return fmt.Sprintf("; it said: %.200s", said)
}
