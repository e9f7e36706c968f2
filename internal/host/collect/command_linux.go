package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"linerate/internal/facts"
)

// commandTimeout bounds the run time of a program.
const commandTimeout = 3 * time.Second

// ask runs a program that changes nothing, in the network namespace of the calling thread, which the caller has locked.
// from names the package of the program, for the error where it is not installed.
func ask(ctx context.Context, from string, argv ...string) ([]byte, error) {
	if err := announcedProgram("linux", argv); err != nil {
		return nil, err
	}
	program, err := lookProgram(argv[0])
	if err != nil {
		return nil, fmt.Errorf("the program %s is not here (Debian: %s)", argv[0], from)
	}
	allowed := commandTimeout
	if until, ok := ctx.Value(programsUntil{}).(time.Time); ok {
		if allowed = min(allowed, time.Until(until)); allowed <= 0 {
			return nil, fmt.Errorf("it was not asked: the programs before it used up the %v that all of them have", programsTime)
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, allowed,
		fmt.Errorf("no answer within %v", allowed.Round(10*time.Millisecond)))
	defer cancel()
	out, said := &limited{max: commandMax}, &limited{max: 4096}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin"}
	cmd.Stdout, cmd.Stderr = out, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && out.Len() == 0:
		return nil, fmt.Errorf("%w: %.200s", err, facts.OneLine(said.String()))
	case out.full:
		return nil, fmt.Errorf("it wrote more than %d MiB", commandMax>>20)
	}
	return out.Bytes(), nil
}

// lookProgram finds a program in PATH, then in the folders of administration programs, which may not be in an ordinary
// user's PATH.
func lookProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/local/sbin/", "/usr/sbin/", "/sbin/"} {
		if path, err := exec.LookPath(dir + name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("not found")
}
