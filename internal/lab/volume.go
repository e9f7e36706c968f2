package lab

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
)

// VolumeLayout is the layout of volumes over several hosts' drives that a lab makes: three copies.
const VolumeLayout = "mirror3"

// volumeCopies is the number of copies in a volume, and volumePort the port of the process with a node's bricks.
const (
	volumeCopies = 3
	volumePort   = 24007 + 2
)

// volumeCommand installs the programs for a volume.
const volumeCommand = "apt-get install --no-install-recommends glusterfs-server glusterfs-client"

// VolumeOf returns the description of a plan's volume for a lab, which makes it with GlusterFS: its nodes with their
// common addresses, and the virtual machines on them.
func VolumeOf(p *plan.Plan, name string) (connect.LabVolume, error) {
	v := connect.LabVolume{Name: name, NextTo: map[string]string{}}
	var hosts []string
	for _, d := range p.Fabric.Volumes {
		if d.Name != name {
			continue
		}
		if d.Layout != VolumeLayout {
			return v, fmt.Errorf("volume %s: a lab makes volumes over several hosts with layout: %s alone", name, VolumeLayout)
		}
		for _, of := range d.Of {
			if host, _, _ := strings.Cut(of, "."); !slices.Contains(hosts, host) {
				hosts = append(hosts, host)
			}
		}
	}
	if len(hosts) < volumeCopies {
		return v, fmt.Errorf("volume %s: layout %s has %d copies on as many hosts, and its drives are on %d", name,
			VolumeLayout, volumeCopies, len(hosts))
	}
	at := meeting(p, hosts)
	if at == nil {
		return v, fmt.Errorf("volume %s: its hosts %s have no subnet in common", name, strings.Join(hosts, ", "))
	}
	for i, host := range hosts {
		v.Nodes = append(v.Nodes, connect.LabVolumeNode{Host: host, Address: at[i]})
	}
	for _, h := range p.Hosts {
		if h.Decl != nil && slices.Contains(hosts, h.Decl.On) {
			v.NextTo[h.Name] = h.Decl.On
		}
	}
	return v, nil
}

// meeting returns the addresses of hosts in the first subnet that they all share; nil: there is none.
func meeting(p *plan.Plan, hosts []string) []netip.Addr {
	first := p.Host(hosts[0])
	if first == nil {
		return nil
	}
	for _, own := range first.Ports {
		if !own.Address.IsValid() {
			continue
		}
		at := []netip.Addr{own.Address.Addr()}
		for _, host := range hosts[1:] {
			for _, path := range p.Paths(hosts[0], host) {
				if path.FromPort == own {
					at = append(at, path.ToPort.Address.Addr())
					break
				}
			}
		}
		if len(at) == len(hosts) {
			return at
		}
	}
	return nil
}

// volumeSets returns the nodes with the copies of each part of the volume, by their numbers. n nodes form n sets of
// neighbours in a ring, so that three copies fit on any number of nodes and the load is equal; each node then has three
// bricks. Three nodes form one set.
func volumeSets(nodes int) (sets [][volumeCopies]int) {
	n := nodes
	if nodes == volumeCopies {
		n = 1
	}
	for i := range n {
		var s [volumeCopies]int
		for k := range s {
			s[k] = (i + k) % nodes
		}
		sets = append(sets, s)
	}
	return sets
}

// brick returns the name of the copy of a set on a node.
func brick(set, node int) string { return fmt.Sprintf("set%d-node%d", set+1, node+1) }

// brickFile returns the volume file of the process with all bricks of a node, in folders of the bricks' names below
// folder. The translators are those that GlusterFS's own management puts into one (https://docs.gluster.org,
// Architecture), without those that a temporary volume does not need: healing, quotas, snapshots, authentication.
func brickFile(v connect.LabVolume, node int, folder string) (text string, bricks []string) {
	var b strings.Builder
	for set, nodes := range volumeSets(len(v.Nodes)) {
		if !slices.Contains(nodes[:], node) {
			continue
		}
		name := brick(set, node)
		bricks = append(bricks, name)
		fmt.Fprintf(&b, "volume %s-posix\n  type storage/posix\n  option directory %s/%s\nend-volume\n", name, folder, name)
		fmt.Fprintf(&b, "volume %s-locks\n  type features/locks\n  subvolumes %s-posix\nend-volume\n", name, name)
		fmt.Fprintf(&b, "volume %s\n  type performance/io-threads\n  subvolumes %s-locks\nend-volume\n", name, name)
	}
	fmt.Fprintf(&b,
		"volume server\n  type protocol/server\n  option transport-type tcp\n  option transport.address-family inet\n  "+
			"option transport.socket.bind-address %s\n  option transport.socket.listen-port %d\n", v.Nodes[node].Address,
		volumePort)
	for _, name := range bricks {
		fmt.Fprintf(&b, "  option auth.addr.%s.allow *\n", name)
	}
	fmt.Fprintf(&b, "  subvolumes %s\nend-volume\n", strings.Join(bricks, " "))
	return b.String(), bricks
}

// clientFile returns the volume file of a mount. Files are distributed over the sets, and a write completes when all of
// its copies do (a quorum of three), so that measured data has three copies.
func clientFile(v connect.LabVolume) string {
	var b strings.Builder
	var sets []string
	for set, nodes := range volumeSets(len(v.Nodes)) {
		var copies []string
		for _, node := range nodes {
			name := brick(set, node)
			fmt.Fprintf(&b,
				"volume to-%s\n  type protocol/client\n  option transport-type tcp\n  option transport.address-family inet\n  "+
					"option remote-host %s\n  option remote-port %d\n  option remote-subvolume %s\nend-volume\n", name,
				v.Nodes[node].Address, volumePort, name)
			copies = append(copies, "to-"+name)
		}
		name := fmt.Sprintf("set%d", set+1)
		fmt.Fprintf(&b,
			"volume %s\n  type cluster/replicate\n  option afr-pending-xattr %s\n  option quorum-type fixed\n  option "+
				"quorum-count %d\n  subvolumes %s\nend-volume\n", name, strings.Join(copies, ","), volumeCopies,
			strings.Join(copies, " "))
		sets = append(sets, name)
	}
	fmt.Fprintf(&b, "volume %s\n  type cluster/distribute\n  subvolumes %s\nend-volume\n", "whole",
		strings.Join(sets, " "))
	return b.String()
}

// firstError returns the first error in a log of GlusterFS, as the end of a sentence. Later errors are its
// consequences.
func firstError(log string) string {
	for line := range strings.Lines(log) {
		if _, text, ok := strings.Cut(line, "] E "); ok {
			return ": " + strings.TrimSpace(text)
		}
	}
	return ""
}
