package guest

import (
	"errors"
	"slices"
	"strings"
	"syscall"
)

// diskFull says whether a disk or a quota was used up, also where a program says so in words (of the C locale; the last are apt's).
func diskFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	return err != nil && slices.ContainsFunc([]string{"No space left on device", "Disk quota exceeded", "enough free space in"}, func(s string) bool {
		return strings.Contains(err.Error(), s)
	})
}
