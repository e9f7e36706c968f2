# node1 of the fabric eval-25g: apply
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\node1.json'
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
$nic_ql_1 = Find-Port 'node1.ql.1' @('VEN_1077&DEV_8070', 'VEN_1077&DEV_8084') 2 0
$nic_ql_2 = Find-Port 'node1.ql.2' @('VEN_1077&DEV_8070', 'VEN_1077&DEV_8084') 2 1
$chosen = [ordered]@{ 'node1.ql.1' = $nic_ql_1; 'node1.ql.2' = $nic_ql_2 }
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
# what is there now, for undo.ps1; a second apply keeps what the first one found
Keep 'adapter node1.ql.1' $nic_ql_1
Keep 'adapter node1.ql.2' $nic_ql_2
Keep 'dcb' ([bool](Get-WindowsFeature -Name Data-Center-Bridging).Installed)
Save
$restart = $false
if (-not (Get-WindowsFeature -Name Data-Center-Bridging).Installed) { if ((Install-WindowsFeature -Name Data-Center-Bridging -IncludeManagementTools).RestartNeeded -ne 'No') { $restart = $true } }
if ($restart) { Write-Host 'restart this machine, then run apply.ps1 again: so far only features were turned on'; exit 3010 }
Keep '*JumboPacket node1.ql.1' (Get-Property $nic_ql_1 '*JumboPacket')
Keep '*FlowControl node1.ql.1' (Get-Property $nic_ql_1 '*FlowControl')
Keep '*NetworkDirectTechnology node1.ql.1' (Get-Property $nic_ql_1 '*NetworkDirectTechnology')
Keep 'rdma node1.ql.1' ([bool](Get-NetAdapterRdma -Name $nic_ql_1).Enabled)
Keep '*JumboPacket node1.ql.2' (Get-Property $nic_ql_2 '*JumboPacket')
Keep '*FlowControl node1.ql.2' (Get-Property $nic_ql_2 '*FlowControl')
Keep '*NetworkDirectTechnology node1.ql.2' (Get-Property $nic_ql_2 '*NetworkDirectTechnology')
Keep 'rdma node1.ql.2' ([bool](Get-NetAdapterRdma -Name $nic_ql_2).Enabled)
Keep 'team team' (@(Get-VMSwitch -Name 'team' -ErrorAction SilentlyContinue).Count -gt 0)
Keep 'dhcp node1.team' (Get-NetIPInterface -InterfaceAlias 'vEthernet (team)' -AddressFamily IPv4 -ErrorAction SilentlyContinue | ForEach-Object { [string]$_.Dhcp })
Keep 'address node1.team' (@(Get-NetIPAddress -IPAddress '10.40.3.1' -ErrorAction SilentlyContinue).Count -gt 0)
Keep 'networkdirect' ([string](Get-NetOffloadGlobalSetting).NetworkDirect)
Keep 'willing' ([bool](Get-NetQosDcbxSetting).Willing)
if (@(Get-NetQosTrafficClass | Where-Object { $_.Name -ne '[Default]' -and $_.Name -ne 'roce' -and @($_.Priority) -contains 3 }).Count -gt 0) { throw 'nothing was changed: another traffic class has priority 3; see Get-NetQosTrafficClass, take it away with Remove-NetQosTrafficClass' }
Keep 'pfc' @(Get-NetQosFlowControl | Where-Object { $_.Enabled } | ForEach-Object { [int]$_.Priority })
Keep 'qos node1.ql.1' ([bool](Get-NetAdapterQos -Name $nic_ql_1).Enabled)
Keep 'qos node1.ql.2' ([bool](Get-NetAdapterQos -Name $nic_ql_2).Enabled)
Keep 'changed' $true
Save
# from here on things are changed
Set-Property $nic_ql_1 '*JumboPacket' 1514
Set-Property $nic_ql_1 '*FlowControl' 0
Set-Property $nic_ql_1 '*NetworkDirectTechnology' 4
Enable-NetAdapterRdma -Name $nic_ql_1
Set-Property $nic_ql_2 '*JumboPacket' 1514
Set-Property $nic_ql_2 '*FlowControl' 0
Set-Property $nic_ql_2 '*NetworkDirectTechnology' 4
Enable-NetAdapterRdma -Name $nic_ql_2
if (@(Get-VMSwitch -Name 'team' -ErrorAction SilentlyContinue).Count -eq 0) { New-VMSwitch -Name 'team' -NetAdapterName @($nic_ql_1, $nic_ql_2) -EnableEmbeddedTeaming $true -AllowManagementOS $true | Out-Null }
$nic_team = 'vEthernet (team)'
Set-Property $nic_team '*JumboPacket' 1514
Enable-NetAdapterRdma -Name $nic_team
Set-NetIPInterface -InterfaceAlias $nic_team -AddressFamily IPv4 -Dhcp Disabled
if (@(Get-NetIPAddress -InterfaceAlias $nic_team -IPAddress '10.40.3.1' -ErrorAction SilentlyContinue).Count -eq 0) { New-NetIPAddress -InterfaceAlias $nic_team -IPAddress '10.40.3.1' -PrefixLength 24 | Out-Null }
Set-NetOffloadGlobalSetting -NetworkDirect Enabled
Set-NetQosDcbxSetting -Willing $false -Confirm:$false
Get-NetQosPolicy -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosPolicy -Confirm:$false
New-NetQosPolicy -Name 'roce' -NetDirectPortMatchCondition 445 -PriorityValue8021Action 3 | Out-Null
Get-NetQosTrafficClass -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosTrafficClass -Confirm:$false
New-NetQosTrafficClass -Name 'roce' -Priority 3 -BandwidthPercentage 50 -Algorithm ETS | Out-Null
Enable-NetQosFlowControl -Priority 3
Disable-NetQosFlowControl -Priority 0,1,2,4,5,6,7
Set-NetQosDcbxSetting -InterfaceAlias $nic_ql_1 -Willing $false -Confirm:$false
Enable-NetAdapterQos -Name $nic_ql_1
Set-NetQosDcbxSetting -InterfaceAlias $nic_ql_2 -Willing $false -Confirm:$false
Enable-NetAdapterQos -Name $nic_ql_2
Write-Host 'done; now verify.ps1'
