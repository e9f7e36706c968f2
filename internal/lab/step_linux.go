package lab

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// stepVariable names the environment variable by which a test has a process of the lab die at a step of Up:
// "controller 3" or "init 7". Nothing is cleaned up then, as by kill -9.
const stepVariable = "LINERATE_LAB_DIE_AT"

// stepper counts the steps of one process.
type stepper struct {
	role string
	n    int
}

// at is called after each step.
func (s *stepper) at() {
	s.n++
	role, n, ok := strings.Cut(os.Getenv(stepVariable), " ")
	if !ok || role != s.role || n != strconv.Itoa(s.n) {
		return
	}
	// The init of a pid namespace cannot be killed from inside; exit_group runs no handler either.
	if s.role == "controller" {
		unix.Kill(os.Getpid(), unix.SIGKILL)
		select {}
	}
	unix.Exit(137)
}
