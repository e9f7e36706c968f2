package measure

import (
	"io"

	"linerate/unit"
)

const (
	largestBuffer  = unit.MiB
	smallestBuffer = 128 * unit.KiB
	receiveBuffer  = 256 * unit.KiB
)

// streamSize is the buffer of one stream. One stream is fastest with 1 MiB (fewer sleeps at a full send buffer, larger
// packets); many streams with 1 MiB each leave the cache that both ends share on small machines, so they divide it.
func streamSize(streams int) unit.Bytes {
	return max(smallestBuffer, largestBuffer/unit.Bytes(max(1, streams)))
}

// send writes until the end, which is past the receiver's window, then closes its direction and waits for the receiver
// to do the same: everything that was sent has then been received.
func send(t *task) error {
	buf := t.payload(t.size)
	p := newPacer(t.setup.Pace, t.window.begin)
	buf = buf[:p.message(len(buf))]
	for Now() < t.window.stop {
		p.wait(t.sent.Load(), t.window.stop)
		n, err := t.wire.Write(buf)
		t.sent.Add(int64(n))
		if err != nil {
			return t.cutOff(err)
		}
	}
	if err := t.wire.closeWrite(); err != nil {
		return t.cutOff(connectError(t.wire.peer, err))
	}
	return t.finish()
}

// receive reads until the sender has closed its direction. Its buffer is no smaller than 256 KiB: with small messages
// it takes what is there at once.
func receive(t *task) error {
	buf := make([]byte, max(t.size, receiveBuffer))
	for {
		n, err := t.wire.Read(buf)
		if n > 0 {
			t.counter.add(Now(), n, t.wire.held)
		}
		if err == io.EOF {
			if Now() < t.window.close {
				return t.early()
			}
			t.wire.drained = true
			return t.wire.closeWrite()
		}
		if err != nil {
			return t.cutOff(err)
		}
	}
}
