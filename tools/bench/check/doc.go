// Package check measures how long linerate takes to read and check snapshots: those of a support bundle, and those of a
// thousand hosts.
package check
