// Package measure turns the flags of one measurement into an experiment, finds the network between its hosts, and runs
// it.
package measure
