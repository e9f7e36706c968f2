package nvmetcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"time"

	"linerate/nvmetcp"
)

// A target exports 1 MiB of memory. An initiator writes one block and reads it back.
func Example() {
	const nqn = "nqn.2026-11.org.example:disk"
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go nvmetcp.Serve(ctx, listener, nvmetcp.Subsystem{NQN: nqn, Backing: nvmetcp.NewMemory(1 << 20)})

	address, err := nvmetcp.ParseAddress("nvme-tcp://" + listener.Addr().String() + "/" + nqn)
	check(err)
	controller, err := nvmetcp.Connect(ctx, address, nvmetcp.Options{Write: true})
	check(err)
	defer controller.Close()
	queue, err := controller.Queue(1)
	check(err)
	defer queue.Close()

	written, read := bytes.Repeat([]byte("linerate"), 64), make([]byte, 512)
	command := func(write bool, buf []byte) {
		check(queue.Submit(0, write, 4096, buf)) // in slot 0, at byte 4096
		done, err := queue.Wait(1, time.Time{})
		check(err)
		check(done[0].Err)
	}
	command(true, written)
	command(false, read)
	fmt.Printf("%d bytes, the same: %t\n", len(read), bytes.Equal(read, written))

	// Output:
	// 512 bytes, the same: true
}

// Info reports the target and its namespaces.
func ExampleController_Info() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	disk := nvmetcp.NewMemory(64 << 20)
	address := export(ctx,
		nvmetcp.Subsystem{NQN: "nqn.2026-11.org.example:disk", Serial: "A1", Backing: disk, BlockSize: 4096})
	controller, err := nvmetcp.Connect(ctx, address, nvmetcp.Options{HeaderDigest: true})
	check(err)
	defer controller.Close()
	info := controller.Info()
	fmt.Println("model", info.Model, "serial", info.Serial, "NVMe", info.Version)
	fmt.Println("header digest", info.HeaderDigest, "data digest", info.DataDigest)
	for _, n := range info.Namespaces {
		fmt.Printf("namespace %d: %d blocks of %d bytes, %s\n", n.ID, n.Blocks, n.BlockSize, n.Name())
	}

	// Output:
	// model linerate serial A1 NVMe 1.4
	// header digest true data digest false
	// namespace 1: 16384 blocks of 4096 bytes, d2921180ce724912a227df4da2e7b8e9
}

// Discover lists the subsystems that a host may use, by the name of the host.
func ExampleDiscover() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	const prefix = "nqn.2026-11.org.example:"
	disk := nvmetcp.NewMemory(1 << 20)
	address := export(ctx, nvmetcp.Subsystem{NQN: prefix + "shared", Backing: disk, ReadOnly: true},
		nvmetcp.Subsystem{NQN: prefix + "for-a", Backing: disk, AllowHosts: []string{prefix + "host-a"}},
		nvmetcp.Subsystem{NQN: prefix + "for-b", Backing: disk, AllowHosts: []string{prefix + "host-b"}})
	records, err := nvmetcp.Discover(ctx, address, nvmetcp.Options{HostNQN: prefix + "host-a"})
	check(err)
	for _, r := range records {
		fmt.Println(r.Transport, r.Address, r.NQN)
	}

	// Output:
	// tcp 127.0.0.1 nqn.2026-11.org.example:shared
	// tcp 127.0.0.1 nqn.2026-11.org.example:for-a
}

// An initiator writes only if its options allow it. The code of an error is its kind.
func ExampleError() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	disk := nvmetcp.NewMemory(1 << 20)
	address := export(ctx, nvmetcp.Subsystem{NQN: "nqn.2026-11.org.example:disk", Backing: disk})
	controller, err := nvmetcp.Connect(ctx, address, nvmetcp.Options{})
	check(err)
	defer controller.Close()
	queue, err := controller.Queue(1)
	check(err)
	defer queue.Close()
	err = queue.Submit(0, true, 0, make([]byte, 512))
	var refused *nvmetcp.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code+":", refused.Text)
	}

	// Output:
	// read-only: a write, and it was opened for reading only
}

// export serves subsystems on a free port of loopback and returns the address of the first one.
func export(ctx context.Context, subsystems ...nvmetcp.Subsystem) nvmetcp.Address {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go nvmetcp.Serve(ctx, listener, subsystems...)
	address, err := nvmetcp.ParseAddress("nvme-tcp://" + listener.Addr().String() + "/" + subsystems[0].NQN)
	check(err)
	return address
}

// check ends the program at an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
