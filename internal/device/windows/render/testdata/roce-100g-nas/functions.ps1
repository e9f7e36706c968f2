# nas of the fabric roce-100g: functions
@@ 7 lines of roce-100g-nas/apply.ps1, from line 1 of: #Requires -Version 5.1
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was undone" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
$nic_cx5_1 = $state['adapter nas.cx5.1']
if (@(Get-VMSwitch -Name 'linerate nas.cx5.1' -ErrorAction SilentlyContinue).Count -eq 0) { New-VMSwitch -Name 'linerate nas.cx5.1' -NetAdapterName $nic_cx5_1 -EnableIov $true -AllowManagementOS $true | Out-Null }
Connect-VMNetworkAdapter -VMName 'win' -SwitchName 'linerate nas.cx5.1'
Set-VMNetworkAdapter -VMName 'win' -IovWeight 100
Connect-VMNetworkAdapter -VMName 'deb' -SwitchName 'linerate nas.cx5.1'
Set-VMNetworkAdapter -VMName 'deb' -IovWeight 100
Get-VMNetworkAdapter -VMName '*' | Format-Table 'VMName', 'SwitchName', 'IovWeight', 'IovUsage', 'Status'
