# workstation of the fabric nas-40g: apply
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\workstation.json'
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
$nic_cx3_1 = Find-Port 'workstation.cx3.1' @('VEN_15B3&DEV_1007') 2 0
$chosen = [ordered]@{ 'workstation.cx3.1' = $nic_cx3_1 }
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
if (@(Get-NetIPAddress -IPAddress '10.20.0.10' -ErrorAction SilentlyContinue | Where-Object { $_.InterfaceAlias -ne $nic_cx3_1 }).Count -gt 0) { throw 'nothing was changed: 10.20.0.10, the address of port workstation.cx3.1, is on another adapter; Get-NetIPAddress -IPAddress 10.20.0.10 says on which: take it off there first' }
# what is there now, for undo.ps1; a second apply keeps what the first one found
Keep 'adapter workstation.cx3.1' $nic_cx3_1
Keep '*JumboPacket workstation.cx3.1' (Get-Property $nic_cx3_1 '*JumboPacket')
Keep 'dhcp workstation.cx3.1' (Get-NetIPInterface -InterfaceAlias $nic_cx3_1 -AddressFamily IPv4 -ErrorAction SilentlyContinue | ForEach-Object { [string]$_.Dhcp })
Keep 'address workstation.cx3.1' (@(Get-NetIPAddress -IPAddress '10.20.0.10' -ErrorAction SilentlyContinue).Count -gt 0)
Keep 'changed' $true
Save
# from here on things are changed
Set-Property $nic_cx3_1 '*JumboPacket' 9014
Set-NetIPInterface -InterfaceAlias $nic_cx3_1 -AddressFamily IPv4 -Dhcp Disabled
if (@(Get-NetIPAddress -InterfaceAlias $nic_cx3_1 -IPAddress '10.20.0.10' -ErrorAction SilentlyContinue).Count -eq 0) { New-NetIPAddress -InterfaceAlias $nic_cx3_1 -IPAddress '10.20.0.10' -PrefixLength 24 | Out-Null }
Write-Host 'done; now verify.ps1'
