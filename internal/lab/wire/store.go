package wire

// store keeps buffers for frames, so that carrying them makes no garbage. Not for two goroutines at once.
type store struct {
	free [len(classes)][][]byte
}

// classes are the sizes of buffers, in bytes: acknowledgements, frames of MTU 1500, of jumbo MTUs, and of 64 KiB on a loopback.
var classes = [...]int{256, 2 << 10, 10 << 10, 68 << 10}

func class(size int) int {
	for i, most := range classes {
		if size <= most {
			return i
		}
	}
	return -1
}

// get returns a buffer of a length, with anything in it.
func (s *store) get(size int) []byte {
	i := class(size)
	if i < 0 {
		return make([]byte, size)
	}
	if n := len(s.free[i]); n > 0 {
		b := s.free[i][n-1]
		s.free[i] = s.free[i][:n-1]
		return b[:size]
	}
	return make([]byte, size, classes[i])
}

// put gives a buffer back.
func (s *store) put(b []byte) {
	if i := class(cap(b)); i >= 0 && cap(b) == classes[i] {
		s.free[i] = append(s.free[i], b)
	}
}
