# desktop of the fabric mesh-10g: undo
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\desktop.json'
$hostsFile = Join-Path $env:SystemRoot 'System32\drivers\etc\hosts'
$state = @{}
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was taken back" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
if (-not $state.ContainsKey('changed')) { Remove-Item $stateFile; Write-Host 'apply.ps1 had changed nothing yet'; exit 0 }
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
$nic_a = $state['adapter desktop.a']
$nic_b = $state['adapter desktop.b']
Set-Content -Path $hostsFile -Value @(Get-OtherLines)
if (-not $state['address desktop.b']) { Get-NetIPAddress -IPAddress '10.0.2.1' -ErrorAction SilentlyContinue | Remove-NetIPAddress -Confirm:$false }
if ($state['dhcp desktop.b'] -eq 'Enabled') { Set-NetIPInterface -InterfaceAlias $nic_b -AddressFamily IPv4 -Dhcp Enabled }
if (-not $state['address desktop.a']) { Get-NetIPAddress -IPAddress '10.0.1.1' -ErrorAction SilentlyContinue | Remove-NetIPAddress -Confirm:$false }
if ($state['dhcp desktop.a'] -eq 'Enabled') { Set-NetIPInterface -InterfaceAlias $nic_a -AddressFamily IPv4 -Dhcp Enabled }
Set-Property $nic_b '*JumboPacket' $state['*JumboPacket desktop.b']
Set-Property $nic_a '*JumboPacket' $state['*JumboPacket desktop.a']
Remove-Item $stateFile
Write-Host 'taken back'
