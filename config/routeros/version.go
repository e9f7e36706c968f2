package routeros

import (
	"fmt"
	"regexp"
	"strconv"
)

// version is a release of RouterOS as the fabric file names it.
type version struct {
	text         string
	major, minor int
	early        bool // alpha, beta or release candidate: before the release itself
	known        bool
}

var versionForm = regexp.MustCompile(`(?i)^\s*v?(\d{1,3})\.(\d{1,3})(?:\.\d+)?\s*(alpha|beta|rc)?`)

func parseVersion(text string) version {
	v := version{text: text}
	m := versionForm.FindStringSubmatch(text)
	if m == nil {
		return v
	}
	v.major, _ = strconv.Atoi(m[1])
	v.minor, _ = strconv.Atoi(m[2])
	v.early, v.known = m[3] != "", true
	return v
}

// before says whether v comes before the release major.minor.
func (v version) before(major, minor int) bool {
	if v.major != major {
		return v.major < major
	}
	return v.minor < minor || v.minor == minor && v.early
}

// The QoS menu is whole from 7.15 on; 7.17 is the least that MikroTik's manual recommends for RoCE, and the first with
// lldp-dcbx; 7.23 changed what has to be written.
const (
	firstQoS  = 15
	firstRoCE = 17
	newQoS    = 23
)

// variant is which text is rendered, and for which releases.
type variant struct {
	new      bool   // from 7.23 on
	releases string // "RouterOS 7.17 to 7.22"
	pattern  string // what the version of such a release matches
	update   string // what has to be done before, empty if nothing
	reason   string
}

// variantFor chooses the text for the version in the file. A release that lacks something gets the text of the lowest
// one that has everything, and is to be updated first.
func variantFor(v version) variant {
	old := variant{releases: fmt.Sprintf("RouterOS 7.%d to 7.%d", firstRoCE, newQoS-1), pattern: `^7\.(1[7-9]|2[0-2])($|[ .])`}
	switch {
	case !v.known && v.text == "":
		old.update = "Look at the version: /system resource print. If it is not 7.17 to 7.22, update to one of these, or write version: into the fabric file and render again"
		old.reason = "the file does not say the switch's version; this text is for the lowest that has all it needs"
	case !v.known:
		old.update = "Look at the version: /system resource print. If it is not 7.17 to 7.22, write it as version: 7.N into the fabric file and render again"
		old.reason = fmt.Sprintf("version: %s is none that linerate knows; this text is for the lowest that has all it needs", v.text)
	case v.before(7, firstQoS):
		old.update = "Update RouterOS to 7.17 or a later release below 7.23"
		old.reason = fmt.Sprintf("%s has no QoS menu for this: the manual asks for 7.15, and for RoCE for 7.17", v.text)
	case v.before(7, firstRoCE):
		old.update = "Update RouterOS to 7.17 or a later release below 7.23"
		old.reason = fmt.Sprintf("%s is before 7.17, the least that the manual recommends for RoCE: the roce-100g document found on 7.17 beta that ECN can only be set on the"+
			" tx-manager, which marks all traffic, and lldp-dcbx begins with 7.17", v.text)
	case v.before(7, newQoS):
	default:
		return variant{new: true, releases: fmt.Sprintf("RouterOS 7.%d and later", newQoS), pattern: `^7\.(2[3-9]|[3-9][0-9])($|[ .])`}
	}
	return old
}
