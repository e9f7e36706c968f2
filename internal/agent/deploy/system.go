package deploy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"linerate/internal/host/connect"
)

// system is an operating system and an architecture by Go's names: linux, amd64.
type system struct{ goos, arch string }

func (s system) String() string { return s.goos + "/" + s.arch }

// program is a program's name on the system.
func (s system) program(name string) string {
	if s.goos == "windows" {
		name += ".exe"
	}
	return name
}

// fileName is the name of linerate for the system, such as linerate-linux-amd64.
func (s system) fileName() string { return s.program("linerate-" + s.goos + "-" + s.arch) }

// archive is the folder in a release's archive (packaging/archives.sh).
func (s system) archive(version string) string {
	return fmt.Sprintf("linerate-%s-%s-%s", version, s.goos, s.arch)
}

// querySystem queries a host for its system: by uname -sm, else by Windows' cmd.
func querySystem(ctx context.Context, r connect.Connection) (system, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, queryTimeout, fmt.Errorf("no answer within %v", queryTimeout))
	defer cancel()
	uname, err := connect.Run(ctx, r, nil, "uname", "-sm")
	if err != nil && !errors.Is(err, connect.ErrNoProgram) {
		return system{}, err
	}
	parsed := func(sys system, err error) (system, error) {
		if err != nil {
			err = fmt.Errorf("%s: %w", r, err)
		}
		return sys, err
	}
	if err == nil && uname.Exit == 0 {
		return parsed(parseUname(string(uname.Stdout)))
	}
	version, err := connect.Run(ctx, r, nil, "cmd", "/c", "ver")
	if err == nil && version.Exit == 0 && strings.Contains(string(version.Stdout), "Windows") {
		// "set NAME" and not "echo %NAME%", which a shell on the way could expand.
		arch, err := connect.Run(ctx, r, nil, "cmd", "/c", "set", "PROCESSOR_ARCHITECTURE")
		if err != nil {
			return system{}, err
		}
		return parsed(parseWindows(string(arch.Stdout)))
	}
	if err != nil && !errors.Is(err, connect.ErrNoProgram) {
		return system{}, err
	}
	return system{}, fmt.Errorf("%s: %w: it answers neither uname -sm (exit code %d) nor cmd /c ver; a switch needs no "+
		"agent", r, ErrNoAgent, uname.Exit)
}

// parseUname reads the output of uname -sm: "Linux x86_64", "FreeBSD amd64".
func parseUname(text string) (system, error) {
	words := strings.Fields(text)
	if len(words) != 2 {
		return system{}, fmt.Errorf("%w: uname -sm wrote %.80q, not a system and an architecture", ErrNoAgent, text)
	}
	os := map[string]string{"Linux": "linux", "FreeBSD": "freebsd", "Darwin": "darwin"}[words[0]]
	arch := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64", "i386": "386",
		"i686": "386", "armv6l": "arm", "armv7l": "arm", "riscv64": "riscv64", "ppc64le": "ppc64le", "s390x": "s390x",
		"loongarch64": "loong64"}[words[1]]
	if os == "" || arch == "" {
		return system{}, fmt.Errorf("%w: %.40q on %.40q", ErrNoAgent, words[0], words[1])
	}
	return system{os, arch}, nil
}

// parseWindows reads the output of cmd's set PROCESSOR_ARCHITECTURE: "PROCESSOR_ARCHITECTURE=AMD64".
func parseWindows(text string) (system, error) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name != "PROCESSOR_ARCHITECTURE" {
			continue
		}
		if arch := map[string]string{"AMD64": "amd64", "ARM64": "arm64", "x86": "386"}[value]; arch != "" {
			return system{"windows", arch}, nil
		}
		return system{}, fmt.Errorf("%w: Windows on %.40q", ErrNoAgent, value)
	}
	return system{}, fmt.Errorf("%w: Windows did not tell PROCESSOR_ARCHITECTURE", ErrNoAgent)
}
