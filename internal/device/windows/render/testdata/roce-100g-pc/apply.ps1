# pc of the fabric roce-100g: apply
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\pc.json'
$smbClient = 'HKLM:\SYSTEM\CurrentControlSet\Services\LanmanWorkstation\Parameters'
$state = @{}
if (Test-Path $stateFile) { (Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value } }
function Keep([string]$Key, $Value) { if (-not $state.ContainsKey($Key)) { $state[$Key] = $Value } }
function Save { New-Item -ItemType Directory -Force (Split-Path $stateFile) | Out-Null; ConvertTo-Json -Depth 5 $state | Set-Content -Encoding UTF8 $stateFile }
function Get-Property([string]$Adapter, [string]$Keyword) {
    $found = @(Get-NetAdapterAdvancedProperty -Name $Adapter -AllProperties | Where-Object { $_.RegistryKeyword -eq $Keyword })
    if ($found.Count -eq 0) { return $null }
    return [string]@($found[0].RegistryValue)[0]
}
function Set-Property([string]$Adapter, [string]$Keyword, $Value) {
    if ($null -eq $Value) { return }
    $now = Get-Property $Adapter $Keyword
    if ($null -eq $now) { Write-Warning "$Adapter has no $Keyword in its driver; it was not set to $Value"; return }
    if ($now -ne [string]$Value) { Set-NetAdapterAdvancedProperty -Name $Adapter -RegistryKeyword $Keyword -RegistryValue $Value }
}
function Find-Port([string]$Port, [string[]]$Ids, [int]$Of, [int]$Index) {
    $found = @(Get-NetAdapter -Physical | Where-Object { $pnp = $_.PnPDeviceID; @($Ids | Where-Object { $pnp -like "PCI\$_*" }).Count -gt 0 })
    if ($found.Count -ne $Of) {
        $names = ($found | ForEach-Object { $_.Name }) -join ', '
        throw "nothing was changed: port ${Port}: $($found.Count) adapters are of its kind ($names), not $Of; below, in its line, write Get-Port '$Port' 'NAME' in place of Find-Port .., with its name from Get-NetAdapter"
    }
    $sorted = @($found | ForEach-Object { Get-NetAdapterHardwareInfo -Name $_.Name } | Sort-Object -Property 'Segment', 'Bus', 'Device', 'Function')
    return $sorted[$Index].Name
}
function Get-Port([string]$Port, [string]$Name) {
    $found = @(Get-NetAdapter | Where-Object { $_.Name -eq $Name })
    if ($found.Count -ne 1) { throw "nothing was changed: port ${Port}: there is no adapter named '$Name'; write its name, from Get-NetAdapter, into its line below" }
    return $found[0].Name
}
$nic_cx5_1 = Find-Port 'pc.cx5.1' @('VEN_15B3&DEV_1019') 2 0
$chosen = [ordered]@{ 'pc.cx5.1' = $nic_cx5_1 }
foreach ($port in @($chosen.Keys)) {
    foreach ($other in @($chosen.Keys)) {
        if ($other -ne $port -and $chosen[$other] -eq $chosen[$port]) { throw "nothing was changed: ports $port and $other have the same adapter, '$($chosen[$port])'; each needs its own" }
    }
    $before = $state["adapter $port"]
    if ($state.ContainsKey('changed') -and $null -ne $before -and $before -ne $chosen[$port]) {
        throw "nothing was changed: apply.ps1 ran before with the adapter '$before' for port ${port}, and now it is '$($chosen[$port])'; run undo.ps1 first, which puts '$before' back as it was, then apply.ps1 again"
    }
    $state.Remove("adapter $port")
}
if (@(Get-NetIPAddress -IPAddress '10.0.1.1' -ErrorAction SilentlyContinue | Where-Object { $_.InterfaceAlias -ne $nic_cx5_1 }).Count -gt 0) { throw 'nothing was changed: 10.0.1.1, the address of port pc.cx5.1, is on another adapter; Get-NetIPAddress -IPAddress 10.0.1.1 says on which: take it off there first' }
# what is there now, for undo.ps1; a second apply keeps what the first one found
Keep 'adapter pc.cx5.1' $nic_cx5_1
if (-not (Get-Command -Name Get-NetQosFlowControl -ErrorAction SilentlyContinue)) { throw 'nothing was changed: turn on Data Center Bridging in "Turn Windows features on or off", restart, and run apply.ps1 again' }
Keep 'smbdirect' ([string](Get-WindowsOptionalFeature -Online -FeatureName SMBDirect).State)
Save
$restart = $false
if ([string](Get-WindowsOptionalFeature -Online -FeatureName SMBDirect).State -ne 'Enabled') { if ((Enable-WindowsOptionalFeature -Online -FeatureName SMBDirect -NoRestart).RestartNeeded) { $restart = $true } }
if ($restart) { Write-Host 'restart this machine, then run apply.ps1 again: so far only features were turned on'; exit 3010 }
Keep '*JumboPacket pc.cx5.1' (Get-Property $nic_cx5_1 '*JumboPacket')
Keep '*FlowControl pc.cx5.1' (Get-Property $nic_cx5_1 '*FlowControl')
Keep '*NetworkDirectTechnology pc.cx5.1' (Get-Property $nic_cx5_1 '*NetworkDirectTechnology')
Keep 'rdma pc.cx5.1' ([bool](Get-NetAdapterRdma -Name $nic_cx5_1).Enabled)
Keep 'dhcp pc.cx5.1' (Get-NetIPInterface -InterfaceAlias $nic_cx5_1 -AddressFamily IPv4 -ErrorAction SilentlyContinue | ForEach-Object { [string]$_.Dhcp })
Keep 'address pc.cx5.1' (@(Get-NetIPAddress -IPAddress '10.0.1.1' -ErrorAction SilentlyContinue).Count -gt 0)
Keep 'networkdirect' ([string](Get-NetOffloadGlobalSetting).NetworkDirect)
Keep 'willing' ([bool](Get-NetQosDcbxSetting).Willing)
if (@(Get-NetQosTrafficClass | Where-Object { $_.Name -ne '[Default]' -and $_.Name -ne 'roce' -and @($_.Priority) -contains 3 }).Count -gt 0) { throw 'nothing was changed: another traffic class has priority 3; see Get-NetQosTrafficClass, take it away with Remove-NetQosTrafficClass' }
Keep 'pfc' @(Get-NetQosFlowControl | Where-Object { $_.Enabled } | ForEach-Object { [int]$_.Priority })
Keep 'qos pc.cx5.1' ([bool](Get-NetAdapterQos -Name $nic_cx5_1).Enabled)
Keep 'ecn' ([string](Get-NetTCPSetting -SettingName Internet).EcnCapability)
Keep 'acrosssubnets' ([string](Get-NetOffloadGlobalSetting).NetworkDirectAcrossIPSubnets)
Keep 'smb MinSMB2Dialect' ((Get-Item -Path $smbClient).GetValue('MinSMB2Dialect', $null))
Keep 'smb MaxSMB2Dialect' ((Get-Item -Path $smbClient).GetValue('MaxSMB2Dialect', $null))
Keep 'multichannel Server' ([bool](Get-SmbServerConfiguration).EnableMultiChannel)
Keep 'multichannel Client' ([bool](Get-SmbClientConfiguration).EnableMultiChannel)
Keep 'smb ConnectionCountPerRdmaNetworkInterface' ((Get-Item -Path $smbClient).GetValue('ConnectionCountPerRdmaNetworkInterface', $null))
Keep 'changed' $true
Save
# from here on things are changed
Set-Property $nic_cx5_1 '*JumboPacket' 9014
Set-Property $nic_cx5_1 '*FlowControl' 0
Set-Property $nic_cx5_1 '*NetworkDirectTechnology' 4
Enable-NetAdapterRdma -Name $nic_cx5_1
Set-NetIPInterface -InterfaceAlias $nic_cx5_1 -AddressFamily IPv4 -Dhcp Disabled
if (@(Get-NetIPAddress -InterfaceAlias $nic_cx5_1 -IPAddress '10.0.1.1' -ErrorAction SilentlyContinue).Count -eq 0) { New-NetIPAddress -InterfaceAlias $nic_cx5_1 -IPAddress '10.0.1.1' -PrefixLength 24 | Out-Null }
Set-NetOffloadGlobalSetting -NetworkDirect Enabled
Set-NetQosDcbxSetting -Willing $false -Confirm:$false
Get-NetQosPolicy -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosPolicy -Confirm:$false
New-NetQosPolicy -Name 'roce' -NetDirectPortMatchCondition 445 -PriorityValue8021Action 3 | Out-Null
Get-NetQosTrafficClass -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosTrafficClass -Confirm:$false
New-NetQosTrafficClass -Name 'roce' -Priority 3 -BandwidthPercentage 60 -Algorithm ETS | Out-Null
Enable-NetQosFlowControl -Priority 3
Disable-NetQosFlowControl -Priority 0,1,2,4,5,6,7
Set-NetQosDcbxSetting -InterfaceAlias $nic_cx5_1 -Willing $false -Confirm:$false
Enable-NetAdapterQos -Name $nic_cx5_1
netsh int tcp set global ecncapability=enabled | Out-Null
Set-NetOffloadGlobalSetting -NetworkDirectAcrossIPSubnets Allowed
Set-ItemProperty -Path $smbClient -Name 'MinSMB2Dialect' -Type DWord -Value 0x311
Set-ItemProperty -Path $smbClient -Name 'MaxSMB2Dialect' -Type DWord -Value 0x311
Set-SmbServerConfiguration -EnableMultiChannel $true -Confirm:$false
Set-SmbClientConfiguration -EnableMultiChannel $true -Confirm:$false
Set-ItemProperty -Path $smbClient -Name 'ConnectionCountPerRdmaNetworkInterface' -Type DWord -Value 4
Write-Host 'done; now verify.ps1'
