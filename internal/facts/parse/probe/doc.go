// Package probe writes and reads tests of peers and under load, as sources of a snapshot.
package probe
