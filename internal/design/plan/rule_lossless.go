package plan

import (
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleLossless = Rule{
	ID:    ruleLosslessID,
	Title: "devices that can do what a lossless class asks",
	Why:   "one device on the path without PFC drops what all others hold back for",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		out := c.lacks(ruleLosslessID)
		lossless := c.lossless()
		if len(lossless) == 0 {
			return out
		}
		class := "class " + lossless[0].Name
		for _, s := range c.p.Switches {
			if len(c.bySwitch[s.Name]) > 0 {
				out = append(out, c.switchAbility(s, class)...)
			}
		}
		for _, card := range c.cards {
			if card.nic.Mode != "ib" && card.nic.Part != nil {
				out = append(out, cardAbility(card, class)...)
			}
		}
		return out
	},
}

func (c *checkup) switchAbility(s *Switch, class string) []record.Problem {
	line, subject := s.Decl.At.Line, "switch "+s.Name
	if s.Part == nil || s.Part.Switch == nil {
		return []record.Problem{said(record.Info, subject, line, "write part: .. at the switch", "whether it has PFC, which %s asks for, is not known, because the file does not say which switch it is", class)}
	}
	if infiniBandOnly(side{part: s.Part}) {
		return nil // InfiniBand loses nothing by itself
	}
	var out []record.Problem
	name := s.Part.Name
	pfc, pfcKnown := s.Part.Switch.PFC.Get()
	if pfcKnown && !pfc {
		return nil // what the switch lacks has been said
	}
	marking := ""
	for _, x := range c.f.Classes {
		if x.ECN {
			marking = x.Name
		}
	}
	_, ecnKnown := s.Part.Switch.ECN.Get()
	var unknown []string
	if !pfcKnown {
		unknown = append(unknown, "PFC")
	}
	if marking != "" && !ecnKnown {
		unknown = append(unknown, "ECN")
	}
	if len(unknown) > 0 {
		out = append(out, said(record.Info, "part "+name, line, "look into its manual before buying", "whether it has %s, which %s asks for, is not known, %s",
			strings.Join(unknown, " and "), class, because(s.Part)))
	}
	if s.System() == "routeros" {
		out = append(out, c.routerOS(s)...)
	}
	return out
}

// routerOS holds a release against what MikroTik's manual "Quality of Service" says
// that the parts of a lossless class came with: 7.15, 7.17 and 7.23.
func (c *checkup) routerOS(s *Switch) []record.Problem {
	line, subject := s.Decl.At.Line, "switch "+s.Name
	v := RouterOS(s.Decl.Version)
	older := func(minor int) bool { return v.Before(7, minor) }
	switch {
	case !v.Known:
		return []record.Problem{said(record.Info, subject, line, "write version: .. at the switch, and take 7.23 or newer",
			"whether its RouterOS can do what the lossless class asks is not known, because the file does not say which release it is: PFC and ECN came with 7.15, LLDP-DCBX with 7.17, maps that are made by themselves with 7.23")}
	case older(RouterOSFirstQoS):
		return []record.Problem{said(record.Error, subject, line, "update it to 7.17 or newer", "RouterOS %s has no PFC and ECN: they came with 7.15 (MikroTik's manual)", v.Text)}
	case older(RouterOSFirstRoCE) && v.Early && v.Minor == RouterOSFirstRoCE:
		return []record.Problem{said(record.Warning, subject, line, "update it to 7.17 or newer",
			"RouterOS %s comes before 7.17, the least that MikroTik's manual has its RoCE example for; on a 7.17beta ECN could only be set for all traffic of a port (the roce-100g document)", v.Text)}
	case older(RouterOSFirstRoCE) && c.f.DCBX == "switch":
		return []record.Problem{said(record.Error, subject, line, "update it to 7.17 or newer, or write dcbx: none", "dcbx is switch, and RouterOS %s cannot announce the classes: LLDP-DCBX came with 7.17 (MikroTik's manual)", v.Text)}
	case older(RouterOSFirstRoCE):
		return []record.Problem{said(record.Warning, subject, line, "update it to 7.17 or newer", "MikroTik's manual has its RoCE example for RouterOS 7.17 and newer; this is %s", v.Text)}
	case older(RouterOSNewQoS):
		return []record.Problem{said(record.Info, subject, line, "update it to 7.23 or newer, or write the maps as config renders them",
			"RouterOS %s needs its DSCP maps written out (from 7.23 on they are made by themselves), and where ECN is set, at the queue or at its manager, differs by release and model", v.Text)}
	}
	return nil
}

func cardAbility(c card, class string) []record.Problem {
	part, line := c.nic.Part, c.nic.At.Line
	if part.Confidence == catalog.Declared {
		return nil
	}
	d, system, ok := driverOf(c.host.Decl, part)
	severity := record.Warning
	if strings.HasPrefix(c.nic.RDMA, "roce") {
		severity = record.Error
	}
	old := strings.HasPrefix(part.Family, "ConnectX-2") || strings.HasPrefix(part.Family, "ConnectX-3")
	pfc, known := d.PFC.Get()
	switch {
	case ok && known && !pfc:
		return []record.Problem{said(severity, c.id(), line, "run another system there, take another card, or leave the host out of the class", "%s asks for PFC, and driver %s on %s has none", class, d.Driver, system)}
	case old && strings.Contains(system, "Linux"):
		return []record.Problem{said(record.Info, "part "+part.Name, line, "expect a reload of the driver when the class changes",
			"its driver takes PFC as options of the module (mlx4_en pfctx and pfcrx), not through dcb")}
	case old && c.host.OS == "windows":
		return []record.Problem{said(record.Warning, "part "+part.Name, line, "set it again at every start, or take a ConnectX-4 or newer",
			"the QoS settings of its driver WinOF do not outlive a reboot of Windows (its documentation)")}
	case strings.Contains(system, "FreeBSD") && strings.HasPrefix(c.nic.RDMA, "roce") && !known && d.Driver != "mlx5en":
		return []record.Problem{said(record.Info, "part "+part.Name, line, "look into the driver's manual page", "whether driver %s on %s has PFC is not known, because no source of the catalogue says so", d.Driver, system)}
	}
	return nil
}
