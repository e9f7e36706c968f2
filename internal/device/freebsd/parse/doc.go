// Package parse reads what FreeBSD and TrueNAS print about themselves, and their configuration.
package parse
