package inspect

import (
	"errors"

	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
)

// ValidChoice returns the error of checks that do not exist, with the most similar one.
func ValidChoice(c check.Choice) error {
	err := c.Validate(checks.All())
	if unknown := (*check.UnknownError)(nil); errors.As(err, &unknown) {
		ids := xslices.Map(checks.All(), func(k check.Check) string { return k.ID })
		return cli.UnknownName("--checks", "check", unknown.ID, ids)
	}
	return err
}
