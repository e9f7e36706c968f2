# win of the fabric roce-100g: undo
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\win.json'
$smbClient = 'HKLM:\SYSTEM\CurrentControlSet\Services\LanmanWorkstation\Parameters'
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
Write-Host 'taken back'
