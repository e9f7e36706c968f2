# desktop of the fabric mesh-10g: undo
@@ 7 lines of mesh-10g-desktop/apply.ps1, from line 1 of: #Requires -Version 5.1
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was undone" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
if (-not $state.ContainsKey('changed')) { Remove-Item $stateFile; Write-Host 'apply.ps1 had changed nothing yet'; exit 0 }
@@ 21 lines of mesh-10g-desktop/apply.ps1, from line 1 of: function Get-Property([string]$Adapter, [string]$Keyword) {
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
Write-Host 'undone'
