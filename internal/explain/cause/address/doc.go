// Package address has the causes that lead traffic to another interface, machine or VLAN, and those of bonds with an
// idle member.
package address
