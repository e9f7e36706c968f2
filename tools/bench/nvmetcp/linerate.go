//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"time"

	"linerate/nvmetcp"
)

const nqn = "nqn.2026-11.test.linerate:drive"

// runRole is this program as one of the two ends.
func runRole(role string, args []string) error {
	switch {
	case role == "target" && len(args) == 2:
		var b nvmetcp.Backing = nvmetcp.NewMemory(size)
		if args[1] != "memory" {
			f, err := nvmetcp.OpenFile(args[1], true)
			if err != nil {
				return err
			}
			b = f
		} else if err := writeAll(b); err != nil {
			return err
		}
		ln, err := net.Listen("tcp", args[0])
		if err != nil {
			return err
		}
		return nvmetcp.Serve(context.Background(), ln, nvmetcp.Subsystem{NQN: nqn, Backing: b})
	case role == "initiator" && len(args) == 5:
		block, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		interval, err := time.ParseDuration(args[4])
		if err != nil {
			return err
		}
		n, err := runInitiator(args[0], block, args[2] == "true", args[3] == "true", interval)
		fmt.Fprintln(os.Stdout, n)
		return err
	}
	return fmt.Errorf("role %s with %q", role, args)
}

// writeAll writes every page, so that the memory is as complete as the file.
func writeAll(b nvmetcp.Backing) error {
	part := make([]byte, 1<<20)
	for i := range part {
		part[i] = byte(i * 7)
	}
	for at := int64(0); at < b.Size(); at += int64(len(part)) {
		if _, err := b.WriteAt(part, at); err != nil {
			return err
		}
	}
	return nil
}

const batch = 8 // completions to wait for at once, as an engine with batches does

// runInitiator reads or writes at full depth for a time and returns the number of completed operations.
func runInitiator(host string, block int, write, random bool, interval time.Duration) (int, error) {
	runtime.LockOSThread()
	c, err := nvmetcp.Connect(context.Background(), nvmetcp.Address{Host: host, Port: nvmetcp.DefaultPort, NQN: nqn},
		nvmetcp.Options{Write: write})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	q, err := c.Queue(depth)
	if err != nil {
		return 0, err
	}
	defer q.Close()
	blocks := uint64(c.Info().Namespace.Size()) / uint64(block)
	buffers := make([]byte, depth*block)
	for i := range buffers {
		buffers[i] = byte(i)
	}
	state, next := uint64(88172645463325252), uint64(0)
	submit := func(slot int) error {
		at := next % blocks
		next++
		if random {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
			at = state % blocks
		}
		return q.Submit(slot, write, int64(at)*int64(block), buffers[slot*block:(slot+1)*block])
	}
	for slot := range depth {
		if err := submit(slot); err != nil {
			return 0, err
		}
	}
	n := 0
	for end := time.Now().Add(interval); ; {
		done, err := q.Wait(batch, end)
		if err != nil {
			return n, err
		}
		n += len(done)
		if time.Now().After(end) {
			return n, nil
		}
		for _, d := range done {
			if d.Err != nil {
				return n, d.Err
			}
			if err := submit(d.Slot); err != nil {
				return n, err
			}
		}
	}
}
