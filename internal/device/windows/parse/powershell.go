package parse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// cmdlet converts the objects of a cmdlet to facts.
type cmdlet struct {
	name string
	keys []string // properties that only its objects have; nil: only the command identifies them
	read func(f *parse.Builder, o *psObject)
}

// ReadPS returns a reader of the output of a cmdlet, as text or JSON. Objects that clearly belong to another cmdlet are
// read as such, because a file named after one cmdlet often has a whole session.
func ReadPS(of string) func(f *parse.Builder, args []string, text []byte) error {
	return func(f *parse.Builder, _ []string, text []byte) error {
		objects, err := psObjects(text)
		if err != nil {
			return err
		}
		return takePS(f, of, objects)
	}
}

// psWrittenAsJSON matches the start of JSON, and of no other output of PowerShell.
var psWrittenAsJSON = lazyregexp.New(`^\s*[\[{]\s*["\[{}\]]`)

// psObjects reads JSON as a whole, so that truncated JSON is reported, else text.
func psObjects(text []byte) ([]psObject, error) {
	if psWrittenAsJSON.Match(text) {
		return parsePSJSON(text)
	}
	return parsePS(string(text)), nil
}

// takePS passes each object to the reader of its cmdlet. It fails if no object has one.
func takePS(f *parse.Builder, of string, objects []psObject) error {
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

// about are properties of which every object of its command has one; an error message has none.
var about = []string{"Name", "InterfaceAlias", "ifAlias", "EnableMultiChannel", "RequireSecuritySignature"}

// cmdletOf returns the cmdlet of an object: by its unique properties, else by the command before it, else by that of
// the source.
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
			return nil // of a cmdlet without a reader
		}
	}
	return nil
}

// cmdlets are the cmdlets with readers. Their properties: https://learn.microsoft.com/powershell/module (NetAdapter,
// NetTCPIP, NetQos, DcbQos, SmbShare, Hyper-V, FailoverClusters, Storage, iSCSI) and the classes MSFT_* of
// ROOT\StandardCimv2. Objects with more properties come first, because the first match counts.
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
		{"Get-CimInstance", []string{"Name", "NumberOfLogicalProcessors"}, takeCPU},
		{"Get-CimInstance", []string{"Caption", "BuildNumber"}, takeComputer},
	}
	for i := range table {
		for j, key := range table[i].keys {
			table[i].keys[j] = psKey(key)
		}
	}
	return table
})

// ReadWindowsScript reads the output of collect's script: each command's objects, or the reason for none.
func ReadWindowsScript(f *parse.Builder, _ []string, text []byte) error {
	commands, err := ParseScript(text)
	if err != nil {
		return err
	}
	reading := f.Reading
	defer func() { f.Reading = reading }()
	for _, c := range commands {
		f.Reading = c.name
		switch {
		case c.reason != "":
			f.Unknown = append(f.Unknown, facts.Unknown{Subject: c.name, Reason: c.reason})
		case c.text != "":
			if err := readWindowsText(c.name)(f, nil, []byte(c.text)); err != nil {
				f.Unknown = append(f.Unknown, facts.Unknown{Subject: c.name, Reason: facts.OneLine(err.Error())})
			}
		case len(c.objects) > 0:
			for i := range c.objects {
				if t := cmdletOf(&c.objects[i], c.name); t != nil {
					t.read(f, &c.objects[i])
				}
			}
		default:
			none(f, c.name)
		}
	}
	return nil
}

// readWindowsText returns the reader of a command of the script with text output.
func readWindowsText(command string) func(f *parse.Builder, args []string, text []byte) error {
	switch command {
	case "netsh int tcp show global":
		return ReadNetshGlobal
	case "powercfg /getactivescheme":
		return ReadPowerPlan
	case "netstat -s":
		return ReadNetstatWindows
	}
	return ReadPS(command)
}

// none records that a complete output was empty, if that is a fact.
func none(f *parse.Builder, command string) {
	switch command {
	case "Get-SmbMultichannelConnection":
		if s := f.SMBState(); s.Channels == nil {
			s.Channels = []facts.SMBChannel{}
		}
	case "Get-SmbConnection":
		if s := f.SMBState(); s.Connections == nil {
			s.Connections = []facts.SMBConnection{}
		}
	}
}
