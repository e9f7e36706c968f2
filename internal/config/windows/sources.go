package windows

import "linerate/internal/config/device"

const (
	msDCB           device.Source = "ms-dcb"
	msCmdlets       device.Source = "ms-cmdlets"
	msKeywords      device.Source = "ms-keywords"
	msPS            device.Source = "ms-powershell"
	msHyperV        device.Source = "ms-hyper-v"
	msAdapter       device.Source = "ms-netadapter-class"
	msDeviceManager device.Source = "ms-device-manager"
	document        device.Source = "roce-100g"
	hostsFile       device.Source = "hosts(5)"
)

// Sources are the documents of this family.
var Sources = map[device.Source]string{
	msDCB:           "Microsoft, azure-stack-docs (CNIC single node), Azure/AzureLocal-Supportability and Validate-DCB: DCB, NetQos, Willing",
	msCmdlets:       "Microsoft, Windows PowerShell reference: modules NetAdapter, NetTCPIP, NetQos, DcbQos, SmbShare",
	msKeywords:      "Microsoft, Windows driver kit: standardized INF keywords (*JumboPacket, *FlowControl, *NetworkDirectTechnology)",
	msPS:            "Microsoft, PowerShell reference: about_Requires, about_Quoting_Rules, about_Functions",
	msHyperV:        "Microsoft, Hyper-V module: New-VMSwitch, Set-VMNetworkAdapter; Switch Embedded Teaming",
	msAdapter:       "Microsoft, MSFT_NetAdapter class: InterfaceOperationalStatus (1 is up), ReceiveLinkSpeed (bits per second), DriverProvider, DriverVersionString",
	msDeviceManager: "Microsoft, Windows support: update drivers through Device Manager; MSFT_NetAdapter class",
	document:        `the roce-100g document (004): "100G RoCEv2" (a CRS504 with RouterOS 7.17 beta)`,
}
