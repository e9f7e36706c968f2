package agent

import "sync"

// keeper keeps an output: all of it, or of one that is longer its first quarter and the end.
type keeper struct {
	most int
	told chan struct{} // of capacity 1: something came

	mu   sync.Mutex
	head []byte
	tail []byte
	left int64
}

func (k *keeper) Write(p []byte) (int, error) {
	k.mu.Lock()
	rest := p
	if room := k.most/4 - len(k.head); room > 0 {
		n := min(room, len(rest))
		k.head, rest = append(k.head, rest[:n]...), rest[n:]
	}
	k.tail = append(k.tail, rest...)
	if n := len(k.tail) - (k.most - k.most/4); n > 0 {
		k.left += int64(n)
		k.tail = append(k.tail[:0], k.tail[n:]...)
	}
	k.mu.Unlock()
	select {
	case k.told <- struct{}{}:
	default:
	}
	return len(p), nil
}

// kept is what is there so far.
func (k *keeper) kept() Kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := Kept{Left: k.left, Text: append([]byte(nil), k.head...)}
	out.Text = append(out.Text, k.tail...)
	return out
}
