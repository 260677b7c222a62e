//go:build js && wasm

// The library in the browser, as far as the room Reserve needs it.
package main

import (
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/browser"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/plans"
)

func main() { browser.Serve(plans.Rooms) }
