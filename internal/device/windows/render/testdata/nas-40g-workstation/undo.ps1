# workstation of the fabric nas-40g: undo
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\workstation.json'
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
$nic_cx3_1 = $state['adapter workstation.cx3.1']
if (-not $state['address workstation.cx3.1']) { Get-NetIPAddress -IPAddress '10.20.0.10' -ErrorAction SilentlyContinue | Remove-NetIPAddress -Confirm:$false }
if ($state['dhcp workstation.cx3.1'] -eq 'Enabled') { Set-NetIPInterface -InterfaceAlias $nic_cx3_1 -AddressFamily IPv4 -Dhcp Enabled }
Set-Property $nic_cx3_1 '*JumboPacket' $state['*JumboPacket workstation.cx3.1']
Remove-Item $stateFile
Write-Host 'taken back'
