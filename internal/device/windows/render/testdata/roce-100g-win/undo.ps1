# win of the fabric roce-100g: undo
@@ 7 lines of roce-100g-win/apply.ps1, from line 1 of: #Requires -Version 5.1
if (-not (Test-Path $stateFile)) { throw "$stateFile is not there: apply.ps1 has not run here, or was undone" }
(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value }
if (-not $state.ContainsKey('changed')) { Remove-Item $stateFile; Write-Host 'apply.ps1 had changed nothing yet'; exit 0 }
@@ 11 lines of roce-100g-win/apply.ps1, from line 1 of: function Get-Property([string]$Adapter, [string]$Keyword) {
$nic_vf = $state['adapter win.vf']
if ($null -ne $state['smb ConnectionCountPerRdmaNetworkInterface']) { Set-ItemProperty -Path $smbClient -Name 'ConnectionCountPerRdmaNetworkInterface' -Type DWord -Value $state['smb ConnectionCountPerRdmaNetworkInterface'] } else { Remove-ItemProperty -Path $smbClient -Name 'ConnectionCountPerRdmaNetworkInterface' -ErrorAction SilentlyContinue }
Set-SmbClientConfiguration -EnableMultiChannel $state['multichannel Client'] -Confirm:$false
Set-SmbServerConfiguration -EnableMultiChannel $state['multichannel Server'] -Confirm:$false
if ($null -ne $state['smb MaxSMB2Dialect']) { Set-ItemProperty -Path $smbClient -Name 'MaxSMB2Dialect' -Type DWord -Value $state['smb MaxSMB2Dialect'] } else { Remove-ItemProperty -Path $smbClient -Name 'MaxSMB2Dialect' -ErrorAction SilentlyContinue }
if ($null -ne $state['smb MinSMB2Dialect']) { Set-ItemProperty -Path $smbClient -Name 'MinSMB2Dialect' -Type DWord -Value $state['smb MinSMB2Dialect'] } else { Remove-ItemProperty -Path $smbClient -Name 'MinSMB2Dialect' -ErrorAction SilentlyContinue }
Set-NetOffloadGlobalSetting -NetworkDirectAcrossIPSubnets $state['acrosssubnets']
netsh int tcp set global ecncapability=$($state['ecn'].ToLower()) | Out-Null
if (-not $state['address win.vf']) { Get-NetIPAddress -IPAddress '10.0.1.3' -ErrorAction SilentlyContinue | Remove-NetIPAddress -Confirm:$false }
if ($state['dhcp win.vf'] -eq 'Enabled') { Set-NetIPInterface -InterfaceAlias $nic_vf -AddressFamily IPv4 -Dhcp Enabled }
Set-Property $nic_vf '*JumboPacket' $state['*JumboPacket win.vf']
Remove-Item $stateFile
Write-Host 'undone'
