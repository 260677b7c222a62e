package cli

import "os"

// endings are the signals that end a program: a browser has no other.
var endings = []os.Signal{os.Interrupt}
