# node1 of the fabric eval-25g: undo
@@ 6 lines of eval-25g-node1/apply.ps1, from line 1 of: #Requires -Version 5.1
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was undone" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
if (-not $state.ContainsKey('changed')) { Remove-Item $stateFile; Write-Host 'apply.ps1 had changed nothing yet; features that it turned on stay on'; exit 0 }
@@ 11 lines of eval-25g-node1/apply.ps1, from line 1 of: function Get-Property([string]$Adapter, [string]$Keyword) {
$nic_ql_1 = $state['adapter node1.ql.1']
$nic_ql_2 = $state['adapter node1.ql.2']
$nic_team = 'vEthernet (team)'
if (-not $state['qos node1.ql.2']) { Disable-NetAdapterQos -Name $nic_ql_2 }
if (-not $state['qos node1.ql.1']) { Disable-NetAdapterQos -Name $nic_ql_1 }
Disable-NetQosFlowControl -Priority 0,1,2,3,4,5,6,7
if (@($state['pfc']).Count -gt 0) { Enable-NetQosFlowControl -Priority @($state['pfc']) }
Get-NetQosTrafficClass -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosTrafficClass -Confirm:$false
Get-NetQosPolicy -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosPolicy -Confirm:$false
Set-NetQosDcbxSetting -Willing $state['willing'] -Confirm:$false
Set-NetOffloadGlobalSetting -NetworkDirect $state['networkdirect']
if (-not $state['address node1.team']) { Get-NetIPAddress -IPAddress '10.40.3.1' -ErrorAction SilentlyContinue | Remove-NetIPAddress -Confirm:$false }
if ($state['dhcp node1.team'] -eq 'Enabled') { Set-NetIPInterface -InterfaceAlias $nic_team -AddressFamily IPv4 -Dhcp Enabled }
if (-not $state['team team']) { Remove-VMSwitch -Name 'team' -Force }
if (-not $state['rdma node1.ql.2']) { Disable-NetAdapterRdma -Name $nic_ql_2 }
Set-Property $nic_ql_2 '*NetworkDirectTechnology' $state['*NetworkDirectTechnology node1.ql.2']
Set-Property $nic_ql_2 '*FlowControl' $state['*FlowControl node1.ql.2']
Set-Property $nic_ql_2 '*JumboPacket' $state['*JumboPacket node1.ql.2']
if (-not $state['rdma node1.ql.1']) { Disable-NetAdapterRdma -Name $nic_ql_1 }
Set-Property $nic_ql_1 '*NetworkDirectTechnology' $state['*NetworkDirectTechnology node1.ql.1']
Set-Property $nic_ql_1 '*FlowControl' $state['*FlowControl node1.ql.1']
Set-Property $nic_ql_1 '*JumboPacket' $state['*JumboPacket node1.ql.1']
if (-not $state['dcb']) { Uninstall-WindowsFeature -Name Data-Center-Bridging | Out-Null }
Remove-Item $stateFile
Write-Host 'undone'
