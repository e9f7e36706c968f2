package wire

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// packet is a frame made by hand: its headers as written down here, its checksums left out.
type packet struct {
	v6, udp     bool
	vlan        bool
	options     int // bytes of options of TCP
	ext         bool
	ecn         byte
	id          uint16
	seq         uint32
	flags       byte
	payload     []byte
	noTransport bool // ICMP instead
}

func (p packet) bytes() []byte {
	b := []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}
	if p.vlan {
		b = append(b, 0x81, 0x00, 0x20, 0x0a)
	}
	var l4 []byte
	proto := byte(6)
	switch {
	case p.noTransport:
		proto = 1
		l4 = []byte{8, 0, 0, 0, 0, 1, 0, 1}
	case p.udp:
		proto = 17
		l4 = make([]byte, 8)
		binary.BigEndian.PutUint16(l4, 4000)
		binary.BigEndian.PutUint16(l4[2:], 5000)
		binary.BigEndian.PutUint16(l4[4:], uint16(8+len(p.payload)))
	default:
		l4 = make([]byte, 20+p.options)
		binary.BigEndian.PutUint16(l4, 4000)
		binary.BigEndian.PutUint16(l4[2:], 5000)
		binary.BigEndian.PutUint32(l4[4:], p.seq)
		binary.BigEndian.PutUint32(l4[8:], 77)
		l4[12], l4[13] = byte(len(l4)/4)<<4, p.flags
		binary.BigEndian.PutUint16(l4[14:], 500)
		for i := 20; i < len(l4); i++ {
			l4[i] = 1 // no operation
		}
	}
	l4 = append(l4, p.payload...)
	if p.v6 {
		b = append(b, 0x86, 0xdd)
		ip := make([]byte, 40)
		ip[0], ip[1] = 0x60, p.ecn<<4
		ip[6], ip[7] = proto, 64
		ip[8], ip[23], ip[24], ip[39] = 0xfd, 1, 0xfd, 2
		if p.ext {
			ip[6] = protoDestination
			l4 = append([]byte{proto, 0, 1, 4, 0, 0, 0, 0}, l4...)
		}
		binary.BigEndian.PutUint16(ip[4:], uint16(len(l4)))
		return append(append(b, ip...), l4...)
	}
	b = append(b, 0x08, 0x00)
	ip := make([]byte, 20)
	ip[0], ip[1] = 0x45, p.ecn
	binary.BigEndian.PutUint16(ip[2:], uint16(20+len(l4)))
	binary.BigEndian.PutUint16(ip[4:], p.id)
	ip[6], ip[8], ip[9] = 0x40, 64, proto
	copy(ip[12:], []byte{10, 0, 0, 1, 10, 0, 0, 2})
	return append(append(b, ip...), l4...)
}

// sealed is the frame with its checksums, and where its header of transport begins.
func (p packet) sealed() (frame []byte, l4 int) {
	frame = p.bytes()
	h, _ := parse(frame)
	if !p.v6 {
		headerChecksum(frame[14:34])
	}
	h.transportChecksum(frame)
	return frame, h.l4
}

// slow is the Internet checksum as RFC 1071 has it, word for word.
func slow(parts ...[]byte) uint16 {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	if len(all)%2 == 1 {
		all = append(all, 0)
	}
	var s uint32
	for i := 0; i < len(all); i += 2 {
		s += uint32(all[i])<<8 | uint32(all[i+1])
		s = s&0xffff + s>>16
	}
	return uint16(s)
}

