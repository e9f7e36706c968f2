package connect

import "context"

// local is this machine.
type local struct{}

func (local) String() string    { return "local" }
func (local) Close() error      { return nil }
func (local) SameMachine() bool { return true }

func (l local) Start(ctx context.Context, c Command) (Process, error) {
	p, err := startProcessAs(ctx, l.String(), c, how{dir: c.Dir})
	if err != nil {
		return nil, err
	}
	return p, nil
}
