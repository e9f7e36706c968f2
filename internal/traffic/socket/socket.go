// Package socket has what every engine does with its sockets: dial many at once, bind to an interface, mark packets,
// and read back what is in effect.
package socket

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"linerate/internal/base/failure"
)

const (
	// ConnectTimeout is the time in which a connection must be answered.
	ConnectTimeout = 5 * time.Second
	// dialing is the number of connections that are opened at once.
	dialing = 64
)

// DialAll opens n connections, several at once, or none: the first error ends all.
func DialAll[W interface{ Close() }](ctx context.Context, n int,
	one func(ctx context.Context, index int) (W, error)) ([]W, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	wires, open := make([]W, n), make([]bool, n)
	slots := make(chan struct{}, dialing)
	var wg sync.WaitGroup
	for i := range wires {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			w, err := one(ctx, i)
			if err != nil {
				cancel(err) // the first one counts
				return
			}
			wires[i], open[i] = w, true
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		answered := 0
		for i, w := range wires {
			if open[i] {
				answered++
				w.Close()
			}
		}
		return nil, NotAll(context.Cause(ctx), answered, n)
	}
	return wires, nil
}

// NotAll is the error of a connection that was not answered where others were: no firewall blocks them then.
func NotAll(err error, answered, all int) error {
	var e *failure.Error
	if answered == 0 || !errors.As(err, &e) || e.Code != failure.CodeTimeout {
		return err
	}
	return &failure.Error{Code: e.Code, Subject: e.Subject,
		Text: fmt.Sprintf("no answer in %v, though %d of %d connections were answered, so a firewall is not the cause; "+
			"packets are lost on the way, in a queue that is too short for so many at once or on a bad link; ask for fewer "+
			"streams, and look at the drops of both interfaces (ip -s link)", ConnectTimeout, answered, all)}
}

// The token of an experiment is hexadecimal text.
const (
	tokenBits = 128
	TokenSize = tokenBits / 4
)

// NewToken makes a token for one experiment.
func NewToken() string {
	var b [tokenBits / 8]byte
	rand.Read(b[:]) // never fails: the program ends instead
	return hex.EncodeToString(b[:])
}
