package fabric_test

import (
	"fmt"
	"strings"

	"linerate/internal/design/fabric"
)

// Parse looks up part numbers in the catalogue. A NIC that is not in the catalogue is described in the file.
func ExampleParse() {
	f, problems := fabric.Parse("home.yaml", []byte(`
fabric: home
mtu: 9000
hosts:
  nas: {os: linux, nics: {fast: {part: &nic {kind: nic, speed: 25G, ports: 1, cage: sfp28}}}}
  pc[1-2]: {os: windows, nics: {fast: {part: MCX4121A-ACAT}}}
links:
  - {ends: [nas.fast, pc1.fast.1]}
  - {ends: [pc1.fast.2, pc2.fast.1]}
`), fabric.Options{})
	if len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	for _, h := range f.Hosts {
		fmt.Println(h.Name, h.OS, h.NICs[0].Part.Name)
	}
	for _, l := range f.Links {
		fmt.Println(l.Ends[0], "to", l.Ends[1])
	}

	// Output:
	// nas linux nic 1 x 25G, sfp28
	// pc1 windows NVIDIA MCX4121A-ACAT
	// pc2 windows NVIDIA MCX4121A-ACAT
	// nas.fast.1 to pc1.fast.1
	// pc1.fast.2 to pc2.fast.1
}

// Parse reports every error of a file at once, each with its place.
func ExampleParse_errors() {
	_, problems := fabric.Parse("home.yaml", []byte(`fabric: home
mtu: 90000
hosts:
  nas: {os: linux, nics: {fast: {part: MCX354A-FCT}}}
  pc: {os: linus, nics: {fast: {part: MCX354A-FCCT}}}
links:
  - {ends: [nas.fast.1, pc.fast.3]}
`), fabric.Options{})
	for _, p := range problems {
		fmt.Printf("line %d, column %d: %s: %s\n", p.Line, p.Col, p.Subject, p.Message)
		fix, _, _ := strings.Cut(p.Fix, "\n") // the first of several
		fmt.Println("  help:", fix)
	}

	// Output:
	// line 2, column 6: the file: mtu 90000 is out of range
	//   help: write a number from 576 to 65520
	// line 4, column 40: nic nas.fast: no part is called "MCX354A-FCT"
	//   help: did you mean MCX354A-FCCT (56G Ethernet, FDR)?
	// line 5, column 12: host pc: unknown os "linus"
	//   help: did you mean linux?
	// line 7, column 25: link nas.fast.1--pc.fast.3: NIC pc.fast has no port 3
	//   help: write pc.fast.1 or pc.fast.2
}

// Compact writes what ExpandName reads.
func ExampleExpandName() {
	names, err := fabric.ExpandName("node[8-10]")
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	fmt.Println(names)
	fmt.Println(fabric.Compact(names))

	// Output:
	// [node8 node9 node10]
	// node[8-10]
}
