package routeros

import (
	"regexp"
	"strconv"

	"linerate/internal/device"
)

// The QoS menu of RouterOS 7 is complete from 7.15 on. 7.17 is the oldest release that MikroTik's manual recommends for
// RoCE, and the first with lldp-dcbx. 7.23 changed the required commands.
const (
	FirstQoS  = 15
	FirstRoCE = 17
	NewQoS    = 23
)

// Release is a release of RouterOS. Test releases come before the release itself: 7.17beta before 7.17.
type Release struct {
	Text         string
	Major, Minor int
	Early        bool // alpha, beta or release candidate
	Known        bool
}

var releaseForm = regexp.MustCompile(`(?i)^\s*v?(\d{1,3})\.(\d{1,3})(?:\.\d+)?\s*(alpha|beta|rc)?`)

// ReadRelease reads a release of RouterOS in the form of the file.
func ReadRelease(text string) Release {
	r := Release{Text: text}
	m := releaseForm.FindStringSubmatch(text)
	if m == nil {
		return r
	}
	r.Major, _ = strconv.Atoi(m[1])
	r.Minor, _ = strconv.Atoi(m[2])
	r.Early, r.Known = m[3] != "", true
	return r
}

// Before reports whether r comes before the release major.minor.
func (r Release) Before(major, minor int) bool {
	if r.Major != major {
		return r.Major < major
	}
	return r.Minor < minor || r.Minor == minor && r.Early
}

// losslessRelease compares a release with those that introduced the parts of a lossless class according to MikroTik's
// manual "Quality of Service": 7.15, 7.17 and 7.23.
func losslessRelease(c *device.Collector, s *device.Switch) {
	r := ReadRelease(s.Version)
	older := func(minor int) bool { return r.Before(7, minor) }
	const update = "update it to 7.17 or newer"
	switch {
	case !r.Known:
		c.Note("", "write version: .. at the switch, and take 7.23 or newer",
			"whether its RouterOS can do what the lossless class asks is not known, because the file does not say which "+
				"release it is; PFC and ECN came with 7.15, LLDP-DCBX with 7.17, maps that are made by themselves with 7.23")
	case older(FirstQoS):
		c.Error("", update, "RouterOS %s has no PFC and ECN: they came with 7.15 (MikroTik's manual)", r.Text)
	case older(FirstRoCE) && r.Early && r.Minor == FirstRoCE:
		c.Warn("", update,
			"RouterOS %s comes before 7.17, the least that MikroTik's manual has its RoCE example for. On a 7.17beta ECN "+
				"could only be set for all traffic of a port (the roce-100g document)", r.Text)
	case older(FirstRoCE) && s.QoS != nil && s.QoS.DCBX == "switch":
		c.Error("", "update it to 7.17 or newer, or write dcbx: none",
			"dcbx is switch, and RouterOS %s cannot announce the classes: LLDP-DCBX came with 7.17 (MikroTik's manual)", r.Text)
	case older(FirstRoCE):
		c.Warn("", update, "MikroTik's manual has its RoCE example for RouterOS 7.17 and newer; this is %s", r.Text)
	case older(NewQoS):
		c.Note("", "update it to 7.23 or newer, or write the maps as config renders them",
			"RouterOS %s needs its DSCP maps written out (from 7.23 on they are made by themselves). Where ECN is set, at "+
				"the queue or at its manager, differs by release and model", r.Text)
	}
}
