# win of the fabric roce-100g: apply
#Requires -Version 5.1
#Requires -RunAsAdministrator
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$stateFile = Join-Path $env:ProgramData 'linerate\win.json'
$smbClient = 'HKLM:\SYSTEM\CurrentControlSet\Services\LanmanWorkstation\Parameters'
$state = @{}
if (Test-Path $stateFile) { (Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { $state[$_.Name] = $_.Value } }
function Keep([string]$Key, $Value) { if (-not $state.ContainsKey($Key)) { $state[$Key] = $Value } }
function Save { New-Item -ItemType Directory -Force (Split-Path $stateFile) | Out-Null; ConvertTo-Json -Depth 5 $state | Set-Content -Encoding UTF8 $stateFile }
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
function Find-Port([string]$Port, [string[]]$Ids, [int]$Of, [int]$Index) {
    $found = @(Get-NetAdapter -Physical | Where-Object { $pnp = $_.PnPDeviceID; @($Ids | Where-Object { $pnp -like "PCI\$_*" }).Count -gt 0 })
    if ($found.Count -ne $Of) {
        $names = ($found | ForEach-Object { $_.Name }) -join ', '
        throw "nothing was changed: port ${Port}: $($found.Count) adapters are of its kind ($names), not $Of; below, in its line, write Get-Port '$Port' 'NAME' in place of Find-Port .., with its name from Get-NetAdapter"
    }
    $sorted = @($found | ForEach-Object { Get-NetAdapterHardwareInfo -Name $_.Name } | Sort-Object -Property 'Segment', 'Bus', 'Device', 'Function')
    return $sorted[$Index].Name
}
function Get-Port([string]$Port, [string]$Name) {
    $found = @(Get-NetAdapter | Where-Object { $_.Name -eq $Name })
    if ($found.Count -ne 1) { throw "nothing was changed: port ${Port}: there is no adapter named '$Name'; write its name, from Get-NetAdapter, into its line below" }
    return $found[0].Name
}
# fill in between the last quotes: the adapter's name, from Get-NetAdapter
$nic_vf = Get-Port 'win.vf' ''
$chosen = [ordered]@{ 'win.vf' = $nic_vf }
foreach ($port in @($chosen.Keys)) {
    foreach ($other in @($chosen.Keys)) {
        if ($other -ne $port -and $chosen[$other] -eq $chosen[$port]) { throw "nothing was changed: ports $port and $other have the same adapter, '$($chosen[$port])'; each needs its own" }
    }
    $before = $state["adapter $port"]
    if ($state.ContainsKey('changed') -and $null -ne $before -and $before -ne $chosen[$port]) {
        throw "nothing was changed: apply.ps1 ran before with the adapter '$before' for port ${port}, and now it is '$($chosen[$port])'; run undo.ps1 first, which puts '$before' back as it was, then apply.ps1 again"
    }
    $state.Remove("adapter $port")
}
if (@(Get-NetIPAddress -IPAddress '10.0.1.3' -ErrorAction SilentlyContinue | Where-Object { $_.InterfaceAlias -ne $nic_vf }).Count -gt 0) { throw 'nothing was changed: 10.0.1.3, the address of port win.vf, is on another adapter; Get-NetIPAddress -IPAddress 10.0.1.3 says on which: take it off there first' }
# what is there now, for undo.ps1; a second apply keeps what the first one found
Keep 'adapter win.vf' $nic_vf
Keep '*JumboPacket win.vf' (Get-Property $nic_vf '*JumboPacket')
Keep 'dhcp win.vf' (Get-NetIPInterface -InterfaceAlias $nic_vf -AddressFamily IPv4 -ErrorAction SilentlyContinue | ForEach-Object { [string]$_.Dhcp })
Keep 'address win.vf' (@(Get-NetIPAddress -IPAddress '10.0.1.3' -ErrorAction SilentlyContinue).Count -gt 0)
Keep 'ecn' ([string](Get-NetTCPSetting -SettingName Internet).EcnCapability)
Keep 'acrosssubnets' ([string](Get-NetOffloadGlobalSetting).NetworkDirectAcrossIPSubnets)
Keep 'smb MinSMB2Dialect' ((Get-Item -Path $smbClient).GetValue('MinSMB2Dialect', $null))
Keep 'smb MaxSMB2Dialect' ((Get-Item -Path $smbClient).GetValue('MaxSMB2Dialect', $null))
Keep 'multichannel Server' ([bool](Get-SmbServerConfiguration).EnableMultiChannel)
Keep 'multichannel Client' ([bool](Get-SmbClientConfiguration).EnableMultiChannel)
Keep 'smb ConnectionCountPerRdmaNetworkInterface' ((Get-Item -Path $smbClient).GetValue('ConnectionCountPerRdmaNetworkInterface', $null))
Keep 'changed' $true
Save
# from here on things are changed
Set-Property $nic_vf '*JumboPacket' 9014
Set-NetIPInterface -InterfaceAlias $nic_vf -AddressFamily IPv4 -Dhcp Disabled
if (@(Get-NetIPAddress -InterfaceAlias $nic_vf -IPAddress '10.0.1.3' -ErrorAction SilentlyContinue).Count -eq 0) { New-NetIPAddress -InterfaceAlias $nic_vf -IPAddress '10.0.1.3' -PrefixLength 24 | Out-Null }
netsh int tcp set global ecncapability=enabled | Out-Null
Set-NetOffloadGlobalSetting -NetworkDirectAcrossIPSubnets Allowed
Set-ItemProperty -Path $smbClient -Name 'MinSMB2Dialect' -Type DWord -Value 0x311
Set-ItemProperty -Path $smbClient -Name 'MaxSMB2Dialect' -Type DWord -Value 0x311
Set-SmbServerConfiguration -EnableMultiChannel $true -Confirm:$false
Set-SmbClientConfiguration -EnableMultiChannel $true -Confirm:$false
Set-ItemProperty -Path $smbClient -Name 'ConnectionCountPerRdmaNetworkInterface' -Type DWord -Value 4
Write-Host 'done; now verify.ps1'
