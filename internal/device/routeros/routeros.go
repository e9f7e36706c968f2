// Package routeros describes MikroTik's RouterOS: its port names, its releases, and the traffic class settings that
// linerate does not configure.
package routeros

import (
	"fmt"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/device"
)

// System is RouterOS.
var System = &device.System{Name: "routeros", Family: "routeros", Title: "RouterOS", Synonyms: []string{"mikrotik"},
	Switch: &device.SwitchSystem{
		CatalogName:  "RouterOS",
		PortName:     portName,
		PortNameGaps: func(c *device.Collector, s *device.Switch) { device.CatalogNameGaps(c, s) },
		Gaps:         gaps,
		Lossless:     losslessRelease,
		Commands:     commands, CounterCommands: counterCommands,
	}, Traits: device.Traits{Menus: true, BridgeInPortID: true}}

// Port returns RouterOS's name of a port, and whether the catalogue has it; for a port with several interfaces the name
// of the first one.
func Port(part *catalog.Part, index int) (name string, known bool) {
	if part == nil {
		return fmt.Sprintf("ether%d", index), false
	}
	port, _, known := part.Port(index)
	if !known {
		return fmt.Sprintf("ether%d", index), false
	}
	if port.Name != "" {
		return port.Name, true
	}
	// RouterOS numbers each kind of cage from one.
	n := xslices.Count(part.Ports[:index], func(o catalog.Port) bool { return o.Cage == port.Cage })
	switch port.Cage {
	case "sfp+":
		return fmt.Sprintf("sfp-sfpplus%d", n), false
	case "sfp28":
		return fmt.Sprintf("sfp28-%d", n), false
	case "qsfp+":
		return fmt.Sprintf("qsfpplus%d-1", n), false
	case "qsfp28":
		return fmt.Sprintf("qsfp28-%d-1", n), false
	case "qsfp56", "qsfp56-dd", "qsfp-dd":
		return fmt.Sprintf("%s-%d-1", port.Cage, n), false
	}
	return fmt.Sprintf("ether%d", n), false
}

// portName returns RouterOS's name of a port or its lane.
func portName(part *catalog.Part, index, lane int) string {
	name, _ := Port(part, index)
	if base, ok := strings.CutSuffix(name, "-1"); ok && lane > 1 && strings.HasPrefix(name, "qsfp") {
		return fmt.Sprintf("%s-%d", base, lane)
	}
	return name
}

func gaps(c *device.Collector, s *device.Switch) {
	q := s.QoS
	if q == nil {
		return
	}
	if q.Trust == "port" {
		c.Error(device.GapClasses, "write trust: dscp, or trust: pcp with VLANs",
			"trust: port does not say which port's traffic belongs to which class, which RouterOS needs")
	}
	lossless := q.Lossless()
	for _, x := range s.Ports {
		if x.Speed == 0 && len(lossless) > 0 {
			c.Warn(device.GapClasses, "write a cable or NIC with its speed",
				"the speed of link %s is not known, and RouterOS wants it (egress-rate-queue) to obey PFC", x.Link).LeaveOut()
			break
		}
	}
	if r := ReadRelease(s.Version); len(lossless) > 1 && r.Known && !r.Before(7, NewQoS) {
		c.Warn(device.GapBuffers, "make one class lossless, or look at its buffers by hand",
			"classes with priority %s are lossless, and MikroTik's manual gives lossless-traffic-class no form for more "+
				"than one: it stays auto", device.Commas(lossless))
	}
}

var commands = []string{"/system resource print", "/system health print",
	"/interface ethernet print detail without-paging", "/interface ethernet print stats-detail without-paging",
	"/interface ethernet monitor [find] once", "/interface bonding print detail without-paging",
	"/ip address print detail without-paging", "/interface ethernet switch print detail without-paging",
	"/interface ethernet switch qos port print without-paging",
	"/interface ethernet switch qos port print stats without-paging",
	"/interface ethernet switch qos port print usage without-paging",
	"/interface ethernet switch qos profile print without-paging",
	"/interface ethernet switch qos map ip print without-paging",
	"/interface ethernet switch qos tx-manager print without-paging",
	"/interface ethernet switch qos tx-manager queue print without-paging",
	"/interface ethernet switch qos priority-flow-control print without-paging",
	"/interface ethernet switch qos monitor once", "/ip neighbor discovery-settings print",
	"/ip neighbor print detail without-paging", "/export"}

var counterCommands = []string{"/interface ethernet print stats-detail without-paging",
	"/interface ethernet switch qos port print stats without-paging",
	"/interface ethernet switch qos tx-manager queue print without-paging"}
