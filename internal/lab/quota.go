package lab

// QuotaGroups are the control groups that a lab's hosts may be put into, as QuotaPrefix + lab + "-" + host below QuotaGroups (processors) or
// DriveGroups (drives): a host's processes are started by its thread and stay in its group. A group lives longer than its processes, so what
// a lab leaves is removed by name when it is taken down, or labs are listed.
const (
	QuotaGroups = "/sys/fs/cgroup/cpu"
	DriveGroups = "/sys/fs/cgroup/blkio"
	QuotaPrefix = "linerate-lab-"
)
