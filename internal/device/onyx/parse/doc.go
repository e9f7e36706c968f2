// Package parse reads what Onyx and MLNX-OS print about themselves, and their configuration.
package parse
