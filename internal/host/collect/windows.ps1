# What linerate reads of a host with Windows. Every command in the table below gets something and changes nothing; none needs
# more than an ordinary user, and what needs an administrator is said to be unknown. It prints one JSON object.
# By hand, from a command prompt: powershell -NoProfile -ExecutionPolicy Bypass -File windows.ps1 > windows.json
# That file, as DIR/HOST/windows.json, is read by linerate facts --snapshots DIR and linerate check --snapshots DIR.
$ProgressPreference = 'SilentlyContinue'
$limit = 15000
$most = 512
$clock = [Diagnostics.Stopwatch]::StartNew()
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false

# Name, what is run, and the properties that are kept; none: the text is kept as it is printed.
$table = @(
    @('Get-CimInstance Win32_OperatingSystem', 'Get-CimInstance -ClassName Win32_OperatingSystem', 'Caption Version BuildNumber OperatingSystemSKU TotalVisibleMemorySize'),
    @('Get-CimInstance Win32_Processor', 'Get-CimInstance -ClassName Win32_Processor', 'Name NumberOfCores NumberOfLogicalProcessors MaxClockSpeed'),
    @('Get-ItemProperty CurrentVersion', 'Get-ItemProperty -Path ''HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion''', 'EditionID ProductName CurrentBuildNumber'),
    @('powercfg /getactivescheme', 'powercfg.exe /getactivescheme', ''),
    @('Get-NetAdapter', 'Get-NetAdapter', 'Name InterfaceDescription InterfaceIndex Status MacAddress ReceiveLinkSpeed LinkSpeed FullDuplex MtuSize Virtual DriverFileName DriverVersion DriverProvider DriverDate VlanID'),
    @('Get-NetAdapterHardwareInfo', 'Get-NetAdapterHardwareInfo', 'Name Segment Bus Device Function Slot NumaNode PcieLinkSpeed PciExpressCurrentLinkSpeedEncoded PciExpressCurrentLinkWidth PciExpressMaxLinkSpeedEncoded PciExpressMaxLinkWidth PciExpressCurrentPayloadSize PciExpressMaxPayloadSize'),
    @('Get-PnpDeviceProperty', 'Get-BusDevice', 'InstanceId Parent BusNumber Address CurrentLinkSpeed CurrentLinkWidth MaxLinkSpeed MaxLinkWidth BaseClass SubClass Vendor Device FriendlyName'),
    @('Get-NetAdapterAdvancedProperty', 'Get-NetAdapterAdvancedProperty -AllProperties | Where-Object { $_.RegistryKeyword -like ''`**'' -or $_.RegistryKeyword -eq ''VlanID'' }', 'Name DisplayName DisplayValue RegistryKeyword RegistryValue'),
    @('Get-NetAdapterRss', 'Get-NetAdapterRss', 'Name InterfaceDescription Enabled NumberOfReceiveQueues Profile BaseProcessorGroup BaseProcessorNumber MaxProcessorNumber MaxProcessors'),
    @('Get-NetAdapterRsc', 'Get-NetAdapterRsc', 'Name IPv4Enabled IPv6Enabled IPv4OperationalState IPv6OperationalState IPv4FailureReason IPv6FailureReason'),
    @('Get-NetAdapterLso', 'Get-NetAdapterLso', 'Name V1IPv4Enabled IPv4Enabled IPv6Enabled'),
    @('Get-NetAdapterChecksumOffload', 'Get-NetAdapterChecksumOffload', 'Name IpIPv4Enabled TcpIPv4Enabled TcpIPv6Enabled UdpIPv4Enabled UdpIPv6Enabled'),
    @('Get-NetAdapterRdma', 'Get-NetAdapterRdma | Select-Object -Property *, @{ Name = ''Technology''; Expression = { $_.RdmaAdapterInfo.RdmaTechnology } }', 'Name InterfaceDescription Enabled Operational PFC ETS RdmaTechnology Technology'),
    @('Get-NetAdapterQos', 'Get-NetAdapterQos | Format-List | Out-String -Width 200', ''),
    @('Get-NetAdapterSriov', 'Get-NetAdapterSriov', 'Name Enabled SriovSupport NumVFs'),
    @('Get-NetAdapterSriovVf', 'Get-NetAdapterSriovVf', 'Name FunctionID VPortID CurrentMacAddress PermanentMacAddress VmFriendlyName'),
    @('Get-NetAdapterVmq', 'Get-NetAdapterVmq', 'Name Enabled NumberOfReceiveQueues BaseVmqProcessor MaxProcessors'),
    @('Get-NetAdapterStatistics', 'Get-NetAdapterStatistics', 'Name ReceivedBytes ReceivedUnicastPackets ReceivedMulticastPackets ReceivedBroadcastPackets ReceivedDiscardedPackets ReceivedPacketErrors SentBytes SentUnicastPackets SentMulticastPackets SentBroadcastPackets OutboundDiscardedPackets OutboundPacketErrors'),
    @('Get-NetIPAddress', 'Get-NetIPAddress', 'InterfaceAlias InterfaceIndex IPAddress PrefixLength AddressFamily AddressState'),
    @('Get-NetIPInterface', 'Get-NetIPInterface', 'InterfaceAlias InterfaceIndex AddressFamily NlMtu Dhcp InterfaceMetric ConnectionState'),
    @('Get-NetRoute', 'Get-NetRoute', 'InterfaceAlias InterfaceIndex DestinationPrefix NextHop RouteMetric InterfaceMetric'),
    @('Get-NetTCPSetting', 'Get-NetTCPSetting', 'SettingName AutoTuningLevelLocal AutoTuningLevelGroupPolicy AutoTuningLevelEffective CongestionProvider EcnCapability Timestamps ScalingHeuristics'),
    @('netstat -s', 'netstat.exe -s', ''),
    @('netsh int tcp show global', 'netsh.exe int tcp show global', ''),
    @('Get-NetOffloadGlobalSetting', 'Get-NetOffloadGlobalSetting', 'ReceiveSideScaling ReceiveSegmentCoalescing TaskOffload NetworkDirect NetworkDirectAcrossIPSubnets PacketCoalescingFilter'),
    @('Get-NetQosPolicy', 'Get-NetQosPolicy', 'Name NetworkProfile Precedence Template NetDirectPort AppPathName IPDstPrefix PriorityValue DSCPValue MinBandwidthWeight ThrottleRate'),
    @('Get-NetQosFlowControl', 'Get-NetQosFlowControl', 'Priority Enabled PolicySet IfIndex IfAlias'),
    @('Get-NetQosTrafficClass', 'Get-NetQosTrafficClass', 'Name Algorithm BandwidthPercentage Priority PolicySet IfAlias'),
    @('Get-NetQosDcbxSetting', 'Get-NetQosDcbxSetting', 'Willing PolicySet IfIndex IfAlias'),
    @('Get-NetLldpAgent', 'Get-NetLldpAgent', 'Name Scope AdminStatus OperStatus'),
    @('Get-SmbServerNetworkInterface', 'Get-SmbServerNetworkInterface', 'ScopeName FriendlyName InterfaceIndex RssCapable RdmaCapable LinkSpeed IpAddress'),
    @('Get-SmbClientNetworkInterface', 'Get-SmbClientNetworkInterface', 'FriendlyName InterfaceIndex RssCapable RdmaCapable LinkSpeed IpAddresses'),
    @('Get-SmbMultichannelConnection', 'Get-SmbMultichannelConnection -IncludeNotSelected', 'ServerName Selected Failed ClientIpAddress ServerIpAddress ClientInterfaceIndex ServerInterfaceIndex ClientRSSCapable ClientRdmaCapable ServerRSSCapable ServerRdmaCapable RdmaConnectionCount TcpConnectionCount'),
    @('Get-SmbConnection', 'Get-SmbConnection', 'ServerName ShareName Dialect NumOpens Encrypted Signed'),
    @('Get-SmbClientConfiguration', 'Get-SmbClientConfiguration', 'EnableMultiChannel RequireSecuritySignature RequireEncryption EnableBandwidthThrottling ConnectionCountPerRssNetworkInterface ConnectionCountPerRdmaNetworkInterface Smb2DialectMin Smb2DialectMax'),
    @('Get-SmbServerConfiguration', 'Get-SmbServerConfiguration', 'EnableMultiChannel RequireSecuritySignature EncryptData RejectUnencryptedAccess Smb2DialectMin Smb2DialectMax'),
    @('Get-ItemProperty LanmanWorkstation', 'Get-ItemProperty -Path HKLM:\SYSTEM\CurrentControlSet\Services\LanmanWorkstation\Parameters', 'MinSMB2Dialect MaxSMB2Dialect ConnectionCountPerRdmaNetworkInterface'),
    @('Get-WindowsOptionalFeature', 'Get-WindowsOptionalFeature -Online -FeatureName SMBDirect', 'FeatureName State'),
    @('Get-VMNetworkAdapter', 'Get-VMNetworkAdapter -ManagementOS', 'Name SwitchName VrssEnabled VrssEnabledRequested VmmqEnabled VmmqQueuePairs VmmqQueuePairsRequested'),
    @('Get-VMNetworkAdapter -VMName *', 'Get-VMNetworkAdapter -VMName * | Select-Object -Property *, @{ Name = ''Vlan''; Expression = { $_.VlanSetting.AccessVlanId } }, @{ Name = ''VlanMode''; Expression = { $_.VlanSetting.OperationMode } }', 'Name VMName SwitchName MacAddress MacAddressSpoofing IovWeight IovUsage Vlan VlanMode'),
    @('Get-VMSwitch', 'Get-VMSwitch', 'Name SwitchType EmbeddedTeamingEnabled NetAdapterInterfaceDescriptions IovEnabled'),
    @('Get-NetLbfoTeam', 'Get-NetLbfoTeam', 'Name Members TeamNics TeamingMode LoadBalancingAlgorithm Status'),
    @('Get-ClusterNetwork', 'Get-ClusterNetwork', 'Name State Role Metric'),
    @('Get-PhysicalDisk', 'Get-PhysicalDisk', 'DeviceId FriendlyName MediaType BusType Size HealthStatus OperationalStatus'),
    @('Get-IscsiSession', 'Get-IscsiSession', 'TargetNodeAddress SessionIdentifier IsConnected NumberOfConnections IsDataDigest IsHeaderDigest IsMultipathEnabled'),
    @('Get-IscsiConnection', 'Get-IscsiSession | ForEach-Object { $s = $_; Get-IscsiConnection -iSCSISession $s | Select-Object -Property *, @{ Name = ''SessionIdentifier''; Expression = { $s.SessionIdentifier } } }', 'SessionIdentifier ConnectionIdentifier InitiatorAddress TargetAddress TargetPortNumber')
)

