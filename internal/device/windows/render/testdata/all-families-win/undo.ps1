# win of the fabric all-families: undo
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\win.json'
$hostsFile = Join-Path $env:SystemRoot 'System32\drivers\etc\hosts'
$state = @{}
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was taken back" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
if (-not $state.ContainsKey('changed')) { Remove-Item $stateFile; Write-Host 'apply.ps1 had changed nothing yet; features that it turned on stay on'; exit 0 }
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
function Get-OtherLines {
    $begin = '# linerate begin all-families'
    $end = '# linerate end all-families'
    $inside = $false
    foreach ($line in @(Get-Content $hostsFile)) {
        if ($line -eq $(if ($inside) { $begin } else { $end })) { throw "nothing was changed: $hostsFile has the line '$line' without its other half, '$begin' or '$end'; take it out by hand" }
        if ($line -eq $begin) { $inside = $true } elseif ($line -eq $end) { $inside = $false } elseif (-not $inside) { $line }
    }
    if ($inside) { throw "nothing was changed: $hostsFile has the line '$begin' and no '$end' behind it; take it out by hand, and the names under it" }
}
$nic_cx5_1 = $state['adapter win.cx5.1']
Set-Content -Path $hostsFile -Value @(Get-OtherLines)
if (-not $state['qos win.cx5.1']) { Disable-NetAdapterQos -Name $nic_cx5_1 }
Disable-NetQosFlowControl -Priority 0,1,2,3,4,5,6,7
if (@($state['pfc']).Count -gt 0) { Enable-NetQosFlowControl -Priority @($state['pfc']) }
Get-NetQosTrafficClass -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosTrafficClass -Confirm:$false
Get-NetQosPolicy -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosPolicy -Confirm:$false
Set-NetQosDcbxSetting -Willing $state['willing'] -Confirm:$false
Set-NetOffloadGlobalSetting -NetworkDirect $state['networkdirect']
if (-not $state['address win.cx5.1']) { Get-NetIPAddress -IPAddress '10.50.1.1' -ErrorAction SilentlyContinue | Remove-NetIPAddress -Confirm:$false }
if ($state['dhcp win.cx5.1'] -eq 'Enabled') { Set-NetIPInterface -InterfaceAlias $nic_cx5_1 -AddressFamily IPv4 -Dhcp Enabled }
if (-not $state['rdma win.cx5.1']) { Disable-NetAdapterRdma -Name $nic_cx5_1 }
Set-Property $nic_cx5_1 '*NetworkDirectTechnology' $state['*NetworkDirectTechnology win.cx5.1']
Set-Property $nic_cx5_1 '*FlowControl' $state['*FlowControl win.cx5.1']
Set-Property $nic_cx5_1 '*JumboPacket' $state['*JumboPacket win.cx5.1']
if (-not $state['dcb']) { Uninstall-WindowsFeature -Name Data-Center-Bridging | Out-Null }
Remove-Item $stateFile
Write-Host 'taken back'
