//go:build !linux

package traffic

import "context"

// sleepThread is SleepUntil.
func sleepThread(ctx context.Context, at int64) bool { return SleepUntil(ctx, at) }

// finer needs Linux.
func finer() bool { return false }
