package fault

import "fmt"

// memlockSmall has the agent of one end start as an ordinary user who may lock next to no memory, as systems without a setting for it have it.
// A guest's agent is its init with another word, so that a script takes that one's place.
var memlockSmall = Fault{
	ID: "memlock-small", Title: "the agent's user may lock little memory", Cause: "memlock", Kind: Live, Terrain: RDMA, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "limit", Low: 16, High: 1000}, {Name: "end", Low: 0, High: 1}}, // of KiB
	Settings:   func(Values) map[string]string { return map[string]string{"pairs": "8", "size": "64KiB"} },
	Make: func(p *Place, v Values) {
		p.run(p.end(v["end"]).Host, fmt.Sprintf(`set -e
grep -q nobody: /etc/passwd || echo nobody:x:65534:65534::/:/bin/sh >> /etc/passwd
ln /init /init.whole
printf '#!/bin/sh\nulimit -l %.0f\nexec busybox su nobody -s /bin/sh -c "exec /init.whole agent"\n' > /run/init
chmod 755 /run/init
mount --bind /run/init /init`, v["limit"]), "umount /init; rm -f /init.whole /run/init")
	},
}
