// Package claims reads what other tools printed of a measurement, and nothing that does not stand there.
package claims
