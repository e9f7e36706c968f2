# pc of the fabric roce-100g: undo
@@ 7 lines of roce-100g-pc/apply.ps1, from line 1 of: #Requires -Version 5.1
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was undone" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
if (-not $state.ContainsKey('changed')) { Remove-Item $stateFile; Write-Host 'apply.ps1 had changed nothing yet; features that it turned on stay on'; exit 0 }
@@ 11 lines of roce-100g-pc/apply.ps1, from line 1 of: function Get-Property([string]$Adapter, [string]$Keyword) {
$nic_cx5_1 = $state['adapter pc.cx5.1']
if ($null -ne $state['smb ConnectionCountPerRdmaNetworkInterface']) { Set-ItemProperty -Path $smbClient -Name 'ConnectionCountPerRdmaNetworkInterface' -Type DWord -Value $state['smb ConnectionCountPerRdmaNetworkInterface'] } else { Remove-ItemProperty -Path $smbClient -Name 'ConnectionCountPerRdmaNetworkInterface' -ErrorAction SilentlyContinue }
Set-SmbClientConfiguration -EnableMultiChannel $state['multichannel Client'] -Confirm:$false
Set-SmbServerConfiguration -EnableMultiChannel $state['multichannel Server'] -Confirm:$false
if ($null -ne $state['smb MaxSMB2Dialect']) { Set-ItemProperty -Path $smbClient -Name 'MaxSMB2Dialect' -Type DWord -Value $state['smb MaxSMB2Dialect'] } else { Remove-ItemProperty -Path $smbClient -Name 'MaxSMB2Dialect' -ErrorAction SilentlyContinue }
if ($null -ne $state['smb MinSMB2Dialect']) { Set-ItemProperty -Path $smbClient -Name 'MinSMB2Dialect' -Type DWord -Value $state['smb MinSMB2Dialect'] } else { Remove-ItemProperty -Path $smbClient -Name 'MinSMB2Dialect' -ErrorAction SilentlyContinue }
Set-NetOffloadGlobalSetting -NetworkDirectAcrossIPSubnets $state['acrosssubnets']
netsh int tcp set global ecncapability=$($state['ecn'].ToLower()) | Out-Null
if (-not $state['qos pc.cx5.1']) { Disable-NetAdapterQos -Name $nic_cx5_1 }
Disable-NetQosFlowControl -Priority 0,1,2,3,4,5,6,7
if (@($state['pfc']).Count -gt 0) { Enable-NetQosFlowControl -Priority @($state['pfc']) }
Get-NetQosTrafficClass -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosTrafficClass -Confirm:$false
Get-NetQosPolicy -Name 'roce' -ErrorAction SilentlyContinue | Remove-NetQosPolicy -Confirm:$false
Set-NetQosDcbxSetting -Willing $state['willing'] -Confirm:$false
Set-NetOffloadGlobalSetting -NetworkDirect $state['networkdirect']
if (-not $state['address pc.cx5.1']) { Get-NetIPAddress -IPAddress '10.0.1.1' -ErrorAction SilentlyContinue | Remove-NetIPAddress -Confirm:$false }
if ($state['dhcp pc.cx5.1'] -eq 'Enabled') { Set-NetIPInterface -InterfaceAlias $nic_cx5_1 -AddressFamily IPv4 -Dhcp Enabled }
if (-not $state['rdma pc.cx5.1']) { Disable-NetAdapterRdma -Name $nic_cx5_1 }
Set-Property $nic_cx5_1 '*NetworkDirectTechnology' $state['*NetworkDirectTechnology pc.cx5.1']
Set-Property $nic_cx5_1 '*FlowControl' $state['*FlowControl pc.cx5.1']
Set-Property $nic_cx5_1 '*JumboPacket' $state['*JumboPacket pc.cx5.1']
if ($state['smbdirect'] -ne 'Enabled') { Disable-WindowsOptionalFeature -Online -FeatureName SMBDirect -NoRestart | Out-Null }
Remove-Item $stateFile
Write-Host 'undone'
