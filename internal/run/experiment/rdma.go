package experiment

import (
	"context"
	"errors"
	"fmt"

	"linerate/internal/base/failure"
	"linerate/internal/traffic/rdma"
)

// SendRDMAProgram sends linerate-verbs to hosts, where this machine has it for their systems; else each host uses its
// own. without is why a host gets none; it matters only if that host has none either.
func SendRDMAProgram(ctx context.Context, s Session, hosts []string) (without string, err error) {
	for _, host := range hosts {
		client := s.Client(host)
		h := client.Hello()
		if h.GOOS != "linux" || client.HasVerbs() {
			continue // a host with another system reports it
		}
		program, err := s.Program(ctx, rdma.Program, h.GOOS, h.Arch)
		if err != nil {
			without = fmt.Sprintf("none was sent to %s: %v", host, err)
			continue
		}
		if program == nil {
			continue
		}
		if err := client.SendVerbs(ctx, program); err != nil {
			return "", err
		}
	}
	return without, nil
}

// WithoutRDMAProgram adds the reason from SendRDMAProgram to the error of an end without linerate-verbs.
func WithoutRDMAProgram(err error, without string) error {
	if without == "" || err == nil || !missesRDMAProgram(err) {
		return err
	}
	return fmt.Errorf("%w; %s", err, without)
}

// missesRDMAProgram reports whether an end failed because its host has no linerate-verbs.
func missesRDMAProgram(err error) bool {
	var e *failure.Error
	return errors.As(err, &e) && e.Subject == rdma.Program && e.Code == failure.CodeUnsupported
}
