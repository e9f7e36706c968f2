// Package collect reads this host into a snapshot: from files, kernel calls, and programs where there is no other way.
// It writes data from the kernel in the form of the tool that prints the same, so that each fact has one parser.
package collect
