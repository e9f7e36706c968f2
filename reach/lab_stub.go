package reach

import "context"

// openLab opens a host of a lab.
func openLab(_ context.Context, s Spec) (Reach, error) {
	return nil, &Error{Reach: s.String(), Exit: -1, Cause: ErrNotAvailable}
}
