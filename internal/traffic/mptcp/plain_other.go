//go:build !unix

package mptcp

// isPlain reports whether an option of MPTCP was refused because the socket is one of TCP.
func isPlain(error) bool { return false }
