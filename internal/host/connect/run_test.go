package connect

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestRunNoProgram(t *testing.T) {
	_, err := Run(t.Context(), local{}, nil, "linerate-no-such-program")
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrNoProgram) {
		t.Fatalf("got %v, want ErrNoProgram as *Error", err)
	}
	if !strings.Contains(err.Error(), "linerate-no-such-program") || !strings.Contains(err.Error(), "try: install it") {
		t.Errorf("the message %q does not name the program and the next step", err)
	}
}

func TestRunOutputLimit(t *testing.T) {
	out, err := Run(t.Context(), local{}, nil, "sh", "-c", "exec cat /dev/zero")
	if err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Fatalf("endless output: error %v, want one that names the limit", err)
	}
	if len(out.Stdout) != OutputLimit {
		t.Errorf("kept %d bytes, want %d", len(out.Stdout), OutputLimit)
	}
}

func TestRunEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, local{}, nil, "true"); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
}

// A command that ended by itself keeps its exit code if the context ends before Wait is called.
func TestWaitAfterTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := local{}.Start(ctx, Command{Argv: []string{"sh", "-c", "exit 3"}})
	if err != nil {
		t.Fatal(err)
	}
	<-p.(*process).done
	cancel()
	if exit, err := p.Wait(); exit != 3 || err != nil {
		t.Errorf("got %d, %v; want 3", exit, err)
	}
}
