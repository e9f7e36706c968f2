//go:build !linux

package traffic

func (w *wire) ask([]byte, bool) (*reading, error) { return w.reading() }
