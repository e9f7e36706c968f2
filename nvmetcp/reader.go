package nvmetcp

// reader buffers received bytes: one call reads whole batches of PDUs. Large data bypasses it.
type reader struct {
	buf  []byte
	r, w int
}

const (
	stagingSize = 256 << 10
	directFrom  = 8 << 10  // a PDU's remaining data of at least this size goes directly to its place
	shortRead   = 512      // between large data: more would have to be copied
	largeData   = 16 << 10 // bytes of data from which a PDU is large
)

func (d *reader) bytes() []byte { return d.buf[d.r:d.w] }

func (d *reader) skip(n int) {
	d.r += n
	if d.r == d.w {
		d.r, d.w = 0, 0
	}
}

// take copies available bytes into dst and returns their number.
func (d *reader) take(dst []byte) int {
	n := copy(dst, d.buf[d.r:d.w])
	d.skip(n)
	return n
}

// room returns space for the next bytes, at most n; if less than need is free at the end, it first moves the contents
// to the front.
func (d *reader) room(n, need int) []byte {
	if len(d.buf)-d.w < need {
		d.w = copy(d.buf, d.buf[d.r:d.w])
		d.r = 0
	}
	return d.buf[d.w:min(d.w+n, len(d.buf))]
}
