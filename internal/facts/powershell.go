package facts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"linerate/internal/base/lazyregexp"
)

// cmdlet is how the objects of a cmdlet become facts.
type cmdlet struct {
	name string
	keys []string // properties that its objects have and those of no other; nil: they are known by the command alone
	read func(f *Facts, o *psObject)
}

// readPS makes a reader of the output of a cmdlet, as text or as JSON. Objects that are plainly another cmdlet's are read as
// that one's: what is kept under one name is often a whole session.
func readPS(of string) func(f *Facts, args []string, text []byte) error {
	return func(f *Facts, _ []string, text []byte) error {
		objects, err := psObjects(text)
		if err != nil {
			return err
		}
		return f.takePS(of, objects)
	}
}

// psWrittenAsJSON is how JSON begins, and nothing else that PowerShell prints.
var psWrittenAsJSON = lazyregexp.New(`^\s*[\[{]\s*["\[{}\]]`)

// psObjects reads JSON whole, so that a cut one is said to be cut, else text.
func psObjects(text []byte) ([]psObject, error) {
	if psWrittenAsJSON.Match(text) {
		return parsePSJSON(text)
	}
	return parsePS(string(text)), nil
}

// takePS gives each object to the reader of its cmdlet. The error is that there was none for any.
func (f *Facts) takePS(of string, objects []psObject) error {
	taken := 0
	for i := range objects {
		o := &objects[i]
		if c := cmdletOf(o, of); c != nil {
			c.read(f, o)
			taken++
		}
	}
	switch {
	case taken > 0:
		return nil
	case len(objects) == 0:
		return errors.New("there is neither a table, a list nor JSON in it, as PowerShell prints them")
	}
	var names []string
	for _, p := range objects[0].props[:min(5, len(objects[0].props))] {
		names = append(names, p.name)
	}
	return fmt.Errorf("no parser for objects with %s", shortened(strings.Join(names, ", ")))
}

// about are properties of which one is in every object that is taken for what it stands below: a message of an error has none.
var about = []string{"Name", "InterfaceAlias", "ifAlias", "EnableMultiChannel", "RequireSecuritySignature"}

// cmdletOf is whose object it is: by what only one has, else by the command that it stands below, else by that of the source.
func cmdletOf(o *psObject, source string) *cmdlet {
	table := cmdlets()
	for i := range table {
		if c := &table[i]; c.keys != nil && o.hasKeys(c.keys) {
			return c
		}
	}
	for _, name := range []string{o.command, source} {
		if name == "" {
			continue
		}
		for i := range table {
			if strings.EqualFold(table[i].name, name) && o.prop(slices.Concat(table[i].keys, about)...) != nil {
				return &table[i]
			}
		}
		if name == o.command && psCmdlet.MatchString(name) {
			return nil // of another one, which nobody reads
		}
	}
	return nil
}

