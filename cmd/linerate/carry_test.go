package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// carryArgument makes the test binary transfer bytes over TCP: a small application.
const carryArgument = "carry"

// carry receives bytes at an address until they end, or sends the requested amount and prints the duration.
func carry(address string, amount []string) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if len(amount) == 0 {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return fail(err)
		}
		fmt.Println("waiting")
		conn, err := l.Accept()
		if err != nil {
			return fail(err)
		}
		n, err := io.Copy(io.Discard, conn)
		if err != nil {
			return fail(err)
		}
		fmt.Println("received", n)
		conn.Close()
		return 0
	}
	var n int64
	if _, err := fmt.Sscan(amount[0], &n); err != nil {
		return fail(err)
	}
	begin := time.Now()
	conn, err := net.Dial("tcp", address)
	if err == nil {
		_, err = conn.Write(make([]byte, n))
	}
	if err == nil {
		err = conn.(*net.TCPConn).CloseWrite()
	}
	if err == nil {
		_, err = io.Copy(io.Discard, conn) // until the other end has all
	}
	if err != nil {
		return fail(err)
	}
	fmt.Printf("carried in %.6f s\n", time.Since(begin).Seconds())
	return 0
}
