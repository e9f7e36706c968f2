package render

import (
	"linerate/internal/device/config"
	"linerate/internal/device/windows"
)

const (
	msDCB           config.Source = "ms-dcb"
	msCmdlets       config.Source = "ms-cmdlets"
	msKeywords      config.Source = "ms-keywords"
	msPS            config.Source = "ms-powershell"
	msHyperV        config.Source = "ms-hyper-v"
	msAdapter       config.Source = "ms-netadapter-class"
	msDeviceManager config.Source = "ms-device-manager"
	document        config.Source = "roce-100g"
	hostsFile       config.Source = "hosts(5)"
)

// Sources are the documents of this family.
var Sources = map[config.Source]string{
	msDCB: "Microsoft, azure-stack-docs (CNIC single node), Azure/AzureLocal-Supportability and " +
		"Validate-DCB: DCB, NetQos, Willing",
	msCmdlets: "Microsoft, Windows PowerShell reference: modules NetAdapter, NetTCPIP, NetQos, DcbQos, SmbShare",
	msKeywords: "Microsoft, Windows driver kit: standardized INF keywords (*JumboPacket, *FlowControl, " +
		"*NetworkDirectTechnology)",
	msPS:     "Microsoft, PowerShell reference: about_Requires, about_Quoting_Rules, about_Functions",
	msHyperV: "Microsoft, Hyper-V module: New-VMSwitch, Set-VMNetworkAdapter; Switch Embedded Teaming",
	msAdapter: "Microsoft, MSFT_NetAdapter class: InterfaceOperationalStatus (1 is up), ReceiveLinkSpeed (bits " +
		"per second), DriverProvider, DriverVersionString",
	msDeviceManager: "Microsoft, Windows support: update drivers through Device Manager; MSFT_NetAdapter class",
	document:        `the roce-100g document (004): "100G RoCEv2" (a CRS504 with RouterOS 7.17 beta)`,
}

// Renderers are the renderers of this folder's systems.
var Renderers = []config.Renderer{
	{Family: windows.System.Family, Host: Host, Sources: Sources},
}
