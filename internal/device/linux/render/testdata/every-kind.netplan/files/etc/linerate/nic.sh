@@ 392 lines of every-kind/files/etc/linerate/nic.sh, from line 1 of: #!/bin/sh
