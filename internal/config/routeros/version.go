package routeros

import (
	"fmt"

	"linerate/internal/design/plan"
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
func variantFor(v plan.RouterOSRelease) variant {
	old := variant{releases: fmt.Sprintf("RouterOS 7.%d to 7.%d", plan.RouterOSFirstRoCE, plan.RouterOSNewQoS-1), pattern: `^7\.(1[7-9]|2[0-2])($|[ .])`}
	switch {
	case !v.Known && v.Text == "":
		old.update = "Look at the version: /system resource print. If it is not 7.17 to 7.22, update to one of these, or write version: into the fabric file and render again"
		old.reason = "the file does not say the switch's version; this text is for the lowest that has all it needs"
	case !v.Known:
		old.update = "Look at the version: /system resource print. If it is not 7.17 to 7.22, write it as version: 7.N into the fabric file and render again"
		old.reason = fmt.Sprintf("version: %s is none that linerate knows; this text is for the lowest that has all it needs", v.Text)
	case v.Before(7, plan.RouterOSFirstQoS):
		old.update = "Update RouterOS to 7.17 or a later release below 7.23"
		old.reason = fmt.Sprintf("%s has no QoS menu for this: the manual asks for 7.15, and for RoCE for 7.17", v.Text)
	case v.Before(7, plan.RouterOSFirstRoCE):
		old.update = "Update RouterOS to 7.17 or a later release below 7.23"
		old.reason = fmt.Sprintf("%s is before 7.17, the least that the manual recommends for RoCE: the roce-100g document found on 7.17 beta that ECN can only be set on the"+
			" tx-manager, which marks all traffic, and lldp-dcbx begins with 7.17", v.Text)
	case v.Before(7, plan.RouterOSNewQoS):
	default:
		return variant{new: true, releases: fmt.Sprintf("RouterOS 7.%d and later", plan.RouterOSNewQoS), pattern: `^7\.(2[3-9]|[3-9][0-9])($|[ .])`}
	}
	return old
}
