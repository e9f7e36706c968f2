# node1 of the fabric eval-25g: verify
@@ 8 lines of eval-25g-node1/undo.ps1, from line 1 of: #Requires -Version 5.1
$bad = 0
$unknown = 0
function Check([string]$Wrong, [scriptblock]$Test) {
    try { $ok = [bool](& $Test) } catch { Write-Host "not known whether ${Wrong}: $_"; $script:unknown++; return }
    if (-not $ok) { Write-Host "not as planned: $Wrong"; $script:bad++ }
}
function Get-Property([string]$Adapter, [string]$Keyword) {
    $found = @(Get-NetAdapterAdvancedProperty -Name $Adapter -AllProperties | Where-Object { $_.RegistryKeyword -eq $Keyword })
    if ($found.Count -eq 0) { return $null }
    return [string]@($found[0].RegistryValue)[0]
}
$nic_ql_1 = $state['adapter node1.ql.1']
$nic_ql_2 = $state['adapter node1.ql.2']
$nic_team = 'vEthernet (team)'
Check 'Data Center Bridging is not installed' { [bool](Get-Command -Name Get-NetQosFlowControl -ErrorAction SilentlyContinue) }
Check 'node1.ql.1: *JumboPacket is not 1514' { (Get-Property $nic_ql_1 '*JumboPacket') -eq '1514' }
Check 'node1.ql.1: pause of the whole link is on' { (Get-Property $nic_ql_1 '*FlowControl') -eq '0' }
Check 'node1.ql.1: NetworkDirect Technology is not rocev2' { (Get-Property $nic_ql_1 '*NetworkDirectTechnology') -eq '4' }
Check 'node1.ql.1: RDMA is off' { (Get-NetAdapterRdma -Name $nic_ql_1).Enabled }
Check 'node1.ql.1: the link is down: look at cable C4 at both ends, and whether sw.4 is on and set up' { (Get-NetAdapter -Name $nic_ql_1).InterfaceOperationalStatus -eq 1 }
Check 'node1.ql.1: the link is slower than 25.0 Gb/s' { (Get-NetAdapter -Name $nic_ql_1).ReceiveLinkSpeed -ge 25000000000 }
Check 'node1.ql.2: *JumboPacket is not 1514' { (Get-Property $nic_ql_2 '*JumboPacket') -eq '1514' }
Check 'node1.ql.2: pause of the whole link is on' { (Get-Property $nic_ql_2 '*FlowControl') -eq '0' }
Check 'node1.ql.2: NetworkDirect Technology is not rocev2' { (Get-Property $nic_ql_2 '*NetworkDirectTechnology') -eq '4' }
Check 'node1.ql.2: RDMA is off' { (Get-NetAdapterRdma -Name $nic_ql_2).Enabled }
Check 'node1.ql.2: the link is down: look at cable C5 at both ends, and whether sw.5 is on and set up' { (Get-NetAdapter -Name $nic_ql_2).InterfaceOperationalStatus -eq 1 }
Check 'node1.ql.2: the link is slower than 25.0 Gb/s' { (Get-NetAdapter -Name $nic_ql_2).ReceiveLinkSpeed -ge 25000000000 }
Check 'bond team is not there' { @(Get-VMSwitch -Name 'team' -ErrorAction SilentlyContinue | Where-Object { $_.EmbeddedTeamingEnabled }).Count -gt 0 }
Check 'node1.team: RDMA is off' { (Get-NetAdapterRdma -Name $nic_team).Enabled }
Check 'node1.team: DHCP is on' { [string](Get-NetIPInterface -InterfaceAlias $nic_team -AddressFamily IPv4).Dhcp -eq 'Disabled' }
Check 'node1.team: address 10.40.3.1/24 is not there' { @(Get-NetIPAddress -IPAddress '10.40.3.1' -ErrorAction SilentlyContinue | Where-Object { $_.PrefixLength -eq 24 }).Count -gt 0 }
Check 'node1.team: the interface''s MTU is below 1500' { (Get-NetIPAddress -IPAddress '10.40.3.1' | Get-NetIPInterface -AddressFamily IPv4).NlMtu -ge 1500 }
Check 'NetworkDirect is off' { [string](Get-NetOffloadGlobalSetting).NetworkDirect -eq 'Enabled' }
Check 'node1.team: SMB does not see an adapter that can do RDMA' { @(Get-SmbClientNetworkInterface | Where-Object { $_.FriendlyName -eq $nic_team -and $_.RdmaCapable }).Count -gt 0 }
Check 'Willing is true' { -not (Get-NetQosDcbxSetting).Willing }
Check 'class roce has no policy with priority 3' { @(Get-NetQosPolicy -Name 'roce' -ErrorAction SilentlyContinue | Where-Object { [int]$_.PriorityValue8021Action -eq 3 }).Count -gt 0 }
Check 'class roce does not have 50 % by ETS' { @(Get-NetQosTrafficClass -Name 'roce' -ErrorAction SilentlyContinue | Where-Object { $_.BandwidthPercentage -eq 50 -and [string]$_.Algorithm -eq 'ETS' }).Count -gt 0 }
Check 'PFC is not on for priority 3 alone' { (@(Get-NetQosFlowControl | Where-Object { $_.Enabled } | ForEach-Object { [int]$_.Priority } | Sort-Object) -join ',') -eq '3' }
Check 'node1.ql.1: PFC is not in effect; look at OperationalFlowControl in Get-NetAdapterQos' { [string](Get-NetAdapterQos -Name $nic_ql_1 | Out-String) -match 'OperationalFlowControl\s*:\s*Priority 3 Enabled' }
Check 'node1.ql.2: PFC is not in effect; look at OperationalFlowControl in Get-NetAdapterQos' { [string](Get-NetAdapterQos -Name $nic_ql_2 | Out-String) -match 'OperationalFlowControl\s*:\s*Priority 3 Enabled' }
Check 'node1.ql.1: QoS is off' { (Get-NetAdapterQos -Name $nic_ql_1).Enabled }
Check 'node1.ql.1: Willing is true' { -not (Get-NetQosDcbxSetting -InterfaceAlias $nic_ql_1).Willing }
Check 'node1.ql.2: QoS is off' { (Get-NetAdapterQos -Name $nic_ql_2).Enabled }
Check 'node1.ql.2: Willing is true' { -not (Get-NetQosDcbxSetting -InterfaceAlias $nic_ql_2).Willing }
if ($bad -gt 0) { exit 1 }
if ($unknown -gt 0) { exit 3 }
Write-Host 'as planned'
exit 0
