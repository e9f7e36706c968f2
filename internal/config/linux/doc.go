// Package linux renders a host that runs Linux (Proxmox too): scripts that take effect now, read back and take back, and
// the files of the host's own network configuration that outlive a reboot.
package linux
