package catalog_test

import (
	"errors"
	"fmt"
	"strings"

	"linerate/internal/design/catalog"
)

// Find takes a part number in any spelling. Each property of a part has its source.
func ExampleCatalog_Find() {
	parts, err := catalog.Load()
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	nic, err := parts.Find("mcx354a-fcct")
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	fmt.Println(nic.Name)
	fmt.Printf("%d ports (%s), PCIe %d.0 x%d\n", len(nic.Ports), nic.Ports[0].Cage, nic.PCIe.Gen, nic.PCIe.Lanes)
	fmt.Println("price:", nic.Price.Money, "("+nic.Price.Note+")")
	for _, id := range nic.Sources["price"] {
		fmt.Println("source:", parts.Sources[id].Words())
	}

	// Output:
	// Mellanox MCX354A-FCCT
	// 2 ports (qsfp+), PCIe 3.0 x8
	// price: 12.67 USD (two bought together for 25.33 USD, used)
	// source: a published report (a 40GbE link between a FreeBSD server and a Windows workstation, 2025)
}

// The last letters of a part number decide what a NIC can do, so Find does not guess them.
func ExampleNotFoundError() {
	parts, err := catalog.Load()
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	for _, name := range []string{"MCX354A", "MCX354A-FCT"} {
		_, err := parts.Find(name)
		var unclear *catalog.NotFoundError
		if errors.As(err, &unclear) {
			fmt.Printf("%s: several %t, candidates %s\n", name, unclear.Several, strings.Join(unclear.Names, ", "))
		}
	}

	// Output:
	// MCX354A: several true, candidates mcx354a-qcbt, mcx354a-fcbt, mcx354a-fcct
	// MCX354A-FCT: several false, candidates mcx354a-fcct, mcx354a-fcbt, mcx354a-qcbt
}
