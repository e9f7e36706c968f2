package plan

import (
	"regexp"
	"strconv"
	"strings"
)

// Release is a switch's release as numbers; nil if it is not known.
type Release []int

// ReleaseText is the release that the file gives a switch; empty if it gives none.
func (s *Switch) ReleaseText() string {
	if s.Decl == nil {
		return ""
	}
	return strings.TrimSpace(s.Decl.Version)
}

// Release reads the numbers at the beginning of the release that the file gives: "3.10.4606" and "4.36.0F" are 3 10 4606 and 4 36 0.
func (s *Switch) Release() Release {
	var v Release
	for _, word := range strings.Split(s.ReleaseText(), ".") {
		digits := word[:len(word)-len(strings.TrimLeft(word, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		v = append(v, n)
		if len(digits) < len(word) {
			break
		}
	}
	return v
}

// AtLeast says whether a release is known and not older than another.
func (v Release) AtLeast(want ...int) bool {
	if v == nil {
		return false
	}
	for i, w := range want {
		n := 0
		if i < len(v) {
			n = v[i]
		}
		if n != w {
			return n > w
		}
	}
	return true
}

// Before says whether a release is known and older than another.
func (v Release) Before(want ...int) bool { return v != nil && !v.AtLeast(want...) }

// RouterOSRelease is a release of RouterOS. One of a test comes before the release itself: 7.17beta before 7.17.
type RouterOSRelease struct {
	Text         string
	Major, Minor int
	Early        bool // alpha, beta or release candidate
	Known        bool
}

var routerOSForm = regexp.MustCompile(`(?i)^\s*v?(\d{1,3})\.(\d{1,3})(?:\.\d+)?\s*(alpha|beta|rc)?`)

// RouterOS reads a release of RouterOS as the file names it.
func RouterOS(text string) RouterOSRelease {
	v := RouterOSRelease{Text: text}
	m := routerOSForm.FindStringSubmatch(text)
	if m == nil {
		return v
	}
	v.Major, _ = strconv.Atoi(m[1])
	v.Minor, _ = strconv.Atoi(m[2])
	v.Early, v.Known = m[3] != "", true
	return v
}

// Before says whether v comes before the release major.minor.
func (v RouterOSRelease) Before(major, minor int) bool {
	if v.Major != major {
		return v.Major < major
	}
	return v.Minor < minor || v.Minor == minor && v.Early
}

// The QoS menu of RouterOS 7 is whole from 7.15 on; 7.17 is the least that MikroTik's manual recommends for RoCE, and the first with
// lldp-dcbx; 7.23 changed what has to be written.
const (
	RouterOSFirstQoS  = 15
	RouterOSFirstRoCE = 17
	RouterOSNewQoS    = 23
)
