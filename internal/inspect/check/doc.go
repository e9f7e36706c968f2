// Package check compares facts of hosts and switches with the plan and with what each of their components can do. It
// has what all checks share. The checks are in the packages below, one topic a file, and in the table of package
// checks. It contacts no host: everything comes from snapshots.
package check
