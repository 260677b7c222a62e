'use strict';
// The engine: two Workers that run the library, one for what follows the hand and one for
// what takes longer. A question that waits gives way to a newer one of the same room.
// heard keeps the last question and answer of each room as they were sent: the tests compare
// them with the library outside of the browser.
const P = {timings: {start: performance.now(), answers: []}, heard: {}, pending: 0};

P.engine = (() => {
  const patience = 60000; // ms that an answer may take
  const libraryOf = {reserve: 'plans', plans: 'plans', forecast: 'forecasts', forecasts: 'forecasts', cluster: 'clusters', takeback: 'clusters', federation: 'clusters', clusters: 'clusters'};

  async function bytes(name) {
    if (location.protocol !== 'file:') {
      const response = await fetch(name + '.wasm.gz');
      if (!response.ok) throw new Error(name + '.wasm.gz: ' + response.status);
      return response.body;
    }
    await new Promise((done, failed) => { // no fetch in a folder: the same bytes as a script
      const script = document.createElement('script');
      script.src = name + '.wasm.js';
      script.onload = done;
      script.onerror = () => failed(new Error(name + '.wasm.js is not in the folder'));
      document.head.append(script);
    });
    const text = atob(window.plimsollWasm);
    window.plimsollWasm = null;
    const data = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) data[i] = text.charCodeAt(i);
    return new Blob([data]).stream();
  }

  async function load(name) {
    const text = (await bytes(name)).pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compileStreaming(new Response(text, {headers: {'Content-Type': 'application/wasm'}}));
  }

  // Long lists travel as base64, see packed.go.
  function unpack(v) {
    if (typeof v === 'string' && (v.startsWith('i:') || v.startsWith('f:'))) {
      const text = atob(v.slice(2)), data = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i++) data[i] = text.charCodeAt(i);
      return Array.from(v[0] === 'i' ? new Int32Array(data.buffer) : new Float32Array(data.buffer));
    }
    if (v && typeof v === 'object') for (const key of Object.keys(v)) v[key] = unpack(v[key]);
    return v;
  }
  function pack(_, v) {
    if (!Array.isArray(v) || v.length < 500 || !v.every(Number.isInteger)) return v;
    const data = new Uint8Array(Int32Array.from(v).buffer);
    let text = '';
    for (let i = 0; i < data.length; i += 8190) text += String.fromCharCode(...data.subarray(i, i + 8190));
    return 'i:' + btoa(text);
  }

  class Desk {
    constructor(module) { this.module = module; this.waiting = new Map(); this.busy = null; this.count = 0; this.start(); }

    start() {
      const url = URL.createObjectURL(new Blob([window.plimsollWorker], {type: 'text/javascript'}));
      const worker = new Worker(url);
      this.worker = worker;
      this.ready = false;
      worker.onmessage = (event) => {
        if (worker !== this.worker) return;
        const m = event.data;
        if (m.failed) return this.fail(m.failed);
        if (m.ready) { this.ready = true; this.next(); return; }
        const job = this.busy;
        clearTimeout(this.clock);
        this.busy = null;
        this.next();
        P.heard[job.room] = {question: job.text, text: m.answer};
        job.done({answer: unpack(JSON.parse(m.answer)), text: m.answer, ms: m.ms});
      };
      worker.onerror = (event) => this.fail(event.message);
      this.module.then((module) => worker.postMessage({module}), (err) => P.broken(err.message));
    }

    fail(why) {
      this.worker.terminate();
      clearTimeout(this.clock);
      const job = this.busy;
      this.busy = null;
      if (job) job.done({answer: {error: {field: '', text: why}}, text: '', ms: 0});
      if (this.ready) this.start(); else P.broken(why);
    }

    // ask resolves with the answer, or with null where a newer question came first.
    ask(room, question) {
      return new Promise((done) => {
        const older = this.waiting.get(room);
        if (older) older.done(null);
        this.waiting.set(room, {room, question, done});
        this.next();
      });
    }

    next() {
      if (!this.ready || this.busy || this.waiting.size === 0) return;
      const [room, job] = this.waiting.entries().next().value;
      this.waiting.delete(room);
      this.busy = job;
      this.clock = setTimeout(() => this.fail('this takes longer than a minute here: take less, or the program of the command line below'), patience);
      this.worker.postMessage({id: ++this.count, room, question: job.text = JSON.stringify(job.question, pack)});
    }
  }

  // Each part of the library has two desks, one for the hand and one for what takes longer,
  // which starts when the first has its answer.
  const parts = new Map();
  function part(room) {
    const name = libraryOf[room.split('/')[0]];
    if (!parts.has(name)) {
      const module = load(name);
      parts.set(name, {module, hand: new Desk(module), desk: null});
    }
    return parts.get(name);
  }
  return {
    // fast asks what follows the hand, slow what may take longer.
    fast: (room, question) => part(room).hand.ask(room, question),
    slow: (room, question) => { const p = part(room); return (p.desk ??= new Desk(p.module)).ask(room, question); },
    // quiet reports whether nothing is under way.
    quiet: () => P.pending === 0 && [...parts.values()].every((p) => [p.hand, p.desk].every((d) => !d || d.ready && !d.busy && d.waiting.size === 0)),
  };
})();

P.broken = (why) => {
  const note = document.getElementById('broken');
  note.textContent = 'The library did not start in this browser: ' + why + '. A browser of 2023 or later runs it.';
  note.hidden = false;
};
