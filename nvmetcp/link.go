package nvmetcp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"
)

// link is a connection of the initiator with one outstanding command: the admin queue, and an I/O queue until it is
// connected. It never reads beyond the PDU that it waits for.
type link struct {
	conn    net.Conn
	subject string
	f       framing
	most    uint32 // MAXH2CDATA
	timeout time.Duration
	cid     uint16
	buf     []byte
	broken  error // why the connection is unusable
}

const biggestTransfer = 16 << 20 // bytes of one command, whatever the target allows

func dial(ctx context.Context, a Address, o Options, subject string) (*link, error) {
	d := net.Dialer{Timeout: o.timeout()}
	if o.Local.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(o.Local, 0))
	}
	connect := o.dial
	if connect == nil {
		connect = d.DialContext
	}
	conn, err := connect(ctx, "tcp", a.hostPort())
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		var name *net.DNSError
		if errors.As(err, &name) {
			return nil, failure(CodeUnreachable, subject, "the name %s cannot be looked up: %s", a.Host, name.Err)
		}
		return nil, connectionError(subject, "connecting to "+a.hostPort(), err)
	}
	if o.wrap != nil {
		conn = o.wrap(conn)
	}
	l := &link{conn: conn, subject: subject, timeout: o.timeout(), buf: make([]byte, cmdSize+beforeMost+adminInCapsule)}
	defer watch(ctx, l)()
	if err := l.initialize(o); err != nil {
		conn.Close()
		return nil, err
	}
	return l, nil
}

// initialize exchanges ICReq and ICResp (TCP, section 3.2).
func (l *link) initialize(o Options) error {
	l.conn.SetDeadline(time.Now().Add(l.timeout))
	ask := initial{align: 4, header: o.HeaderDigest, data: o.DataDigest, most: uint32(o.r2ts())}
	if _, err := l.conn.Write(ask.put(pduICReq)); err != nil {
		return connectionError(l.subject, "writing ICReq", err)
	}
	if _, err := io.ReadFull(l.conn, l.buf[:headSize]); err != nil {
		e := connectionError(l.subject, "waiting for ICResp", err)
		if e.Code == CodeReset || e.Code == CodeTimeout {
			e.Text += "; perhaps what listens there is no NVMe/TCP target"
		}
		return e
	}
	h := parseHead(l.buf)
	if h.kind == pduC2HTermReq {
		return l.terminated(h)
	}
	if h.kind != pduICResp || h.hlen != icSize || h.plen != icSize {
		return failure(CodeProtocol, l.subject,
			"it answered ICReq with %q and not with an ICResp; what listens there is no NVMe/TCP target", l.buf[:headSize])
	}
	if _, err := io.ReadFull(l.conn, l.buf[headSize:icSize]); err != nil {
		return connectionError(l.subject, "reading ICResp", err)
	}
	answer, f := parseInitial(l.buf[:icSize], pduICResp)
	if f != nil {
		return l.violates(f, l.buf[:icSize])
	}
	if answer.header && !ask.header || answer.data && !ask.data {
		return l.violates(badField(11, "ICResp turns a digest on that was not asked for"), l.buf[:icSize])
	}
	l.f = framing{header: answer.header, data: answer.data, align: answer.align, most: biggestTransfer}
	l.most = answer.most
	return nil
}

// violates reports an invalid PDU to the target, and returns the error.
func (l *link) violates(f *fault, wrong []byte) error {
	l.conn.SetWriteDeadline(time.Now().Add(time.Second))
	l.conn.Write(putTerm(pduH2CTermReq, f, wrong))
	l.broken = failure(CodeProtocol, l.subject,
		"the target does not keep to the specification: %s; the connection was ended", f.text)
	return l.broken
}

func (l *link) terminated(h head) error {
	n := min(max(int(h.plen), termSize), termSize+maxTerm)
	b := make([]byte, n)
	h.put(b)
	if _, err := io.ReadFull(l.conn, b[headSize:]); err != nil {
		clear(b[headSize:])
	}
	l.broken = failure(CodeProtocol, l.subject, "the target ended the connection: %s", termText(b, b[termSize:]))
	return l.broken
}

// command sends one command with the data in out, reads its data into in, and waits for its response. n is the number
// of bytes read.
func (l *link) command(e sqe, out, in []byte) (result uint64, s Status, n int, err error) {
	if l.broken != nil {
		return 0, 0, 0, l.broken
	}
	result, s, n, err = l.exchange(e, out, in)
	if err != nil {
		l.broken = err
	}
	return result, s, n, err
}

