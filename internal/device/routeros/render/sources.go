package render

import (
	"linerate/internal/device/config"
	"linerate/internal/device/routeros"
)

const (
	manualQoS    config.Source = "mikrotik-qos"
	manualQoS723 config.Source = "mikrotik-qos-7.23"
	manualMTU    config.Source = "mikrotik-mtu"
	manualScript config.Source = "mikrotik-scripting"
	manualBridge config.Source = "mikrotik-bridge"
	manualConfig config.Source = "mikrotik-configuration"
	document     config.Source = "roce-100g"
)

// Sources are the documents of this family.
var Sources = map[config.Source]string{
	manualQoS:    `MikroTik, manual.mikrotik.com, "Quality of Service" (before 7.23: help.mikrotik.com, pageId 189497483)`,
	manualQoS723: `MikroTik, manual.mikrotik.com, "Quality of Service", QoS Changes in RouterOS v7.23`,
	manualMTU:    `MikroTik, help.mikrotik.com, "MTU in RouterOS" (pageId 19136802)`,
	manualScript: `MikroTik, manual.mikrotik.com, "Scripting"`,
	manualBridge: `MikroTik, manual.mikrotik.com, "Bridging and Switching", bridge VLAN filtering`,
	manualConfig: `MikroTik, manual.mikrotik.com, "Configuration Management" (import, safe mode)`,
	document:     `the roce-100g document (004): "100G RoCEv2" (a CRS504 with RouterOS 7.17 beta)`,
}

// Renderers are the renderers of this folder's systems.
var Renderers = []config.Renderer{
	{Family: routeros.System.Family, Switch: Switch, Sources: Sources},
}
