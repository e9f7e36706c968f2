// Package inventory knows the hosts and switches of a command line or a plan: it parses their names, queries their
// facts in parallel, and reads saved snapshots.
package inventory
