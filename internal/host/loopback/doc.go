// Package loopback gives two ports of this machine that a cable joins a network namespace each, for the time of a measurement: the kernel would carry
// traffic between its own addresses inside of the machine, and nothing would be on the wire. A process of its own, the owner, holds the namespaces
// and puts the ports back as they were when its controller is done, or is gone. Only Linux has this.
package loopback
