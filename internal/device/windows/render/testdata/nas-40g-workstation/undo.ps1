# workstation of the fabric nas-40g: undo
@@ 6 lines of nas-40g-workstation/apply.ps1, from line 1 of: #Requires -Version 5.1
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was undone" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
if (-not $state.ContainsKey('changed')) { Remove-Item $stateFile; Write-Host 'apply.ps1 had changed nothing yet'; exit 0 }
@@ 11 lines of nas-40g-workstation/apply.ps1, from line 1 of: function Get-Property([string]$Adapter, [string]$Keyword) {
$nic_cx3_1 = $state['adapter workstation.cx3.1']
if (-not $state['address workstation.cx3.1']) { Get-NetIPAddress -IPAddress '10.20.0.10' -ErrorAction SilentlyContinue | Remove-NetIPAddress -Confirm:$false }
if ($state['dhcp workstation.cx3.1'] -eq 'Enabled') { Set-NetIPInterface -InterfaceAlias $nic_cx3_1 -AddressFamily IPv4 -Dhcp Enabled }
Set-Property $nic_cx3_1 '*JumboPacket' $state['*JumboPacket workstation.cx3.1']
Remove-Item $stateFile
Write-Host 'undone'
