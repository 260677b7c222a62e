// The work: a Worker that runs the library. page.js starts it from a Blob, so that it
// starts from a folder, too. wasm_exec.js of the Go distribution stands before this text.
'use strict';
self.plimsollReady = () => {
  self.onmessage = (event) => {
    const {id, room, question} = event.data;
    const start = performance.now();
    const answer = self.plimsollAnswer(room, question);
    postMessage({id, answer, ms: performance.now() - start});
  };
  postMessage({ready: true});
};
self.onmessage = async (event) => {
  try {
    const go = new Go();
    const instance = await WebAssembly.instantiate(event.data.module, go.importObject);
    await go.run(instance);
    postMessage({failed: 'the library has ended'});
  } catch (err) {
    postMessage({failed: String(err)});
  }
};
