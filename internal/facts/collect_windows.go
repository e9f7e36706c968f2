package facts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// windowsTimeout is how long the script may take: it gives up by itself before that.
const windowsTimeout = 25 * time.Second

// rest runs windows.ps1. It takes seconds, so that it is not asked while a measurement runs.
func (c *collector) rest() {
	if c.head.level != Full {
		c.unknown("windows.ps1", errors.New("it is asked for a full capture alone: it takes seconds"))
		return
	}
	out, err := askPowerShell(c.ctx)
	if err != nil {
		c.unknown("windows.ps1", err)
		return
	}
	c.files = append(c.files, file{Name: "windows.ps1", Data: out})
}

// askPowerShell runs the script that linerate carries. What is no answer of it is an error: the powershell.exe of Wine ends well
// and prints nothing.
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
		return nil, fmt.Errorf("%w: %.200s", err, oneLine(said.String()))
	}
	text, err := decoded(out.Bytes())
	if err != nil {
		return nil, err
	}
	if _, err := parseWindowsScript(bytes.TrimSpace(text)); err != nil {
		return nil, fmt.Errorf("%w%s", err, more(oneLine(said.String())))
	}
	return text, nil
}

// more is what the program said beside its answer.
func more(said string) string {
	if said == "" {
		return ""
	}
	return fmt.Sprintf("; it said: %.200s", said)
}