// cmdlets are those that are read. Their properties: https://learn.microsoft.com/powershell/module (NetAdapter, NetTCPIP,
// NetQos, DcbQos, SmbShare, Hyper-V, FailoverClusters, Storage, iSCSI) and the classes MSFT_* of ROOT\StandardCimv2. The more an object has,
// the earlier it has to be asked for.
var cmdlets = sync.OnceValue(func() []cmdlet {
	table := []cmdlet{
		{"Get-NetAdapterHardwareInfo", []string{"PcieLinkSpeed"}, takeHardwareInfo},
		{"Get-NetAdapterHardwareInfo", []string{"PciExpressCurrentLinkWidth"}, takeHardwareInfo},
		{"Get-NetAdapterRss", []string{"NumberOfReceiveQueues", "Profile"}, takeRSS},
		{"Get-NetAdapterRdma", []string{"Name", "PFC", "ETS"}, takeRDMA},
		{"Get-NetAdapterRdma", []string{"RdmaTechnology"}, takeRDMA},
		{"Get-NetAdapterQos", []string{"Enabled", "Capabilities"}, takeAdapterQos},
		{"Get-NetAdapterQos", []string{"Enabled", "OperationalFlowControl"}, takeAdapterQos},
		{"Get-NetAdapterRsc", []string{"IPv4OperationalState"}, takeRSC},
		{"Get-NetAdapterLso", []string{"V1IPv4Enabled"}, takeLSO},
		{"Get-NetAdapterChecksumOffload", []string{"TcpIPv4Enabled", "UdpIPv4Enabled"}, takeChecksum},
		{"Get-NetAdapterChecksumOffload", []string{"TcpIPv4", "UdpIPv4"}, takeChecksum},
		{"Get-NetAdapterStatistics", []string{"ReceivedBytes", "SentBytes"}, takeStatistics},
		{"Get-NetAdapterAdvancedProperty", []string{"RegistryKeyword"}, takeKeyword},
		{"Get-NetAdapter", []string{"InterfaceDescription", "Status"}, takeAdapter},
		{"Get-NetAdapter", []string{"DriverVersion", "DriverName"}, takeAdapter},
		{"Get-NetAdapter", nil, takeAdapter},
		{"Get-NetAdapterSriov", []string{"SriovSupport", "NumVFs"}, takeSRIOV},
		{"Get-NetAdapterSriovVf", []string{"FunctionID", "CurrentMacAddress"}, takeFunction},
		{"Get-NetAdapterSriovVf", []string{"FunctionID", "VPortID"}, takeFunction},
		{"Get-NetIPAddress", []string{"IPAddress", "PrefixLength"}, takeIPAddress},
		{"Get-NetIPInterface", []string{"NlMtu"}, takeIPInterface},
		{"Get-NetIPInterface", []string{"NlMtu(Bytes)"}, takeIPInterface},
		{"Get-NetRoute", []string{"DestinationPrefix", "NextHop"}, takeRoute},
		{"Get-NetTCPSetting", []string{"SettingName"}, takeTCPSetting},
		{"Get-NetOffloadGlobalSetting", []string{"ReceiveSideScaling", "NetworkDirect"}, takeOffloadGlobal},
		{"Get-NetQosTrafficClass", []string{"Algorithm", "Priority"}, takeTrafficClass},
		{"Get-NetQosFlowControl", []string{"Priority", "Enabled"}, takeFlowControl},
		{"Get-NetQosDcbxSetting", []string{"Willing"}, takeDcbx},
		{"Get-NetQosPolicy", []string{"NetworkProfile", "Precedence"}, takeQosPolicy},
		{"Get-NetQosPolicy", []string{"PriorityValue"}, takeQosPolicy},
		{"Get-NetLldpAgent", []string{"Scope", "AdminStatus"}, takeLldpAgent},
		{"Get-SmbMultichannelConnection", []string{"ServerName", "Selected"}, takeChannel},
		{"Get-SmbMultichannelConnection", []string{"ServerIpAddress", "ClientRdmaCapable"}, takeChannel},
		{"Get-SmbServerNetworkInterface", []string{"ScopeName", "RdmaCapable"}, takeSMBInterface},
		{"Get-SmbClientNetworkInterface", []string{"FriendlyName", "RdmaCapable"}, takeSMBInterface},
		{"Get-SmbConnection", []string{"ServerName", "Dialect"}, takeConnection},
		{"Get-SmbServerConfiguration", []string{"EncryptData"}, takeSMBServer},
		{"Get-SmbClientConfiguration", []string{"EnableBandwidthThrottling"}, takeSMBClient},
		{"Get-SmbServerConfiguration", nil, takeSMBServer},
		{"Get-SmbClientConfiguration", nil, takeSMBClient},
		{"Get-WindowsOptionalFeature", []string{"FeatureName", "State"}, takeFeature},
		{"Get-VMNetworkAdapter", []string{"VrssEnabled"}, takeVMAdapter},
		{"Get-VMNetworkAdapter", []string{"VmmqQueuePairs"}, takeVMAdapter},
		{"Get-VMNetworkAdapter", []string{"VMName", "SwitchName", "MacAddress"}, takeMachineAdapter},
		{"Get-VMSwitch", []string{"SwitchType", "IovEnabled"}, takeVMSwitch},
		{"Get-VMSwitch", []string{"Name", "SwitchType", "NetAdapterInterfaceDescription"}, takeVMSwitch},
		{"Get-PhysicalDisk", []string{"FriendlyName", "CanPool", "HealthStatus"}, takeDisk},
		{"Get-PhysicalDisk", []string{"FriendlyName", "MediaType", "HealthStatus"}, takeDisk},
		{"Get-IscsiSession", []string{"TargetNodeAddress", "NumberOfConnections"}, takeSession},
		{"Get-IscsiConnection", []string{"ConnectionIdentifier", "TargetPortNumber"}, takeISCSIConnection},
		{"Get-ClusterNetwork", nil, takeClusterNetwork},
		{"Get-PnpDeviceProperty", []string{"InstanceId", "MaxLinkWidth"}, takeBusDevice},
		{"Get-ItemProperty", []string{"EditionID"}, takeComputer},
		{"Get-ItemProperty", []string{"MaxSMB2Dialect"}, takeDialects},
		{"Get-ComputerInfo", []string{"WindowsProductName"}, takeComputer},
		{"Get-CimInstance", []string{"Name", "NumberOfLogicalProcessors"}, takeProcessor},
		{"Get-CimInstance", []string{"Caption", "BuildNumber"}, takeComputer},
	}
	for i := range table {
		for j, key := range table[i].keys {
			table[i].keys[j] = psKey(key)
		}
	}
	return table
})

// readWindowsScript reads what windows.ps1 prints: each command's objects, or why there are none.
func readWindowsScript(f *Facts, _ []string, text []byte) error {
	commands, err := parseWindowsScript(text)
	if err != nil {
		return err
	}
	reading := f.reading
	defer func() { f.reading = reading }()
	for _, c := range commands {
		f.reading = c.name
		switch {
		case c.reason != "":
			f.Unknown = append(f.Unknown, Unknown{c.name, c.reason})
		case c.text != "":
			if err := readWindowsText(c.name)(f, nil, []byte(c.text)); err != nil {
				f.Unknown = append(f.Unknown, Unknown{c.name, oneLine(err.Error())})
			}
		case len(c.objects) > 0:
			for i := range c.objects {
				if t := cmdletOf(&c.objects[i], c.name); t != nil {
					t.read(f, &c.objects[i])
				}
			}
		default:
			f.none(c.name)
		}
	}
	return nil
}

// readWindowsText is the reader of a command of the script whose output is text.
func readWindowsText(command string) func(f *Facts, args []string, text []byte) error {
	switch command {
	case "netsh int tcp show global":
		return readNetshGlobal
	case "powercfg /getactivescheme":
		return readPowerPlan
	case "netstat -s":
		return readNetstatWindows
	}
	return readPS(command)
}

// none keeps that a whole answer was empty, where that says something.
func (f *Facts) none(command string) {
	switch command {
	case "Get-SmbMultichannelConnection":
		if s := f.smb(); s.Channels == nil {
			s.Channels = []SMBChannel{}
		}
	case "Get-SmbConnection":
		if s := f.smb(); s.Connections == nil {
			s.Connections = []SMBConnection{}
		}
	}
}
