@@ 381 lines of every-kind/files/etc/linerate/card.sh, from line 1 of: #!/bin/sh
