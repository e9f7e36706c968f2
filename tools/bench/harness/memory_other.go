//go:build !unix

package harness

import "os"

// PeakMemory is unknown on this system: 0.
func PeakMemory(*os.ProcessState) int64 { return 0 }
