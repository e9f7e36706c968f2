package agent

// nfsKernel is NFS 4.2 of the kernel at both ends. The folder lies in memory, so that it has a size: guests of a lab have no drives.
func nfsKernel() kernelWay {
	return kernelWay{
		protocol: "nfs", port: 2049, folder: true,
		server: "nfsd, the NFS server", client: "the NFS 4.2 client",
		serves: []string{"nfsd"}, uses: []string{"nfsv4"},
		serverP: []programOf{{"rpc.nfsd", "nfs-kernel-server"}, {"rpc.mountd", "nfs-kernel-server"}, {"exportfs", "nfs-kernel-server"}},
		clientP: []programOf{{"mount.nfs", "nfs-common"}},
		give: `modprobe nfsd; grep -q " /proc/fs/nfsd " /proc/mounts || mount -t nfsd nfsd /proc/fs/nfsd
` + shareInMemory + `mkdir -p /var/lib/nfs/rpc_pipefs /var/lib/nfs/v4recovery; touch /var/lib/nfs/etab /var/lib/nfs/rmtab /etc/exports
exportfs -o rw,no_root_squash,insecure,no_subtree_check,fsid=$id $peer:$path
if [ "$(cat /proc/fs/nfsd/threads)" = 0 ]; then : >$dir/nfsd; pidof rpc.mountd >/dev/null || rpc.mountd -N 3; rpc.nfsd -N 3 -G 10 -L 10 8; echo Y >/proc/fs/nfsd/v4_end_grace; fi`,
		ungive: `exportfs -u $peer:$path; if [ -e $dir/nfsd ]; then rpc.nfsd 0; kill $(pidof rpc.mountd); rm -f $dir/nfsd; fi
umount $path || umount -l $path`,
		attach: `modprobe nfsv4; mkdir -p $dir/$id; [ -e /etc/protocols ] || echo "tcp 6 TCP" >/etc/protocols;  mount.nfs $at:$name $dir/$id -o vers=4.2,proto=tcp,port=$port,soft,timeo=50,retrans=1`,
		detach: `umount $dir/$id || umount -l $dir/$id`,
	}
}

// shareInMemory makes a folder with room for a file of the size and what is written beside it.
const shareInMemory = `mkdir -p $path; mount -t tmpfs -o size=$((size + size / 8 + 4194304)),mode=755 linerate $path
`
