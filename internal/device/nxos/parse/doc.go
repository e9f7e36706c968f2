// Package parse reads what Cisco NX-OS prints about itself on Nexus switches.
package parse
