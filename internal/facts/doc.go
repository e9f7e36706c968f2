// Package facts is the model of what is known about a host or a switch. Parsers fill it (package parse and those below
// it); values that could not be read are unknown with their reason.
package facts
