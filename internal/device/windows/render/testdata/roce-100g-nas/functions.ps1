# nas of the fabric roce-100g: functions
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\nas.json'
$smbClient = 'HKLM:\SYSTEM\CurrentControlSet\Services\LanmanWorkstation\Parameters'
$state = @{}
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was taken back" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
$nic_cx5_1 = $state['adapter nas.cx5.1']
if (@(Get-VMSwitch -Name 'linerate nas.cx5.1' -ErrorAction SilentlyContinue).Count -eq 0) { New-VMSwitch -Name 'linerate nas.cx5.1' -NetAdapterName $nic_cx5_1 -EnableIov $true -AllowManagementOS $true | Out-Null }
Connect-VMNetworkAdapter -VMName 'win' -SwitchName 'linerate nas.cx5.1'
Set-VMNetworkAdapter -VMName 'win' -IovWeight 100
Connect-VMNetworkAdapter -VMName 'deb' -SwitchName 'linerate nas.cx5.1'
Set-VMNetworkAdapter -VMName 'deb' -IovWeight 100
Get-VMNetworkAdapter -VMName '*' | Format-Table 'VMName', 'SwitchName', 'IovWeight', 'IovUsage', 'Status'
