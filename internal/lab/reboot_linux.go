package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"linerate/internal/host/connect"
)

// Reboot starts the operating system of a lab's guest again and returns when its network is up again. With an empty id
// it is the only running lab. A guest that does not come back is an error with the last lines of its console.
func Reboot(ctx context.Context, id, host string) (out Rebooted, err error) {
	dir, state, err := connect.FindLab(id)
	if err != nil {
		return out, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", filepath.Join(dir, connect.LabSocketFile))
	if err != nil {
		return out, fmt.Errorf("the init of lab %s does not answer: %w", state.ID, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })()
	if err := connect.WriteLabFrame(conn, connect.LabRequest{Token: state.Token, Op: "reboot", Host: host}); err != nil {
		return out, fmt.Errorf("the init of lab %s took no request: %w", state.ID, err)
	}
	for {
		// The init sends a progress message every waitingEvery.
		conn.SetReadDeadline(time.Now().Add(5 * waitingEvery))
		var a connect.LabAnswer
		err := connect.ReadLabFrame(conn, &a)
		switch {
		case ctx.Err() != nil:
			return out, context.Cause(ctx)
		case err != nil:
			return out, fmt.Errorf("lab %s: no answer of its init: %w", state.ID, err)
		case a.Waiting != "":
		case a.Code == connect.LabNoHost:
			return out, noReboot(a.Error)
		case a.Error != "":
			return out, errors.New(a.Error)
		default:
			return out, json.Unmarshal(a.Body, &out)
		}
	}
}

// noReboot is an ErrNoReboot with its own text.
type noReboot string

func (e noReboot) Error() string        { return string(e) }
func (e noReboot) Is(target error) bool { return target == ErrNoReboot }