# What runs one line of the table.
$worker = @'
param([string]$Command, [string]$Names, [int]$Most)
$ProgressPreference = 'SilentlyContinue'
# The NICs and the bridges above them, without their serial numbers: each device has a number in place of its instance path.
function Get-BusDevice {
    $keys = 'Device_Parent', 'Device_BusNumber', 'Device_Address', 'PciDevice_CurrentLinkSpeed', 'PciDevice_CurrentLinkWidth', 'PciDevice_MaxLinkSpeed', 'PciDevice_MaxLinkWidth', 'PciDevice_BaseClass', 'PciDevice_SubClass', 'Device_DeviceDesc' | ForEach-Object { 'DEVPKEY_' + $_ }
    $number = @{}
    $done = @{}
    foreach ($id in @(Get-NetAdapter -Physical | ForEach-Object { $_.PnPDeviceID })) {
        while ($id -like 'PCI\*' -and -not $done.ContainsKey($id) -and $done.Count -lt 48) {
            $done[$id] = $true
            $p = @{}
            Get-PnpDeviceProperty -InstanceId $id -KeyName $keys | ForEach-Object { $p[$_.KeyName.Substring(8)] = $_.Data }
            $above = [string]$p['Device_Parent']
            foreach ($d in $id, $above) { if (-not $number.ContainsKey($d)) { $number[$d] = $number.Count + 1 } }
            $ids = [regex]::Match($id, 'VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})')
            [pscustomobject]@{
                InstanceId = $number[$id]; Parent = $number[$above]; BusNumber = $p['Device_BusNumber']; Address = $p['Device_Address']
                CurrentLinkSpeed = $p['PciDevice_CurrentLinkSpeed']; CurrentLinkWidth = $p['PciDevice_CurrentLinkWidth']
                MaxLinkSpeed = $p['PciDevice_MaxLinkSpeed']; MaxLinkWidth = $p['PciDevice_MaxLinkWidth']
                BaseClass = $p['PciDevice_BaseClass']; SubClass = $p['PciDevice_SubClass']
                Vendor = $ids.Groups[1].Value; Device = $ids.Groups[2].Value; FriendlyName = $p['Device_DeviceDesc']
            }
            $id = $above
        }
    }
}
$found = @(& ([scriptblock]::Create($Command)) | Select-Object -First $Most)
if ($Names -eq '') { $found | ForEach-Object { [string]$_ }; return }
foreach ($o in $found) {
    $row = [ordered]@{}
    foreach ($n in $Names.Split(' ')) {
        $v = $o.$n
        if ($null -eq $v) { $row[$n] = $null }
        elseif ($v -is [array]) { $row[$n] = (@($v | ForEach-Object { [string]$_ }) -join ', ') }
        else { $row[$n] = [string]$v }
    }
    [pscustomobject]$row
}
'@

