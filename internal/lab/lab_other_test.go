//go:build !linux

package lab

import (
	"context"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
	"linerate/internal/lab/labtest"
)

func TestNeedsLinux(t *testing.T) {
	_, errUp := Up(context.Background(), labtest.Pair(unit.GigabitPerSecond, 1500), Options{})
	_, errList := List()
	_, errFind := Find("abcd")
	_, errExec := Exec(context.Background(), "abcd/a", connect.Command{Argv: []string{"true"}})
	_, errConnection := connect.Open(context.Background(), connect.Spec{Kind: connect.Lab, Name: "a"})
	for _, err := range []error{errUp, errList, errFind, errExec, errConnection, Down("abcd"), (&Lab{}).Down()} {
		if err == nil || !strings.Contains(err.Error(), "the lab needs Linux") {
			t.Errorf("error %v, want one that says that the lab needs Linux", err)
		}
	}
}
