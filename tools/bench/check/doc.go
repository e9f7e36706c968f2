// Package check measures how long captures take to be read and checked: a support bundle, and those of a thousand hosts.
package check
