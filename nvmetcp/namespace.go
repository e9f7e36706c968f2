package nvmetcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

const (
	maxNamespaces   = 1024 // in one page
	namespacesAsked = 64   // for Info; the used one is queried in any case
)

// page reads one page of Identify.
func (c *Controller) page(cns uint8, nsid uint32, b []byte) (Status, error) {
	e := make(sqe, sqeSize)
	e.begin(opIdentify, 0, nsid)
	e.setDW(10, uint32(cns))
	_, s, n, err := c.admin.command(e, nil, b)
	if err == nil && s == 0 && n != len(b) {
		err = failure(CodeProtocol, c.subject, "Identify (CNS %d) brought %d bytes of %d", cns, n, len(b))
	}
	return s, err
}

func (c *Controller) identify() (identity, error) {
	b := make([]byte, identifySize)
	s, err := c.page(cnsController, 0, b)
	if err == nil && s != 0 {
		err = c.statusError("Identify Controller", s)
	}
	if err != nil {
		return identity{}, err
	}
	id, err := parseIdentity(b)
	if err != nil {
		return id, failure(CodeProtocol, c.subject, "%v", err)
	}
	i := &c.info
	i.Model, i.Serial, i.Firmware, i.NQN, i.WriteCache = id.model, id.serial, id.firmware, id.subsystem, id.writeCache
	i.MaxTransfer = biggestTransfer
	if id.transfer > 0 && id.transfer < 12 {
		i.MaxTransfer = min(i.MaxTransfer, 4096<<id.transfer)
	}
	if id.capsule > 4 && id.offset == 0 {
		i.InCapsule = int(min(id.capsule-4, biggestTransfer/16) * 16)
	}
	i.MaxDepth = int(c.entries) // one entry of a queue stays empty
	if id.commands > 1 {
		i.MaxDepth = min(i.MaxDepth, int(id.commands))
	}
	i.MaxDepth = min(i.MaxDepth, maxDepth)
	i.MaxH2CData, i.HeaderDigest, i.DataDigest = int(c.admin.most), c.admin.f.header, c.admin.f.data
	if c.address.NQN == DiscoveryNQN {
		return id, nil
	}
	switch {
	case id.kind == 2:
		return id, failure(CodeInput, c.subject,
			"this is a discovery subsystem, which has no storage; ask it what there is and connect to one of those")
	case id.offset != 0:
		return id, failure(CodeUnsupported, c.subject,
			"data in capsules begins at %d (ICDOFF), which NVMe/TCP does not have", id.offset)
	case id.sgls&3 == 0:
		return id, failure(CodeProtocol, c.subject, "the controller does not take SGLs, which NVMe/TCP needs")
	case i.MaxDepth < 1:
		return id, failure(CodeProtocol, c.subject, "the controller has no room for a command (MQES %d, MAXCMD %d)",
			c.entries, id.commands)
	}
	return id, nil
}

// grant requests I/O queues (Base, section 5.27.1.5).
func (c *Controller) grant() error {
	e := make(sqe, sqeSize)
	e.begin(opSetFeatures, 0, 0)
	want := uint32(c.o.queues() - 1)
	e.setDW(10, featureQueues)
	e.setDW(11, want<<16|want)
	v, s, _, err := c.admin.command(e, nil, nil)
	if err == nil && s != 0 {
		err = c.statusError("asking for I/O queues", s)
	}
	c.info.Queues = int(min(v&0xffff, v>>16&0xffff, uint64(want))) + 1
	return err
}

func (c *Controller) namespaces() error {
	b := make([]byte, identifySize)
	s, err := c.page(cnsNamespaces, 0, b)
	if err == nil && s != 0 {
		err = c.statusError("Identify (list of namespaces)", s)
	}
	if err != nil {
		return err
	}
	var ids []uint32
	for i := range maxNamespaces {
		id := binary.LittleEndian.Uint32(b[4*i:])
		if id == 0 {
			break
		}
		if len(ids) > 0 && id <= ids[len(ids)-1] {
			return failure(CodeProtocol, c.subject, "its list of namespaces is not in order: %d follows %d", id,
				ids[len(ids)-1])
		}
		ids = append(ids, id)
	}
	var wrong error
	for i, id := range ids {
		if i >= namespacesAsked && id != c.address.Namespace {
			continue
		}
		n, err := c.namespace(id, b)
		var e *Error
		if errors.As(err, &e) {
			return err
		}
		if err == nil {
			c.info.Namespaces = append(c.info.Namespaces, n)
		}
		if c.address.Namespace == id || c.address.Namespace == 0 && len(ids) == 1 {
			c.info.Namespace, wrong = n, err
		}
	}
	switch {
	case wrong != nil:
		return failure(CodeUnsupported, c.subject, "%v", wrong)
	case len(ids) == 0:
		return failure(CodeInput, c.subject,
			"the subsystem has no namespace for this host; attach or enable one at the target")
	case c.info.Namespace.ID == 0 && c.address.Namespace == 0:
		return failure(CodeInput, c.subject, "the subsystem has %d namespaces (%s); say which with ?nsid=N behind the name",
			len(ids), list(ids))
	case c.info.Namespace.ID == 0:
		return failure(CodeInput, c.subject, "the subsystem has no namespace %d, but %s", c.address.Namespace, list(ids))
	}
	return nil
}

func list(ids []uint32) string {
	s := strings.Trim(strings.ReplaceAll(fmt.Sprint(ids[:min(len(ids), 20)]), " ", ", "), "[]")
	if len(ids) > 20 {
		s += ", .."
	}
	return s
}

// namespace reads one namespace; an unusable one is a plain error, the end of the connection an *Error.
func (c *Controller) namespace(id uint32, b []byte) (Namespace, error) {
	s, err := c.page(cnsNamespace, id, b)
	if err != nil {
		return Namespace{}, err
	}
	if s != 0 {
		return Namespace{ID: id}, fmt.Errorf("namespace %d cannot be asked for: %v", id, s)
	}
	n, wrong := parseNamespace(b, id)
	if s, err := c.page(cnsDescriptors, id, b); err != nil {
		return n, err
	} else if s == 0 {
		n.parseDescriptors(b)
	}
	return n, wrong
}
