package render

import (
	"linerate/internal/device/config"
	"linerate/internal/device/nxos"
)

// The documents of the commands.
const (
	azureQoS   config.Source = "nxos:azure-qos"
	azurePorts config.Source = "nxos:azure-ports"
	script     config.Source = "nxos:roce-script"
	answerPFC  config.Source = "nxos:show-interface-priority-flow-control"
	answerPort config.Source = "nxos:show-interface"
	answerVLAN config.Source = "nxos:show-interface-switchport"
)

const azure = "Azure/AzureLocal-Supportability, TSG/Networking/Top-Of-Rack-Switch, "

// Sources are the documents of this family.
var Sources = map[config.Source]string{azureQoS: azure + "Reference-TOR-QOS-Policy-Configuration (3407980)",
	azurePorts: azure + "Reference-TOR-Disaggregated-Switched-Storage (3cbe968)",
	script:     "roce_enable.py 0.50 by P. Gupta, which sets up and removes RoCEv2 on Nexus switches",
	answerPFC:  "answers of switches to show interface priority-flow-control, in paregupt/ucs_traffic_monitor",
	answerPort: "answers of switches to show interface, in networktocode/ntc-templates",
	answerVLAN: "answers of switches to show interface switchport, in networktocode/ntc-templates"}

// Renderers are the renderers of this folder's systems.
var Renderers = []config.Renderer{{Family: nxos.System.Family, Switch: Switch, Sources: Sources}}
