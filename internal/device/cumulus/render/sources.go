package render

import (
	"linerate/internal/device/config"
	"linerate/internal/device/cumulus"
)

// The documents of the commands.
const (
	docRoCE   config.Source = "cumulus:roce"
	docQoS    config.Source = "cumulus:qos"
	docPorts  config.Source = "cumulus:ports"
	docBridge config.Source = "cumulus:bridge"
	docLLDP   config.Source = "cumulus:lldp"
	docNVUE   config.Source = "cumulus:nvue"
	refQoS    config.Source = "cumulus:ref-qos"
	refLLDP   config.Source = "cumulus:ref-lldp"
)

const docs = "Cumulus Linux user guide (CumulusNetworks/docs), "

// Sources are the documents of this family.
var Sources = map[config.Source]string{docRoCE: docs + "5.15, RDMA over Converged Ethernet - RoCE",
	docQoS: docs + "Quality of Service", docPorts: docs + "5.15, Switch Port Attributes",
	docBridge: docs + "VLAN-aware Bridge Mode", docLLDP: docs + "Link Layer Discovery Protocol, QoS TLVs",
	docNVUE: docs + "NVUE CLI: nv config apply, nv config save; nv unset undoes the nv set of the same words",
	refQoS:  "NVUE command reference, QoS", refLLDP: "NVUE command reference, LLDP"}

// Renderers are the renderers of this folder's systems.
var Renderers = []config.Renderer{
	{Family: cumulus.System.Family, Switch: Switch, Sources: Sources},
}