// right reports whether both checksums of a frame are.
func right(t *testing.T, frame []byte, ip, l4 int) (header, body bool) {
	t.Helper()
	v6 := frame[ip]>>4 == 6
	proto, addresses := frame[ip+9], frame[ip+12:ip+20]
	if v6 {
		proto, addresses = frame[ip+6], frame[ip+8:ip+40]
		if proto == protoDestination {
			proto = frame[ip+40]
		}
	}
	n := len(frame) - l4
	header = v6 || slow(frame[ip:ip+20]) == 0xffff
	return header, slow(addresses, []byte{0, proto, byte(n >> 8), byte(n)}, frame[l4:]) == 0xffff
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

func all(t *testing.T, o offload, frame []byte) (out [][]byte) {
	t.Helper()
	if err := cut(o, frame, new(store), func(p []byte) { out = append(out, p) }); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCutTCP(t *testing.T) {
	const fin, psh, ack, ece, cwr = 0x01, 0x08, 0x10, 0x40, 0x80
	for name, c := range map[string]struct {
		p      packet
		kind   byte
		ip, l4 int
	}{
		"IPv4":                    {packet{options: 12}, gsoTCPv4, 14, 34},
		"IPv4 in a VLAN":          {packet{options: 12, vlan: true}, gsoTCPv4, 18, 38},
		"IPv6":                    {packet{v6: true, options: 12}, gsoTCPv6, 14, 54},
		"IPv6 with an own header": {packet{v6: true, ext: true}, gsoTCPv6, 14, 62},
	} {
		t.Run(name, func(t *testing.T) {
			data := pattern(3*1448 + 501)
			c.p.payload, c.p.id, c.p.seq, c.p.flags = data, 0xfffe, 0xffffff00, ack|fin|psh|ece|cwr
			out := all(t, offload{flags: vnetNeedsChecksum, kind: c.kind, size: 1448, start: uint16(c.l4), checked: 16},
				c.p.bytes())
			if len(out) != 4 {
				t.Fatalf("%d segments, want 4", len(out))
			}
			head := c.l4 + 20 + c.p.options
			var got []byte
			for i, f := range out {
				last := i == 3
				want := 1448
				if last {
					want = 501
				}
				if len(f) != head+want {
					t.Fatalf("segment %d: %d bytes, want %d", i, len(f), head+want)
				}
				if header, body := right(t, f, c.ip, c.l4); !header || !body {
					t.Errorf("segment %d: checksum of the header right: %v, of TCP: %v", i, header, body)
				}
				if seq := binary.BigEndian.Uint32(f[c.l4+4:]); seq != 0xffffff00+uint32(i*1448) {
					t.Errorf("segment %d: sequence number %#x", i, seq)
				}
				flags := byte(ack | ece)
				if i == 0 {
					flags |= cwr
				}
				if last {
					flags |= fin | psh
				}
				if f[c.l4+13] != flags {
					t.Errorf("segment %d: flags %#x, want %#x", i, f[c.l4+13], flags)
				}
				if c.p.v6 {
					if n := int(binary.BigEndian.Uint16(f[c.ip+4:])); n != len(f)-c.ip-40 {
						t.Errorf("segment %d: payload length %d", i, n)
					}
				} else {
					if n := int(binary.BigEndian.Uint16(f[c.ip+2:])); n != len(f)-c.ip {
						t.Errorf("segment %d: total length %d", i, n)
					}
					if id := binary.BigEndian.Uint16(f[c.ip+4:]); id != 0xfffe+uint16(i) {
						t.Errorf("segment %d: id %#x", i, id)
					}
				}
				got = append(got, f[head:]...)
			}
			if !bytes.Equal(got, data) {
				t.Error("the payload is another")
			}
		})
	}
}

func TestCutUDP(t *testing.T) {
	for _, v6 := range []bool{false, true} {
		p := packet{v6: v6, udp: true, payload: pattern(2500), id: 9}
		l4 := 34
		if v6 {
			l4 = 54
		}
		out := all(t, offload{flags: vnetNeedsChecksum, kind: gsoUDP, size: 1000, start: uint16(l4), checked: 6}, p.bytes())
		if len(out) != 3 {
			t.Fatalf("%d datagrams, want 3", len(out))
		}
		for i, want := range []int{1000, 1000, 500} {
			if n := int(binary.BigEndian.Uint16(out[i][l4+4:])); n != 8+want || len(out[i]) != l4+8+want {
				t.Errorf("datagram %d: length %d in a frame of %d", i, n, len(out[i]))
			}
			if header, body := right(t, out[i], 14, l4); !header || !body {
				t.Errorf("datagram %d: checksum of the header right: %v, of UDP: %v", i, header, body)
			}
			if !bytes.Equal(out[i][l4+8:], p.payload[1000*i:1000*i+want]) {
				t.Errorf("datagram %d: other payload", i)
			}
		}
	}
}

// A packet that was not cut, with the sum of the pseudo-header in the place of the checksum, padded or not.
func TestPartialChecksum(t *testing.T) {
	for _, pad := range []int{0, 7} {
		for _, size := range []int{0, 1, 2, 999, 1448} {
			frame := packet{payload: pattern(size), flags: 0x10}.bytes()
			headerChecksum(frame[14:34])
			n := len(frame) - 34
			binary.BigEndian.PutUint16(frame[34+16:], slow(frame[26:34], []byte{0, 6, byte(n >> 8), byte(n)}))
			whole := len(frame)
			frame = append(frame, bytes.Repeat([]byte{0xee}, pad)...)
			out := all(t, offload{flags: vnetNeedsChecksum, start: 34, checked: 16}, frame)
			if len(out) != 1 {
				t.Fatalf("%d frames", len(out))
			}
			if header, body := right(t, out[0][:whole], 14, 34); !header || !body {
				t.Errorf("%d bytes, %d padded: checksum of the header right: %v, of TCP: %v", size, pad, header, body)
			}
			if &out[0][0] == &frame[0] {
				t.Error("the frame is the caller's, not a copy")
			}
		}
	}
}

func TestNotCut(t *testing.T) {
	tcp := packet{payload: pattern(3000)}.bytes()
	udp := packet{udp: true, payload: pattern(3000)}.bytes()
	piece := packet{payload: pattern(3000)}.bytes()
	piece[14+6] = 0x20 // more fragments
	for name, c := range map[string]struct {
		o     offload
		frame []byte
	}{
		"VXLAN: UDP outside, TCP announced": {offload{kind: gsoTCPv4, size: 1000}, udp},
		"no size":                           {offload{kind: gsoTCPv4}, tcp},
		"UDP fragmentation offload":         {offload{kind: 3, size: 1000}, udp},
		"a type of IPv6 with IPv4":          {offload{kind: gsoTCPv6, size: 1000}, tcp},
		"cut off":                           {offload{kind: gsoTCPv4, size: 1000}, tcp[:50]},
		"ARP":                               {offload{kind: gsoTCPv4, size: 1000}, append(tcp[:12:12], 8, 6, 0, 1)},
		"a fragment":                        {offload{kind: gsoTCPv4, size: 1000}, piece},
		"a checksum behind the end":         {offload{flags: vnetNeedsChecksum, start: 3000, checked: 60}, tcp},
	} {
		if err := cut(c.o, c.frame, new(store), func([]byte) { t.Errorf("%s: something came out", name) }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestChecksumAgainstTheSlowOne(t *testing.T) {
	b := pattern(300)
	for i := range b {
		if i%3 == 0 {
			b[i] = 0xff
		}
	}
	for from := range 40 {
		for to := from; to <= len(b); to++ {
			fast, want := fold(sum(b[from:to])), slow(b[from:to])
			if fast != want && (fast%0xffff != 0 || want%0xffff != 0) {
				t.Fatalf("bytes %d to %d: %#x, want %#x", from, to, fast, want)
			}
		}
	}
}

// Buffers come back: carrying makes no garbage.
func TestStore(t *testing.T) {
	var s store
	for _, size := range []int{1, 256, 257, 1514, 9014, 60000} {
		b := s.get(size)
		if len(b) != size {
			t.Fatalf("%d bytes, want %d", len(b), size)
		}
		s.put(b)
		if again := s.get(size); &again[:1][0] != &b[:1][0] {
			t.Errorf("%d bytes: another buffer", size)
		}
	}
	s.put(make([]byte, 100)) // one of another size is dropped
	if b := s.get(200); cap(b) < 200 {
		t.Errorf("a buffer of %d bytes for 200", cap(b))
	}
}

// FuzzCut: whatever is in a header and a frame, nothing panics, every packet has the size that was asked for, right
// checksums, and together they have the payload.
func FuzzCut(f *testing.F) {
	for _, p := range []packet{{payload: pattern(4000), options: 12}, {v6: true, payload: pattern(4000)}, {v6: true,
		ext: true, payload: pattern(100)}, {udp: true, payload: pattern(3000)}, {noTransport: true, vlan: true}} {
		for _, kind := range []byte{0, 1, 3, 4, 5, 0x81} {
			f.Add(append([]byte{1, kind, 66, 0, 0xe8, 3, 34, 0, 16, 0}, p.bytes()...))
		}
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < vnetSize {
			return
		}
		o, frame := readOffload(b), b[vnetSize:]
		var out [][]byte
		err := cut(o, frame, new(store), func(p []byte) { out = append(out, p) })
		if err != nil {
			if len(out) > 0 {
				t.Fatal("packets and an error")
			}
			return
		}
		pipe := NewPipe(Settings{All: true, CE: 1, Corrupt: 1, Duplicate: 0.5}, 1)
		defer func() {
			for _, p := range out {
				pipe.Put(0, p)
			}
			for pipe.Take(0) != nil {
			}
			if pipe.Carried != uint64(len(out))+pipe.Duplicated {
				t.Fatalf("%+v of %d", pipe.Counts, len(out))
			}
		}()
		if o.kind == gsoNone {
			if len(out) != 1 || len(out[0]) != len(frame) {
				t.Fatalf("%d frames", len(out))
			}
			return
		}
		h, ok := parse(frame)
		if !ok {
			t.Fatal("cut, but not parsed")
		}
		var got []byte
		for i, p := range out {
			one, ok := parse(p)
			if !ok || one.payload != h.payload {
				t.Fatalf("packet %d cannot be parsed", i)
			}
			if one.end-one.payload > int(o.size) {
				t.Fatalf("packet %d has %d bytes of payload", i, one.end-one.payload)
			}
			if fold(one.pseudo(p, one.end-one.l4)+sum(p[one.l4:one.end])) != 0xffff {
				t.Fatalf("packet %d: wrong checksum", i)
			}
			if !one.v6 && fold(sum(p[one.ip:one.l4])) != 0xffff {
				t.Fatalf("packet %d: wrong checksum of the header", i)
			}
			got = append(got, p[one.payload:one.end]...)
		}
		if !bytes.Equal(got, frame[h.payload:h.end]) {
			t.Fatal("other payload")
		}
	})
}
