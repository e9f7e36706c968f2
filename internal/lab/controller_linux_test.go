package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"linerate/internal/base/unit"
)

// controllerMain is a controller in a process of its own, so that it can be killed: it brings a pair up, prints its Info
// and, unless the lab is to stay, waits for ever. Its argument is "bound", "detach", or "detach-userns": in a user namespace.
func controllerMain(args []string) int {
	l, err := Up(context.Background(), pair(10*unit.GigabitPerSecond, 1500), Options{Scale: 1, Detach: args[0] != "bound", UserNamespace: args[0] == "detach-userns"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	json.NewEncoder(os.Stdout).Encode(l.Info)
	if args[0] == "bound" {
		select {}
	}
	return 0
}
