package lab

func controllerMain(args []string) int { return 0 }
