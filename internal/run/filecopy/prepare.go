package filecopy

import (
	"context"
	"path"
	"path/filepath"

	"linerate/internal/agent"
	"linerate/internal/agent/copies"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
)

// carried is the amount to copy: in a lab what its link transfers in labCopyTime, because its rates are small.
func (b *copying) carried(s experiment.Session) unit.Bytes {
	if s.Lab() == nil {
		return b.amount
	}
	limit := maxLabCopy
	if b.path != nil && b.path.Speed() > 0 && s.Lab().Scale > 0 {
		limit = min(limit, unit.Bytes(float64(b.path.Speed())*s.Lab().Scale*labCopyTime/8))
	}
	return max(min(b.amount, limit), unit.Bytes(b.files))
}

// prepare creates the ends of all legs, once for all repeats.
func (b *copying) prepare(ctx context.Context, s experiment.Session) error {
	if b.made != nil {
		return nil
	}
	amount := b.carried(s)
	for i, leg := range b.legs {
		from, to := b.ends[leg[0]], b.ends[leg[1]]
		b.made = append(b.made, madeLeg{})
		m := &b.made[i]
		q := copies.EndRequest{Op: copies.Source, Path: from.path, Amount: amount, Files: b.files,
			Streams: b.streams, Seed: uint64(i + 1), Take: b.take}
		q.Exact = b.c.Record.Settings["amount"] != ""
		q.Open = b.share != nil && leg[0] == b.served
		theirs, err := b.ownShareOf()
		if err == nil {
			err = refusedBefore(s, theirs)
		}
		if err != nil {
			return err
		}
		if m.source, err = s.Client(from.host).CopyEnd(ctx, q); err != nil {
			return err
		}
		target := copies.EndRequest{Op: copies.Target, Path: to.path, Amount: m.source.Bytes, Streams: b.streams}
		target.Open = b.share != nil && leg[1] == b.served
		if m.target, err = s.Client(to.host).CopyEnd(ctx, target); err != nil {
			return err
		}
		switch b.over {
		case overSMB, overHTTP, overFTP, overNFS:
			served, owner := m.source, from.host
			if leg[1] == b.served {
				served, owner = m.target, to.host
			}
			if theirs != nil {
				m.share = theirs
				if served.Name == "" { // the user's own file is at the top of the share
					m.share.Prefix = path.Join(m.share.Prefix, filepath.Base(served.Folder))
				}
				continue
			}
			v, err := s.Client(owner).
				Share(ctx, copies.Share{Kind: b.over, End: served.End, Local: b.at, Peer: b.locals[b.client]})
			if err != nil {
				return err
			}
			m.share = &v
		}
	}
	return nil
}

// Close removes all that was created for a combination.
func (b *copying) Close(s experiment.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), remote.HostDeadline)
	defer cancel()
	for i, m := range b.made {
		for k, end := range []uint64{m.source.End, m.target.End} {
			if client := s.Client(b.ends[b.legs[i][k]].host); client != nil && end != 0 && client.Err() == nil {
				_, _ = client.CopyEnd(
					ctx,
					copies.EndRequest{Op: copies.Remove, End: end},
				) // else the end of the agent removes it
			}
		}
	}
	b.made = nil
}

// placeRecord is an end of a copy in the record.
func placeRecord(s experiment.Session, e place, p copies.Placed) record.CopyPlace {
	named := e.path
	if named == agent.TemporaryFolder {
		named = filepath.Dir(p.Folder)
	}
	return record.CopyPlace{Host: s.Name(e.host), Path: named, FileSystem: p.FileSystem, Source: p.Source,
		Devices: p.Devices}
}
