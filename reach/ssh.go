package reach

import "context"

func openSSH(_ context.Context, s Spec) (Reach, error) {
	return nil, &Error{Reach: s.String(), Exit: -1, Cause: ErrNotAvailable}
}
