// Package halo measures the exchange of halos among processes on several hosts, with linerate's own engines or over
// MPI.
package halo
