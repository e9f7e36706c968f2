package dcb

import (
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

const ibstat device.Source = "ibstat(8)"

// Sources are the documents that all switches of data centres share.
var Sources = map[device.Source]string{ibstat: "infiniband-diags, ibstat(8)"}

// InfiniBandOnly is the device of a switch that carries nothing but InfiniBand: it has none of the settings of Ethernet.
func InfiniBandOnly(_ *plan.Plan, s *plan.Switch) (device.Device, error) {
	verify := device.File{Name: "verify.txt", Comment: "#"}
	verify.Note("Nothing is set on this switch. On each host behind it:")
	verify.Add(ibstat, "the link is up and a subnet manager has found it", "ibstat")
	verify.Note("  expect State: Active")
	verify.Note("  expect Physical state: LinkUp")
	return device.Device{
		What:  Title(s, "InfiniBand"),
		Files: []device.File{verify},
		Steps: []device.Step{
			{Do: "Nothing has to be set on this switch for the plan: InfiniBand has its own flow control, and its classes, PFC, ECN and MTU are not those of Ethernet."},
			{Do: "A subnet manager has to run once in the fabric: on this switch, if it has one, or as opensm on one host. Without it no link becomes active."},
			{Do: "Compare what verify.txt says, on the hosts."},
		},
		Missing: []string{"no settings for this switch: all its used ports carry InfiniBand"},
	}, nil
}
