// Package pci reads what systems and tools print about PCI Express.
package pci
