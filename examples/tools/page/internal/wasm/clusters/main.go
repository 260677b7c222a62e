//go:build js && wasm

// The library in the browser, as far as the rooms Cluster, Take back and Federation need it.
package main

import (
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/browser"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/clusters"
)

func main() { browser.Serve(clusters.Rooms) }
