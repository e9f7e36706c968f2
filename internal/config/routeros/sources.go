package routeros

import "linerate/internal/config/device"

const (
	manualQoS    device.Source = "mikrotik-qos"
	manualQoS723 device.Source = "mikrotik-qos-7.23"
	manualMTU    device.Source = "mikrotik-mtu"
	manualScript device.Source = "mikrotik-scripting"
	manualBridge device.Source = "mikrotik-bridge"
	manualConfig device.Source = "mikrotik-configuration"
	document     device.Source = "roce-100g"
)

// Sources are the documents of this family.
var Sources = map[device.Source]string{
	manualQoS:    `MikroTik, manual.mikrotik.com, "Quality of Service" (before 7.23: help.mikrotik.com, pageId 189497483)`,
	manualQoS723: `MikroTik, manual.mikrotik.com, "Quality of Service", QoS Changes in RouterOS v7.23`,
	manualMTU:    `MikroTik, help.mikrotik.com, "MTU in RouterOS" (pageId 19136802)`,
	manualScript: `MikroTik, manual.mikrotik.com, "Scripting"`,
	manualBridge: `MikroTik, manual.mikrotik.com, "Bridging and Switching", bridge VLAN filtering`,
	manualConfig: `MikroTik, manual.mikrotik.com, "Configuration Management" (import, safe mode)`,
	document:     `the roce-100g document (004): "100G RoCEv2" (a CRS504 with RouterOS 7.17 beta)`,
}
