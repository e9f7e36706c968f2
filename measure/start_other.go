//go:build !linux

package measure

import "context"

// sleepThread is sleepUntil where the kernel is not asked.
func sleepThread(ctx context.Context, at int64) bool { return sleepUntil(ctx, at) }
