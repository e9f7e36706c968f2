//go:build !linux

package measure

func (w *wire) ask([]byte, bool) (*reading, error) { return w.reading() }