# Why a command gave nothing; empty: it has nothing to give.
function Get-Reason($Record) {
    $id = [string]$Record.FullyQualifiedErrorId
    if ($id -like 'CmdletizationQuery_NotFound*') { return '' }
    if ($id -like 'CommandNotFound*') { return 'this Windows has no such command' }
    if ([string]$Record.CategoryInfo.Category -eq 'PermissionDenied') { return 'this user may not read it: ' + $Record.ToString() }
    return $Record.ToString()
}

$pool = [runspacefactory]::CreateRunspacePool(1, 4)
$pool.Open()
$jobs = @(foreach ($line in $table) {
    $shell = [powershell]::Create()
    $shell.RunspacePool = $pool
    [void]$shell.AddScript($worker).AddArgument($line[1]).AddArgument($line[2]).AddArgument($most)
    @{ Name = $line[0]; Keep = $line[2]; Shell = $shell; Wait = $shell.BeginInvoke() }
})
$stuck = $false
$commands = @(foreach ($job in $jobs) {
    $out = [ordered]@{ name = $job.Name }
    $found = @()
    $reason = ''
    try {
        $left = [int][Math]::Max(1, $limit - $clock.ElapsedMilliseconds)
        if ($job.Wait.AsyncWaitHandle.WaitOne($left)) {
            $found = @($job.Shell.EndInvoke($job.Wait))
            if ($found.Count -eq 0 -and $job.Shell.Streams.Error.Count -gt 0) { $reason = Get-Reason $job.Shell.Streams.Error[0] }
        }
        else {
            $stuck = $true
            $reason = "it did not answer within $($limit / 1000) s"
        }
    }
    catch {
        $record = $_
        if ($null -ne $record.Exception.InnerException -and $null -ne $record.Exception.InnerException.ErrorRecord) { $record = $record.Exception.InnerException.ErrorRecord }
        $reason = Get-Reason $record
    }
    if ($reason -ne '') { $out['reason'] = $reason }
    elseif ($job.Keep -ne '') { $out['objects'] = @($found) }
    else { $out['text'] = @(($found -join "`n") -split "`r?`n") }
    $out
})
$result = [ordered]@{ schema = 'linerate/windows/1'; milliseconds = [string]$clock.ElapsedMilliseconds; commands = $commands }
[Console]::Out.WriteLine((ConvertTo-Json -InputObject $result -Depth 6))
if ($stuck) { [Console]::Out.Flush(); [Environment]::Exit(0) }
