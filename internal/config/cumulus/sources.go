package cumulus

import "linerate/internal/config/device"

// Where the forms of the commands are documented.
const (
	docRoCE   device.Source = "cumulus:roce"
	docQoS    device.Source = "cumulus:qos"
	docPorts  device.Source = "cumulus:ports"
	docBridge device.Source = "cumulus:bridge"
	docLLDP   device.Source = "cumulus:lldp"
	docNVUE   device.Source = "cumulus:nvue"
	refQoS    device.Source = "cumulus:ref-qos"
	refLLDP   device.Source = "cumulus:ref-lldp"
)

const docs = "Cumulus Linux user guide (CumulusNetworks/docs), "

// Sources are the documents of this family.
var Sources = map[device.Source]string{
	docRoCE:   docs + "5.15, RDMA over Converged Ethernet - RoCE",
	docQoS:    docs + "Quality of Service",
	docPorts:  docs + "5.15, Switch Port Attributes",
	docBridge: docs + "VLAN-aware Bridge Mode",
	docLLDP:   docs + "Link Layer Discovery Protocol, QoS TLVs",
	docNVUE:   docs + "NVUE CLI: nv config apply, nv config save; nv unset takes back the nv set of the same words",
	refQoS:    "NVUE command reference, QoS",
	refLLDP:   "NVUE command reference, LLDP",
}
