package diag_test

import (
	"fmt"

	"linerate/internal/base/diag"
)

// A problem names its place, the limit and the correction. It quotes the line with a caret.
func ExampleText_Place() {
	text := diag.New("hosts.yaml", []byte("nas:\n  mtu: 90000\n"))
	problem := text.Place(diag.At{Line: 2, Col: 8}, diag.Problem{Subject: "host nas", Message: "the MTU is 90000",
		Limit: "an IP MTU is at most 65535", Fix: "write mtu: 9000"})
	fmt.Println(problem)

	// Output:
	// hosts.yaml:2:8: host nas: the MTU is 90000; an IP MTU is at most 65535; write mtu: 9000
	//     mtu: 90000
	//          ^
}

// Nearest finds what a misspelt word was most likely meant to be.
func ExampleNearest() {
	methods := []string{"throughput", "latency", "storage"}
	fmt.Printf("%q %q\n", diag.Nearest("troughput", methods), diag.Nearest("copy", methods))

	// Output:
	// "throughput" ""
}

// A password in the file does not reach the terminal. The caret stays in its place.
func ExampleText_Place_password() {
	text := diag.New("hosts.yaml", []byte("share: {login: nas:secret, kind: smbx}\n"))
	problem := diag.Problem{Subject: "share", Message: "no kind is called smbx", Fix: "write smb"}
	fmt.Println(text.Place(diag.At{Line: 1, Col: 34}, problem))

	// Output:
	// hosts.yaml:1:34: share: no kind is called smbx; write smb
	//   share: {login: **********, kind: smbx}
	//                                    ^
}
