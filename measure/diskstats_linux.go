package measure

import "os"

func diskstats() ([]byte, error) { return os.ReadFile("/proc/diskstats") }
