package render

import (
	"linerate/internal/device/config"
	"linerate/internal/device/onyx"
)

// The documents of the commands.
const (
	manualRoCE    config.Source = "onyx:roce"
	manualQoS     config.Source = "onyx:qos"
	manualPool    config.Source = "onyx:pool"
	manualLLDP    config.Source = "onyx:lldp"
	modInterface  config.Source = "onyx:mod-interface"
	modClass      config.Source = "onyx:mod-class"
	modPool       config.Source = "onyx:mod-pool"
	modPFC        config.Source = "onyx:mod-pfc"
	modVLAN       config.Source = "onyx:mod-vlan"
	modConfig     config.Source = "onyx:mod-config"
	modProtocol   config.Source = "onyx:mod-protocol"
	modLLDP       config.Source = "onyx:mod-lldp"
	mellanoxRoCE  config.Source = "onyx:doc-2884"
	smartX        config.Source = "onyx:smartx"
	intelMFD      config.Source = "onyx:mfd"
	modeChange    config.Source = "onyx:modes"
	fixtureETS    config.Source = "onyx:fixture-ets"
	snapshotPorts config.Source = "onyx:show-interfaces"
	fixtureLLDP   config.Source = "onyx:fixture-lldp"
	fixtureECN    config.Source = "onyx:fixture-ecn"
	fixtureAccess config.Source = "onyx:fixture-switchport"
)

const ansible = "ansible-collections/mellanox.onyx 895d3a2, "

// Sources are the documents of this family.
var Sources = map[config.Source]string{manualRoCE: "NVIDIA Onyx User Manual 3.10.4606 LTS, RoCE Commands",
	manualQoS:    "NVIDIA Onyx User Manual 3.10.4606 LTS, QoS Commands",
	manualPool:   "NVIDIA Onyx User Manual 3.10.4706 LTS, Shared Buffer Commands",
	manualLLDP:   "NVIDIA Onyx User Manual 3.10.4606 LTS, Link Layer Discovery Protocol",
	modInterface: ansible + "onyx_interface and its test", modClass: ansible + "onyx_traffic_class and its test",
	modPool: ansible + "onyx_buffer_pool", modPFC: ansible + "onyx_pfc_interface",
	modVLAN: ansible + "onyx_vlan, onyx_l2_interface", modConfig: ansible + "onyx_config (save)",
	modProtocol: ansible + "onyx_protocol", modLLDP: ansible + "onyx_lldp_interface",
	mellanoxRoCE: "Mellanox DOC-2884, Lossless RoCE Configuration for MLNX-OS Switches in DSCP-Based QoS Mode, as " +
		"kept in att/netarbiter",
	smartX:     "SmartX, SMTX OS, switch configuration for PFC by DSCP (Mellanox)",
	intelMFD:   "intel/mfd-switchmanagement, Mellanox switches",
	modeChange: "SmartX, SMTX OS, switch configuration for PFC by DSCP (Mellanox): enable, configure terminal",
	fixtureETS: ansible + "fixture of show dcb ets interface",
	snapshotPorts: "answer of an Onyx 3.7.1160 to show interfaces ethernet, in napalm-automation-community/napalm-onyx " +
		"b28aeb0",
	fixtureLLDP:   ansible + "fixture of show lldp interfaces",
	fixtureECN:    ansible + "fixture of show interfaces ethernet congestion-control",
	fixtureAccess: ansible + "fixture of show interfaces switchport"}

// Renderers are the renderers of this folder's systems.
var Renderers = []config.Renderer{
	{Family: onyx.System.Family, Switch: Switch, Sources: Sources},
}
