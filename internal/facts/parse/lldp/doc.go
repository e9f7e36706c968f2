// Package lldp reads the programs that print the devices at the other ends of cables.
package lldp
