package linux

import "linerate/config/device"

// The documents of this family. Their forms were run with the programs themselves where a test can have them.
var _ = device.Register(map[device.Source]string{
	"tc(8)":                  "iproute2, tc(8)",
	"kernel bonding":         "kernel documentation, networking/bonding; iproute2, ip-link(8), type bond",
	"kernel sysfs-class-net": "kernel documentation, ABI/testing/sysfs-class-net (dev_port); the PCI id is the device's own",
	"kernel pci-iov":         "kernel documentation, PCI/pci-iov-howto: sriov_numvfs",
})
