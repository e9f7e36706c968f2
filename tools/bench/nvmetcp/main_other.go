//go:build !linux

package main

import "os"

func main() {
	_, _ = os.Stderr.WriteString("nvmetcp: it measures between network namespaces, which need Linux\n")
	os.Exit(2)
}
