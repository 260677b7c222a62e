//go:build js && wasm

// Package browser lets a page ask rooms: it is the main function of the library in the
// browser.
package browser

import (
	"syscall/js"

	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
)

// Serve answers the page's questions, and does not return.
func Serve(rooms ask.Rooms) {
	js.Global().Set("plimsollAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(rooms.Answer(args[0].String(), []byte(args[1].String())))
	}))
	js.Global().Call("plimsollReady")
	select {}
}
