// Package pcie has the checks of PCI Express: slots, drivers, firmware and virtual functions.
package pcie
