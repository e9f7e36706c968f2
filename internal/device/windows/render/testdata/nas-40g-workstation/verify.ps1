# workstation of the fabric nas-40g: verify
@@ 8 lines of nas-40g-workstation/undo.ps1, from line 1 of: #Requires -Version 5.1
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
$nic_cx3_1 = $state['adapter workstation.cx3.1']
Check 'workstation.cx3.1: *JumboPacket is not 9014' { (Get-Property $nic_cx3_1 '*JumboPacket') -eq '9014' }
Check 'workstation.cx3.1: the link is down: look at cable C1 at both ends, and whether nas.cx3.1 is on and set up' { (Get-NetAdapter -Name $nic_cx3_1).InterfaceOperationalStatus -eq 1 }
Check 'workstation.cx3.1: the link is slower than 40.0 Gb/s' { (Get-NetAdapter -Name $nic_cx3_1).ReceiveLinkSpeed -ge 40000000000 }
Check 'workstation.cx3.1: DHCP is on' { [string](Get-NetIPInterface -InterfaceAlias $nic_cx3_1 -AddressFamily IPv4).Dhcp -eq 'Disabled' }
Check 'workstation.cx3.1: address 10.20.0.10/24 is not there' { @(Get-NetIPAddress -IPAddress '10.20.0.10' -ErrorAction SilentlyContinue | Where-Object { $_.PrefixLength -eq 24 }).Count -gt 0 }
Check 'workstation.cx3.1: the interface''s MTU is below 9000' { (Get-NetIPAddress -IPAddress '10.20.0.10' | Get-NetIPInterface -AddressFamily IPv4).NlMtu -ge 9000 }
if ($bad -gt 0) { exit 1 }
if ($unknown -gt 0) { exit 3 }
Write-Host 'as planned'
exit 0
