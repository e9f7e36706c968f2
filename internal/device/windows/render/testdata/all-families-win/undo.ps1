# win of the fabric all-families: undo
@@ 7 lines of all-families-win/apply.ps1, from line 1 of: #Requires -Version 5.1
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was undone" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
if (-not $state.ContainsKey('changed')) { Remove-Item $stateFile; Write-Host 'apply.ps1 had changed nothing yet; features that it turned on stay on'; exit 0 }
@@ 21 lines of all-families-win/apply.ps1, from line 1 of: function Get-Property([string]$Adapter, [string]$Keyword) {
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
Write-Host 'undone'