func (l *link) exchange(e sqe, out, in []byte) (result uint64, s Status, got int, err error) {
	l.cid++
	binary.LittleEndian.PutUint16(e[2:], l.cid)
	if len(out) == 0 {
		e.carry(len(in), false)
	}
	l.conn.SetDeadline(time.Now().Add(l.timeout))
	copy(l.buf[headSize:], e[:sqeSize])
	before := l.f.put(l.buf, pduCapsuleCmd, 0, cmdSize, len(out))
	n := before + copy(l.buf[before:], out)
	if l.f.data && len(out) > 0 {
		binary.LittleEndian.PutUint32(l.buf[n:], digest(out))
		n += digestSize
	}
	if _, err := l.conn.Write(l.buf[:n]); err != nil {
		return 0, 0, 0, connectionError(l.subject, "writing a command", err)
	}
	damaged := ""
	for {
		if _, err := io.ReadFull(l.conn, l.buf[:headSize]); err != nil {
			return 0, 0, 0, connectionError(l.subject, "waiting for the answer to a command", err)
		}
		h := parseHead(l.buf)
		before, data, f := l.f.check(h, toHost)
		if f != nil {
			return 0, 0, 0, l.violates(f, l.buf[:headSize])
		}
		if h.kind == pduC2HTermReq {
			return 0, 0, 0, l.terminated(h)
		}
		if _, err := io.ReadFull(l.conn, l.buf[headSize:before]); err != nil {
			return 0, 0, 0, connectionError(l.subject, "reading the answer to a command", err)
		}
		pdu := l.buf[:before]
		if f := l.f.checkDigest(pdu, h.hlen); f != nil {
			return 0, 0, 0, l.violates(f, pdu[:h.hlen])
		}
		switch h.kind {
		case pduC2HData:
			cid, at := binary.LittleEndian.Uint16(pdu[8:]), binary.LittleEndian.Uint32(pdu[12:])
			if length := binary.LittleEndian.Uint32(pdu[16:]); cid != l.cid || int64(at) != int64(got) || int(length) != data ||
				got+data > len(in) {
				return 0, 0, 0, l.violates(
					&fault{
						fesRange,
						12,
						fmt.Sprintf("C2HData for command %d with bytes %d to %d, where bytes %d to %d of command %d are awaited", cid,
							at, uint64(at)+uint64(length), got, len(in), l.cid),
					},
					pdu[:h.hlen],
				)
			}
			part := in[got : got+data]
			if _, err := io.ReadFull(l.conn, part); err != nil {
				return 0, 0, 0, connectionError(l.subject, "reading data", err)
			}
			got += data
			if l.f.data {
				if _, err := io.ReadFull(l.conn, l.buf[:digestSize]); err != nil {
					return 0, 0, 0, connectionError(l.subject, "reading data", err)
				}
				if binary.LittleEndian.Uint32(l.buf) != digest(part) {
					damaged = "data came with a digest that does not fit it: bytes were changed on the way"
				}
			}
			if h.flags&flagSuccess != 0 {
				if h.flags&flagLast == 0 {
					return 0, 0, 0, l.violates(badField(1, "C2HData with SUCCESS that is not the last"), pdu[:h.hlen])
				}
				return l.finish(0, 0, got, damaged)
			}
		case pduCapsuleResp:
			answer := cqe(pdu[8:])
			if answer.cid() != l.cid {
				return 0, 0, 0, l.violates(
					badField(20, "a response to command %d, where only %d is under way", answer.cid(), l.cid), pdu[:h.hlen])
			}
			return l.finish(answer.result(), answer.status(), got, damaged)
		default:
			return 0, 0, 0, l.violates(
				&fault{fesSequence, 0, fmt.Sprintf("a %s came for a command that has nothing to write", pduName(h.kind))},
				pdu[:h.hlen],
			)
		}
	}
}

func (l *link) finish(result uint64, s Status, got int, damaged string) (uint64, Status, int, error) {
	if damaged != "" {
		return 0, 0, 0, failure(CodeProtocol, l.subject, "%s", damaged)
	}
	if s&statusCode == 0 {
		s = 0
	}
	return result, s, got, nil
}
