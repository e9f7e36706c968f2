# desktop of the fabric mesh-10g: apply
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\desktop.json'
$hostsFile = Join-Path $env:SystemRoot 'System32\drivers\etc\hosts'
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
function Get-OtherLines {
    $begin = '# linerate begin mesh-10g'
    $end = '# linerate end mesh-10g'
    $inside = $false
    foreach ($line in @(Get-Content $hostsFile)) {
        if ($line -eq $(if ($inside) { $begin } else { $end })) { throw "nothing was changed: $hostsFile has the line '$line' without its other half, '$begin' or '$end'; take it out by hand" }
        if ($line -eq $begin) { $inside = $true } elseif ($line -eq $end) { $inside = $false } elseif (-not $inside) { $line }
    }
    if ($inside) { throw "nothing was changed: $hostsFile has the line '$begin' and no '$end' behind it; take it out by hand, and the names under it" }
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
# fill in between the last quotes: the adapter's name, from Get-NetAdapter
$nic_a = Get-Port 'desktop.a' ''
# fill in between the last quotes: the adapter's name, from Get-NetAdapter
$nic_b = Get-Port 'desktop.b' ''
$chosen = [ordered]@{ 'desktop.a' = $nic_a; 'desktop.b' = $nic_b }
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
if (@(Get-NetIPAddress -IPAddress '10.0.1.1' -ErrorAction SilentlyContinue | Where-Object { $_.InterfaceAlias -ne $nic_a }).Count -gt 0) { throw 'nothing was changed: 10.0.1.1, the address of port desktop.a, is on another adapter; Get-NetIPAddress -IPAddress 10.0.1.1 says on which: take it off there first' }
if (@(Get-NetIPAddress -IPAddress '10.0.2.1' -ErrorAction SilentlyContinue | Where-Object { $_.InterfaceAlias -ne $nic_b }).Count -gt 0) { throw 'nothing was changed: 10.0.2.1, the address of port desktop.b, is on another adapter; Get-NetIPAddress -IPAddress 10.0.2.1 says on which: take it off there first' }
# what is there now, for undo.ps1; a second apply keeps what the first one found
Keep 'adapter desktop.a' $nic_a
Keep 'adapter desktop.b' $nic_b
Keep '*JumboPacket desktop.a' (Get-Property $nic_a '*JumboPacket')
Keep '*JumboPacket desktop.b' (Get-Property $nic_b '*JumboPacket')
Keep 'dhcp desktop.a' (Get-NetIPInterface -InterfaceAlias $nic_a -AddressFamily IPv4 -ErrorAction SilentlyContinue | ForEach-Object { [string]$_.Dhcp })
Keep 'address desktop.a' (@(Get-NetIPAddress -IPAddress '10.0.1.1' -ErrorAction SilentlyContinue).Count -gt 0)
Keep 'dhcp desktop.b' (Get-NetIPInterface -InterfaceAlias $nic_b -AddressFamily IPv4 -ErrorAction SilentlyContinue | ForEach-Object { [string]$_.Dhcp })
Keep 'address desktop.b' (@(Get-NetIPAddress -IPAddress '10.0.2.1' -ErrorAction SilentlyContinue).Count -gt 0)
$null = Get-OtherLines
Keep 'changed' $true
Save
# from here on things are changed
Set-Property $nic_a '*JumboPacket' 1514
Set-Property $nic_b '*JumboPacket' 1514
Set-NetIPInterface -InterfaceAlias $nic_a -AddressFamily IPv4 -Dhcp Disabled
if (@(Get-NetIPAddress -InterfaceAlias $nic_a -IPAddress '10.0.1.1' -ErrorAction SilentlyContinue).Count -eq 0) { New-NetIPAddress -InterfaceAlias $nic_a -IPAddress '10.0.1.1' -PrefixLength 24 | Out-Null }
Set-NetIPInterface -InterfaceAlias $nic_b -AddressFamily IPv4 -Dhcp Disabled
if (@(Get-NetIPAddress -InterfaceAlias $nic_b -IPAddress '10.0.2.1' -ErrorAction SilentlyContinue).Count -eq 0) { New-NetIPAddress -InterfaceAlias $nic_b -IPAddress '10.0.2.1' -PrefixLength 24 | Out-Null }
Set-Content -Path $hostsFile -Value (@(Get-OtherLines) + @('# linerate begin mesh-10g', '10.0.1.2 nas nas-t3-1', '10.0.2.2 homelab homelab-t3-1', '# linerate end mesh-10g'))
Write-Host 'done; now verify.ps1'
