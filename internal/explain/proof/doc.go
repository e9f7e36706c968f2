// Package proof judges whether a network was lossless while it was full: by the counters of hosts and switches.
package proof
