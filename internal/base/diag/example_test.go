package diag_test

import (
	"fmt"

	"linerate/internal/base/diag"
)

// A problem names its place, the limit and the correction. It quotes the line with carets.
func ExampleText_Place() {
	text := diag.New("hosts.yaml", []byte("nas:\n  mtu: 90000\n"))
	problem := text.Place(diag.At{Line: 2, Col: 8}, diag.Problem{Subject: "host nas", Message: "the MTU is 90000",
		Limit: "an IP MTU is at most 65535", Fix: "write mtu: 9000"})
	fmt.Println(problem)

	// Output:
	// error: the MTU is 90000
	//   --> hosts.yaml:2:8
	//    |
	//  2 |   mtu: 90000
	//    |        ^^^^^ an IP MTU is at most 65535
	// help: write mtu: 9000
}

// Nearest finds what a misspelt word was most likely meant to be.
func ExampleNearest() {
	methods := []string{"throughput", "latency", "storage"}
	fmt.Printf("%q %q\n", diag.Nearest("troughput", methods), diag.Nearest("copy", methods))

	// Output:
	// "throughput" ""
}

// A password in the file does not reach the terminal. The carets stay in their place.
func ExampleText_Place_password() {
	text := diag.New("hosts.yaml", []byte("share: {login: nas:secret, kind: smbx}\n"))
	problem := diag.Problem{Subject: "share", Message: "no kind is called smbx", Fix: "write smb"}
	fmt.Println(text.Place(diag.At{Line: 1, Col: 34}, problem))

	// Output:
	// error: no kind is called smbx
	//   --> hosts.yaml:1:34
	//    |
	//  1 | share: {login: **********, kind: smbx}
	//    |                                  ^^^^ in share
	// help: write smb
}
