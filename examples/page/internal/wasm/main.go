//go:build js && wasm

// Wasm is the library in the browser: it answers the questions of the page's rooms.
package main

import (
	"syscall/js"

	"github.com/plimsoll/plimsoll/examples/page/internal/room"
)

func main() {
	js.Global().Set("plimsollAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(room.Answer(args[0].String(), []byte(args[1].String())))
	}))
	js.Global().Call("plimsollReady")
	select {}
}
