# win of the fabric all-families: verify
@@ 9 lines of all-families-win/undo.ps1, from line 1 of: #Requires -Version 5.1
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
$nic_cx5_1 = $state['adapter win.cx5.1']
Check 'Data Center Bridging is not installed' { [bool](Get-Command -Name Get-NetQosFlowControl -ErrorAction SilentlyContinue) }
Check 'win.cx5.1: *JumboPacket is not 9014' { (Get-Property $nic_cx5_1 '*JumboPacket') -eq '9014' }
Check 'win.cx5.1: pause of the whole link is on' { (Get-Property $nic_cx5_1 '*FlowControl') -eq '0' }
Check 'win.cx5.1: NetworkDirect Technology is not rocev2' { (Get-Property $nic_cx5_1 '*NetworkDirectTechnology') -eq '4' }
Check 'win.cx5.1: RDMA is off' { (Get-NetAdapterRdma -Name $nic_cx5_1).Enabled }
Check 'win.cx5.1: the link is down: look at cable C1 at both ends, and whether mikrotik.1 is on and set up' { (Get-NetAdapter -Name $nic_cx5_1).InterfaceOperationalStatus -eq 1 }
Check 'win.cx5.1: the link is slower than 100 Gb/s' { (Get-NetAdapter -Name $nic_cx5_1).ReceiveLinkSpeed -ge 100000000000 }
Check 'win.cx5.1: DHCP is on' { [string](Get-NetIPInterface -InterfaceAlias $nic_cx5_1 -AddressFamily IPv4).Dhcp -eq 'Disabled' }
Check 'win.cx5.1: address 10.50.1.1/24 is not there' { @(Get-NetIPAddress -IPAddress '10.50.1.1' -ErrorAction SilentlyContinue | Where-Object { $_.PrefixLength -eq 24 }).Count -gt 0 }
Check 'win.cx5.1: the interface''s MTU is below 9000' { (Get-NetIPAddress -IPAddress '10.50.1.1' | Get-NetIPInterface -AddressFamily IPv4).NlMtu -ge 9000 }
Check 'NetworkDirect is off' { [string](Get-NetOffloadGlobalSetting).NetworkDirect -eq 'Enabled' }
Check 'win.cx5.1: SMB does not see an adapter that can do RDMA' { @(Get-SmbClientNetworkInterface | Where-Object { $_.FriendlyName -eq $nic_cx5_1 -and $_.RdmaCapable }).Count -gt 0 }
Check 'Willing is true' { -not (Get-NetQosDcbxSetting).Willing }
Check 'class roce has no policy with priority 3' { @(Get-NetQosPolicy -Name 'roce' -ErrorAction SilentlyContinue | Where-Object { [int]$_.PriorityValue8021Action -eq 3 }).Count -gt 0 }
Check 'class roce does not have 60 % by ETS' { @(Get-NetQosTrafficClass -Name 'roce' -ErrorAction SilentlyContinue | Where-Object { $_.BandwidthPercentage -eq 60 -and [string]$_.Algorithm -eq 'ETS' }).Count -gt 0 }
Check 'PFC is not on for priority 3 alone' { (@(Get-NetQosFlowControl | Where-Object { $_.Enabled } | ForEach-Object { [int]$_.Priority } | Sort-Object) -join ',') -eq '3' }
Check 'win.cx5.1: PFC is not in effect; look at OperationalFlowControl in Get-NetAdapterQos' { [string](Get-NetAdapterQos -Name $nic_cx5_1 | Out-String) -match 'OperationalFlowControl\s*:\s*Priority 3 Enabled' }
Check 'win.cx5.1: QoS is off' { (Get-NetAdapterQos -Name $nic_cx5_1).Enabled }
Check 'win.cx5.1: Willing is true' { -not (Get-NetQosDcbxSetting -InterfaceAlias $nic_cx5_1).Willing }
Check 'the hosts file has no line 10.50.1.2 lin lin-cx5-1' { @(Get-Content $hostsFile) -contains '10.50.1.2 lin lin-cx5-1' }
Check 'the hosts file has no line 10.50.1.3 pve pve-cx5-1' { @(Get-Content $hostsFile) -contains '10.50.1.3 pve pve-cx5-1' }
Check 'the hosts file has no line 10.50.1.4 bsd bsd-cx5-1' { @(Get-Content $hostsFile) -contains '10.50.1.4 bsd bsd-cx5-1' }
Check 'the hosts file has no line 10.50.1.5 nas nas-cx4-1' { @(Get-Content $hostsFile) -contains '10.50.1.5 nas nas-cx4-1' }
if ($bad -gt 0) { exit 1 }
if ($unknown -gt 0) { exit 3 }
Write-Host 'as planned'
exit 0
