//go:build !linux

package traffic

import "context"

// sleepThread is sleepUntil where the kernel is not asked.
func sleepThread(ctx context.Context, at int64) bool { return sleepUntil(ctx, at) }
