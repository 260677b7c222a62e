//go:build js && wasm

// The library in the browser, as far as the room Forecast needs it.
package main

import (
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/browser"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/forecasts"
)

func main() { browser.Serve(forecasts.Rooms) }
