package onyx

import "linerate/internal/config/device"

// Where the forms of the commands are documented.
const (
	manualRoCE    device.Source = "onyx:roce"
	manualQoS     device.Source = "onyx:qos"
	manualPool    device.Source = "onyx:pool"
	manualLLDP    device.Source = "onyx:lldp"
	modInterface  device.Source = "onyx:mod-interface"
	modClass      device.Source = "onyx:mod-class"
	modPool       device.Source = "onyx:mod-pool"
	modPFC        device.Source = "onyx:mod-pfc"
	modVLAN       device.Source = "onyx:mod-vlan"
	modConfig     device.Source = "onyx:mod-config"
	modProtocol   device.Source = "onyx:mod-protocol"
	modLLDP       device.Source = "onyx:mod-lldp"
	mellanoxRoCE  device.Source = "onyx:doc-2884"
	smartX        device.Source = "onyx:smartx"
	intelMFD      device.Source = "onyx:mfd"
	modeChange    device.Source = "onyx:modes"
	fixtureETS    device.Source = "onyx:fixture-ets"
	capturePorts  device.Source = "onyx:show-interfaces"
	fixtureLLDP   device.Source = "onyx:fixture-lldp"
	fixtureECN    device.Source = "onyx:fixture-ecn"
	fixtureAccess device.Source = "onyx:fixture-switchport"
)

const ansible = "ansible-collections/mellanox.onyx 895d3a2, "

// Sources are the documents of this family.
var Sources = map[device.Source]string{
	manualRoCE:    "NVIDIA Onyx User Manual 3.10.4606 LTS, RoCE Commands",
	manualQoS:     "NVIDIA Onyx User Manual 3.10.4606 LTS, QoS Commands",
	manualPool:    "NVIDIA Onyx User Manual 3.10.4706 LTS, Shared Buffer Commands",
	manualLLDP:    "NVIDIA Onyx User Manual 3.10.4606 LTS, Link Layer Discovery Protocol",
	modInterface:  ansible + "onyx_interface and its test",
	modClass:      ansible + "onyx_traffic_class and its test",
	modPool:       ansible + "onyx_buffer_pool",
	modPFC:        ansible + "onyx_pfc_interface",
	modVLAN:       ansible + "onyx_vlan, onyx_l2_interface",
	modConfig:     ansible + "onyx_config (save)",
	modProtocol:   ansible + "onyx_protocol",
	modLLDP:       ansible + "onyx_lldp_interface",
	mellanoxRoCE:  "Mellanox DOC-2884, Lossless RoCE Configuration for MLNX-OS Switches in DSCP-Based QoS Mode, as kept in att/netarbiter",
	smartX:        "SmartX, SMTX OS, switch configuration for PFC by DSCP (Mellanox)",
	intelMFD:      "intel/mfd-switchmanagement, Mellanox switches",
	modeChange:    "SmartX, SMTX OS, switch configuration for PFC by DSCP (Mellanox): enable, configure terminal",
	fixtureETS:    ansible + "fixture of show dcb ets interface",
	capturePorts:  "answer of an Onyx 3.7.1160 to show interfaces ethernet, in napalm-automation-community/napalm-onyx b28aeb0",
	fixtureLLDP:   ansible + "fixture of show lldp interfaces",
	fixtureECN:    ansible + "fixture of show interfaces ethernet congestion-control",
	fixtureAccess: ansible + "fixture of show interfaces switchport",
}
