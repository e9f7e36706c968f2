# win of the fabric roce-100g: verify
@@ 9 lines of roce-100g-win/undo.ps1, from line 1 of: #Requires -Version 5.1
$bad = 0
$unknown = 0
function Check([string]$Wrong, [scriptblock]$Test) {
    try { $ok = [bool](& $Test) } catch { Write-Host "not known whether ${Wrong}: $_"; $script:unknown++; return }
    if (-not $ok) { Write-Host "not as planned: $Wrong"; $script:bad++ }
}
function Get-Property([string]$Adapter, [string]$Keyword) {
    $found = @(Get-NetAdapterAdvancedProperty -Name $Adapter -AllProperties | Where-Object { $_.RegistryKeyword -eq $Keyword })
    if ($found.Count -eq 0) { return $null }
    return [string]@($found[0].RegistryValue)[0]
}
$nic_vf = $state['adapter win.vf']
Check 'win.vf: *JumboPacket is not 9014' { (Get-Property $nic_vf '*JumboPacket') -eq '9014' }
Check 'win.vf: DHCP is on' { [string](Get-NetIPInterface -InterfaceAlias $nic_vf -AddressFamily IPv4).Dhcp -eq 'Disabled' }
Check 'win.vf: address 10.0.1.3/24 is not there' { @(Get-NetIPAddress -IPAddress '10.0.1.3' -ErrorAction SilentlyContinue | Where-Object { $_.PrefixLength -eq 24 }).Count -gt 0 }
Check 'win.vf: the interface''s MTU is below 9000' { (Get-NetIPAddress -IPAddress '10.0.1.3' | Get-NetIPInterface -AddressFamily IPv4).NlMtu -ge 9000 }
Check 'ECN of TCP is not enabled' { [string](Get-NetTCPSetting -SettingName Internet).EcnCapability -eq 'enabled' }
Check 'NetworkDirectAcrossIPSubnets is not Allowed' { [string](Get-NetOffloadGlobalSetting).NetworkDirectAcrossIPSubnets -eq 'Allowed' }
Check 'MinSMB2Dialect is not 0x311' { (Get-Item -Path $smbClient).GetValue('MinSMB2Dialect', $null) -eq 0x311 }
Check 'MaxSMB2Dialect is not 0x311' { (Get-Item -Path $smbClient).GetValue('MaxSMB2Dialect', $null) -eq 0x311 }
Check 'SMB Server: multichannel is not true' { (Get-SmbServerConfiguration).EnableMultiChannel -eq $true }
Check 'SMB Client: multichannel is not true' { (Get-SmbClientConfiguration).EnableMultiChannel -eq $true }
Check 'ConnectionCountPerRdmaNetworkInterface is not 4' { (Get-Item -Path $smbClient).GetValue('ConnectionCountPerRdmaNetworkInterface', $null) -eq 4 }
if ($bad -gt 0) { exit 1 }
if ($unknown -gt 0) { exit 3 }
Write-Host 'as planned'
exit 0
