// Package loopback moves two ports of this machine that one cable connects into a network namespace each, for the time
// of a measurement. Otherwise the kernel would route traffic between its own addresses inside the machine, and nothing
// would pass the cable. A separate process, the owner, holds the namespaces and restores the ports when its controller
// has finished, or has died. Only Linux has this.
package loopback
