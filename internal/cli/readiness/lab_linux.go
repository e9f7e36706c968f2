package readiness

import (
	"errors"

	"linerate/internal/inspect/doctor"
	"linerate/internal/lab/guest"
)

// labParts looks for the parts of guests; it builds nothing, and starts no machine.
func labParts() *doctor.Lab {
	l := &doctor.Lab{}
	h, err := guest.FindHost()
	var missing *guest.MissingError
	switch {
	case errors.As(err, &missing):
		l.Problem, l.Try = missing.What, missing.Try
		return l
	case err != nil:
		l.Problem = err.Error()
		return l
	}
	l.QEMU, l.NoKVM = h.QEMU, h.NoKVM
	for _, kind := range []guest.Kind{guest.Small, guest.Systemd} {
		name := string(kind)
		if kind == guest.Small {
			name = "small"
		}
		switch built, err := guest.Built("", kind); {
		case err != nil:
			l.Cache = "the cache of images was not read: " + err.Error()
		case built:
			l.Images = append(l.Images, name)
		case kind == guest.Small: // the others are built on request
			l.Missing = append(l.Missing, name)
		}
	}
	return l
}
