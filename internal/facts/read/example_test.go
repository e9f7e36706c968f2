package read_test

import (
	"fmt"

	"linerate/internal/facts/read"
)

// A snapshot has the outputs of commands. Parse joins their facts about one interface.
func ExampleParse() {
	f, err := read.Parse([]byte(`schema linerate/snapshot/1
host nas
os linux
-- ethtool eth2 --
Settings for eth2:
	Speed: 25000Mb/s
	Duplex: Full
	Link detected: yes
-- ethtool -k eth2 --
Features for eth2:
tcp-segmentation-offload: off
	tx-tcp-segmentation: off
generic-receive-offload: on
`))
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	nic := f.NIC("eth2")
	fmt.Println(f.Host, nic.Name, nic.Speed.Or(0), "TSO on:", nic.Offloads["tx-tcp-segmentation"])
	fmt.Println("CPUs: unknown,", f.CPU.Count.Why())

	// Output:
	// nas eth2 25.0 Gb/s TSO on: false
	// CPUs: unknown, it was not looked for
}

// Parse reads the rest of a snapshot when one output has no facts, and keeps the reason.
func ExampleParse_unknown() {
	f, err := read.Parse([]byte(`-- ethtool eth2 --
Cannot get device settings: Operation not permitted
-- ethtool eth3 --
Settings for eth3:
	Speed: 10000Mb/s
	Link detected: yes
`))
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	for _, u := range f.Unknown {
		fmt.Printf("%s: %s\n", u.Subject, u.Reason)
	}
	fmt.Println("eth3:", f.NIC("eth3").Speed.Or(0))
	fmt.Println("eth3: duplex is unknown,", f.NIC("eth3").Duplex.Why())

	// Output:
	// ethtool eth2: the output has nothing of the expected form: "Cannot get device settings: Operation not permitted"
	// eth3: 10.0 Gb/s
	// eth3: duplex is unknown, the driver does not name it
}
