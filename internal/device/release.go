package device

import (
	"strconv"
	"strings"
)

// Release is the release of a system as numbers; nil if unknown.
type Release []int

// ReadRelease reads the numbers at the start of a release: "3.10.4606" is 3 10 4606, and "4.36.0F" is 4 36 0.
func ReadRelease(text string) Release {
	var r Release
	for word := range strings.SplitSeq(text, ".") {
		digits := word[:len(word)-len(strings.TrimLeft(word, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		r = append(r, n)
		if len(digits) < len(word) {
			break
		}
	}
	return r
}

// AtLeast reports whether a release is known and not older than want.
func (r Release) AtLeast(want ...int) bool {
	if r == nil {
		return false
	}
	for i, w := range want {
		n := 0
		if i < len(r) {
			n = r[i]
		}
		if n != w {
			return n > w
		}
	}
	return true
}

// Before reports whether a release is known and older than want.
func (r Release) Before(want ...int) bool { return r != nil && !r.AtLeast(want...) }
