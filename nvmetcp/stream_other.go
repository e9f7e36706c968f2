//go:build !linux

package nvmetcp

import "net"

func newStream(conn net.Conn) (stream, error) { return newNetStream(conn), nil }
