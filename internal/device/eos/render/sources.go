package render

import (
	"linerate/internal/device/config"
	"linerate/internal/device/eos"
)

// The documents of the commands.
const (
	avdQoS   config.Source = "eos:avd-qos"
	avdPorts config.Source = "eos:avd-interfaces"
	azure    config.Source = "eos:azure"
	capPFC   config.Source = "eos:show-priority-flow-control"
	capPorts config.Source = "eos:show-interfaces"
	blog     config.Source = "eos:roce-guide"
)

const avd = "aristanetworks/avd 3cac535, eos_cli_config_gen, intended configuration "

// Sources are the documents of this family.
var Sources = map[config.Source]string{avdQoS: avd + "qos.cfg", avdPorts: avd + "ethernet-interfaces.cfg",
	azure: "Microsoft, converged NIC, physical switch configuration: Arista 7050 (MicrosoftDocs windowsserverdocs, " +
		"cnic-app-switch-config)",
	capPFC:   "answer of a switch to show priority-flow-control, in democratic-csi issue 241",
	capPorts: "answers of switches to show interfaces, in networktocode/ntc-templates",
	blog:     "a guide by a user (Arista_EOS_RoCEv2_Lossless_Config, EOS 4.36), not by Arista"}

// Renderers are the renderers of this folder's systems.
var Renderers = []config.Renderer{
	{Family: eos.System.Family, Switch: Switch, Sources: Sources},
}
