//go:build js && wasm

// The library in the browser, as far as the room Reserve needs it.
package main

import (
	"github.com/plimsoll/plimsoll/examples/page/internal/browser"
	"github.com/plimsoll/plimsoll/examples/page/internal/plans"
)

func main() { browser.Serve(plans.Rooms) }
