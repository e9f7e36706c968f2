package traffic

import "net"

// connection is what a wire needs of a TCP connection of package net.
type connection interface {
	net.Conn
	CloseWrite() error
	SetLinger(seconds int) error
}
