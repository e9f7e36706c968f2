package nvmetcp

// reader keeps what came and was not looked at yet: whole batches of PDUs come in one call. Large data does not go through it.
type reader struct {
	buf  []byte
	r, w int
}

const (
	stagingSize = 256 << 10
	directFrom  = 8 << 10  // what is left of a PDU's data and longer goes straight to its place
	shortRead   = 512      // behind and between large data: what else comes with it would be copied
	largeData   = 16 << 10 // bytes of a PDU from which it is large
)

func (d *reader) bytes() []byte { return d.buf[d.r:d.w] }

func (d *reader) skip(n int) {
	d.r += n
	if d.r == d.w {
		d.r, d.w = 0, 0
	}
}

// take copies what there is into dst and returns how much that was.
func (d *reader) take(dst []byte) int {
	n := copy(dst, d.buf[d.r:d.w])
	d.skip(n)
	return n
}

// room is where the next bytes go, at most n; what is there is moved to the front where fewer than need would fit behind it.
func (d *reader) room(n, need int) []byte {
	if len(d.buf)-d.w < need {
		d.w = copy(d.buf, d.buf[d.r:d.w])
		d.r = 0
	}
	return d.buf[d.w:min(d.w+n, len(d.buf))]
}
