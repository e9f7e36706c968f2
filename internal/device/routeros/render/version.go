package render

import (
	"fmt"

	"linerate/internal/device/routeros"
)

// variant is the text for some releases.
type variant struct {
	new      bool   // from 7.23 on
	releases string // "RouterOS 7.17 to 7.22"
	pattern  string // matches the version of such a release
	update   string // the work to do first, empty if none
	reason   string
}

// variantFor returns the text for the version in the file. An older release without some feature gets the text of the
// lowest one that has everything, and has to be updated first.
func variantFor(v routeros.Release) variant {
	old := variant{releases: fmt.Sprintf("RouterOS 7.%d to 7.%d", routeros.FirstRoCE, routeros.NewQoS-1),
		pattern: `^7\.(1[7-9]|2[0-2])($|[ .])`}
	switch {
	case !v.Known && v.Text == "":
		old.update = "Look at the version: /system resource print. If it is not 7.17 to 7.22, update to one of these, or " +
			"write version: into the fabric file and render again"
		old.reason = "the file does not say the switch's version; this text is for the lowest that has all it needs"
	case !v.Known:
		old.update = "Look at the version: /system resource print. If it is not 7.17 to 7.22, write it as version: 7.N " +
			"into the fabric file and render again"
		old.reason = fmt.Sprintf("version: %s is none that linerate knows; this text is for the lowest that has all it "+
			"needs", v.Text)
	case v.Before(7, routeros.FirstQoS):
		old.update = "Update RouterOS to 7.17 or a later release below 7.23"
		old.reason = fmt.Sprintf("%s has no QoS menu for this: the manual asks for 7.15, and for RoCE for 7.17", v.Text)
	case v.Before(7, routeros.FirstRoCE):
		old.update = "Update RouterOS to 7.17 or a later release below 7.23"
		old.reason = fmt.Sprintf("%s is before 7.17, the least that the manual recommends for RoCE; lldp-dcbx begins "+
			"with 7.17; the roce-100g document found on 7.17 beta that ECN can only be set on the tx-manager, which marks "+
			"all traffic", v.Text)
	case v.Before(7, routeros.NewQoS):
	default:
		return variant{new: true, releases: fmt.Sprintf("RouterOS 7.%d and later", routeros.NewQoS),
			pattern: `^7\.(2[3-9]|[3-9][0-9])($|[ .])`}
	}
	return old
}
