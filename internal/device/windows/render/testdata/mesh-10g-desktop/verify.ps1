# desktop of the fabric mesh-10g: verify
@@ 9 lines of mesh-10g-desktop/undo.ps1, from line 1 of: #Requires -Version 5.1
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
$nic_a = $state['adapter desktop.a']
$nic_b = $state['adapter desktop.b']
Check 'desktop.a: *JumboPacket is not 1514' { (Get-Property $nic_a '*JumboPacket') -eq '1514' }
Check 'desktop.a: the link is down: look at cable C1 at both ends, and whether nas.t3.1 is on and set up' { (Get-NetAdapter -Name $nic_a).InterfaceOperationalStatus -eq 1 }
Check 'desktop.a: the link is slower than 10.0 Gb/s' { (Get-NetAdapter -Name $nic_a).ReceiveLinkSpeed -ge 10000000000 }
Check 'desktop.b: *JumboPacket is not 1514' { (Get-Property $nic_b '*JumboPacket') -eq '1514' }
Check 'desktop.b: the link is down: look at cable C2 at both ends, and whether homelab.t3.1 is on and set up' { (Get-NetAdapter -Name $nic_b).InterfaceOperationalStatus -eq 1 }
Check 'desktop.b: the link is slower than 10.0 Gb/s' { (Get-NetAdapter -Name $nic_b).ReceiveLinkSpeed -ge 10000000000 }
Check 'desktop.a: DHCP is on' { [string](Get-NetIPInterface -InterfaceAlias $nic_a -AddressFamily IPv4).Dhcp -eq 'Disabled' }
Check 'desktop.a: address 10.0.1.1/24 is not there' { @(Get-NetIPAddress -IPAddress '10.0.1.1' -ErrorAction SilentlyContinue | Where-Object { $_.PrefixLength -eq 24 }).Count -gt 0 }
Check 'desktop.a: the interface''s MTU is below 1500' { (Get-NetIPAddress -IPAddress '10.0.1.1' | Get-NetIPInterface -AddressFamily IPv4).NlMtu -ge 1500 }
Check 'desktop.b: DHCP is on' { [string](Get-NetIPInterface -InterfaceAlias $nic_b -AddressFamily IPv4).Dhcp -eq 'Disabled' }
Check 'desktop.b: address 10.0.2.1/24 is not there' { @(Get-NetIPAddress -IPAddress '10.0.2.1' -ErrorAction SilentlyContinue | Where-Object { $_.PrefixLength -eq 24 }).Count -gt 0 }
Check 'desktop.b: the interface''s MTU is below 1500' { (Get-NetIPAddress -IPAddress '10.0.2.1' | Get-NetIPInterface -AddressFamily IPv4).NlMtu -ge 1500 }
Check 'the hosts file has no line 10.0.1.2 nas nas-t3-1' { @(Get-Content $hostsFile) -contains '10.0.1.2 nas nas-t3-1' }
Check 'the hosts file has no line 10.0.2.2 homelab homelab-t3-1' { @(Get-Content $hostsFile) -contains '10.0.2.2 homelab homelab-t3-1' }
if ($bad -gt 0) { exit 1 }
if ($unknown -gt 0) { exit 3 }
Write-Host 'as planned'
exit 0
