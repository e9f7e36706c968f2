// Package link has the checks of interfaces, cables and modules, and of their counters and logs.
package link
