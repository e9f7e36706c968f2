//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd

package job

import "os"

// statusSignals are none: this system has no signal for it.
func statusSignals() []os.Signal { return nil }
