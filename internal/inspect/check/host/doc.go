// Package host has the checks of everything on a host around its NIC: CPUs, queues, buffers, offloads, firewalls and
// shapers.
package host
