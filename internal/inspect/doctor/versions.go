package doctor

var topicVersions = Topic{
	ID: "versions", Why: "both ends speak one protocol, and what a kernel tells differs from one to the next",
	host: func(g *Gathered, h *Host) []Line {
		system := h.OS + " " + h.Arch
		if h.Needs != nil && h.Needs.System != "" {
			system = h.Needs.System + ", " + system
		}
		if h.Facts != nil && h.Facts.Kernel != "" {
			system += ", kernel " + h.Facts.Kernel
		}
		if h.Version != g.Version {
			return []Line{warning("linerate %s there and %s here (%s): what one of them does not know yet is refused", h.Version, g.Version, system).
				do("linerate version   # then start the agent there with the program that is here")}
		}
		return []Line{ok("linerate %s; %s", h.Version, system)}
	},
}
