package main

import (
	"errors"

	"linerate/internal/inspect/doctor"
	"linerate/internal/lab/guest"
)

// labParts looks for what guests are made of; nothing is built, and no machine is started.
func labParts() *doctor.Lab {
	l := &doctor.Lab{}
	h, err := guest.FindHost()
	var lack *guest.LackError
	switch {
	case errors.As(err, &lack):
		l.Lacks, l.Try = lack.What, lack.Try
		return l
	case err != nil:
		l.Lacks = err.Error()
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
		case kind == guest.Small: // the others are built by who wants them
			l.Missing = append(l.Missing, name)
		}
	}
	return l
}
