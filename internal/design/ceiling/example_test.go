package ceiling_test

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
)

// A larger MTU leaves more of the link to TCP's payload.
func ExampleTCPOverEthernet() {
	for _, mtu := range []int{1500, 9000} {
		c, err := ceiling.TCPOverEthernet(40*unit.GigabitPerSecond, ceiling.Ethernet{MTU: mtu, Timestamps: true})
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		fmt.Printf("MTU %d: %s, %s of the link\n", mtu, c.Rate, unit.Percent(float64(c.Rate)/40e9))
		fmt.Println("  ", c.Formula)
	}

	// Output:
	// MTU 1500: 37.7 Gb/s, 94 % of the link
	//    rate * (mtu - 40 - 12) / (mtu + 38)
	// MTU 9000: 39.6 Gb/s, 99.0 % of the link
	//    rate * (mtu - 40 - 12) / (mtu + 38)
}

// A NIC with a 40 Gb/s port needs eight lanes of PCIe 3.0.
func ExamplePCIeWrite() {
	for _, lanes := range []int{4, 8} {
		slot := ceiling.PCIe{Generation: 3, Lanes: lanes, Payload: 256}
		raw, err := ceiling.PCIeRaw(slot)
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		received, err := ceiling.PCIeWrite(slot)
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		fmt.Printf("PCIe 3.0 x%d: %s on the lanes, %s of received data\n", lanes, raw.Rate, received.Rate)
	}

	// Output:
	// PCIe 3.0 x4: 31.5 Gb/s on the lanes, 26.6 Gb/s of received data
	// PCIe 3.0 x8: 63.0 Gb/s on the lanes, 52.9 Gb/s of received data
}

// The lowest ceiling of a path limits the whole path.
func ExampleLowest() {
	link, err := ceiling.TCPOverEthernet(40*unit.GigabitPerSecond, ceiling.Ethernet{MTU: 9000, Timestamps: true})
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	slot, err := ceiling.PCIeWrite(ceiling.PCIe{Generation: 3, Lanes: 4, Payload: 256})
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	names := []string{"link", "slot"}
	all := []ceiling.Ceiling{link, slot}
	at := ceiling.Lowest(all)
	fmt.Println("bottleneck:", names[at], all[at].Rate)

	// Output:
	// bottleneck: slot 26.6 Gb/s
}
