package eos

import "linerate/internal/config/device"

// Where the forms of the commands are documented.
const (
	avdQoS   device.Source = "eos:avd-qos"
	avdPorts device.Source = "eos:avd-interfaces"
	azure    device.Source = "eos:azure"
	capPFC   device.Source = "eos:show-priority-flow-control"
	capPorts device.Source = "eos:show-interfaces"
	blog     device.Source = "eos:roce-guide"
)

const avd = "aristanetworks/avd 3cac535, eos_cli_config_gen, intended configuration "

// Sources are the documents of this family.
var Sources = map[device.Source]string{
	avdQoS:   avd + "qos.cfg",
	avdPorts: avd + "ethernet-interfaces.cfg",
	azure:    "Microsoft, converged NIC, physical switch configuration: Arista 7050 (MicrosoftDocs windowsserverdocs, cnic-app-switch-config)",
	capPFC:   "answer of a switch to show priority-flow-control, in democratic-csi issue 241",
	capPorts: "answers of switches to show interfaces, in networktocode/ntc-templates",
	blog:     "a guide by a user (Arista_EOS_RoCEv2_Lossless_Config, EOS 4.36), not by Arista",
}
