package device

import (
	"errors"
	"strings"
)

// Refuse is the error of a device that nothing can be rendered for, with every reason of the plan; nil without one.
func Refuse(subject string, reasons []string) error {
	if len(reasons) == 0 {
		return nil
	}
	return errors.New(Plain(subject + ": " + strings.Join(reasons, ". ")))
}

// Gaps notes what the plan says that the device's files do not do.
func (d *Device) Gaps(list []string) {
	for _, g := range list {
		d.Miss(Plain(g))
	}
}
