'use strict';
// What the rooms share: fields, files, sentences, rooms as pages, and the command line.
P.h = (tag, attributes = {}, ...kids) => {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') e[name] = value;
    else e.setAttribute(name, value === true ? '' : value);
  }
  e.append(...kids.filter((k) => k !== null && k !== undefined));
  return e;
};
P.id = (id) => document.getElementById(id);

// A form shows a sentence beside the field that it is about. Names of fields are those of
// the questions.
P.Wrongs = class {
  constructor(room, library) { this.room = room; this.library = library; this.fields = new Map(); }
  // place makes the place for the sentence about a field.
  place(name, input) {
    const p = P.h('p', {class: 'wrong', id: `wrong-${this.room}-${name.replaceAll('.', '-')}`, role: 'alert'});
    this.add(name, p, input);
    return p;
  }
  add(name, p, input) {
    this.fields.set(name, {p, input});
    if (input) input.setAttribute('aria-describedby', p.id);
  }
  clear(name) { this.show(name, ''); }
  clearAll() { for (const name of this.fields.keys()) this.show(name, ''); }
  // show puts the sentence beside the field, or beside the first that there is.
  show(name, text) {
    let f = this.fields.get(name);
    if (!f && text) f = this.fields.get([...this.fields.keys()].find((k) => name && k.startsWith(name)) || '') || this.fields.values().next().value;
    if (!f) return;
    if (text) text = (/^[a-zα-ω]+[ ,:]/.test(text) ? text[0].toUpperCase() + text.slice(1) : text) + (/[.…]$/.test(text) ? '' : '.'); // names of files stay
    if (f.p.textContent !== text) f.p.textContent = text;
    const closed = text && f.p.closest('details:not([open])');
    if (closed) closed.open = true;
    if (f.input) { if (text) f.input.setAttribute('aria-invalid', 'true'); else f.input.removeAttribute('aria-invalid'); }
  }
};

// field makes a labelled input of text, with a slider below it where there is a range.
P.field = ({wrongs, name, label, value, change, range, wide, hint, numeric = true}) => {
  const id = `f-${wrongs.room}-${name.replaceAll('.', '-')}`;
  const input = P.h('input', {type: 'text', id, value, autocomplete: 'off', spellcheck: 'false', inputmode: numeric ? 'decimal' : undefined});
  const div = P.h('div', {class: 'field' + (wide ? ' wide' : '')}, P.h('label', {for: id}, label), input);
  let slider;
  if (range) {
    slider = P.h('input', {type: 'range', min: range.min, max: range.max, step: range.step, value: Number.parseFloat(value) || 0, 'aria-label': label + ', slider'});
    slider.addEventListener('input', () => { input.value = range.text ? range.text(slider.value) : slider.value; change(input.value); });
    div.append(slider);
  }
  input.addEventListener('input', () => { if (slider) slider.value = Number.parseFloat(input.value) || 0; change(input.value); });
  if (hint) div.append(P.h('p', {class: 'hint'}, hint));
  div.append(wrongs.place(name, input));
  return div;
};

P.select = (label, id, options, value, change) => {
  const select = P.h('select', {id, onchange: () => change(select.value)}, ...options.map(([v, text]) => P.h('option', {value: v, selected: v === value}, text)));
  return P.h('div', {class: 'field'}, P.h('label', {for: id}, label), select);
};

P.toggle = (text, pressed, change) => {
  const b = P.h('button', {type: 'button', 'aria-pressed': String(pressed)}, text);
  b.addEventListener('click', () => {
    const on = b.getAttribute('aria-pressed') !== 'true';
    b.setAttribute('aria-pressed', String(on));
    change(on);
  });
  return b;
};

P.figure = (value, text, className = '') => P.h('div', {class: 'figure ' + className}, P.h('b', {}, value), P.h('span', {}, text));

// bar is a bar of a share of the room, with its value at its end.
P.bar = (share, text) => {
  const i = P.h('i', {'aria-hidden': 'true'});
  i.style.setProperty('--share', Math.max(0, Math.min(1, share)));
  return P.h('div', {class: 'bar'}, i, P.h('em', {}, text));
};

// paste is a place to paste a text or to drop a file: taken gets {name, text} or
// {name, data}, as the room "read" wants them.
P.paste = ({wrongs, name, title, hint, example, taken}) => {
  const id = `paste-${wrongs.room}-${name}`;
  const area = P.h('textarea', {id, placeholder: example, spellcheck: 'false'});
  const file = P.h('input', {type: 'file', id: id + '-file', hidden: true});
  const most = 64 * 2 ** 20;
  const wrong = wrongs.place(name, area);
  const take = async (f) => {
    if (f.size > most) {
      wrongs.show(name, `${f.name} has ${P.number(f.size / 2 ** 20, 0)} MiB: want at most 64 MiB`);
      return;
    }
    const data = await new Promise((done, failed) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
      reader.onerror = () => failed(reader.error);
      reader.readAsDataURL(f);
    }).catch((err) => { wrongs.show(name, `${f.name} cannot be read: ${err.message}`); return null; });
    if (data !== null) taken({name: f.name, data});
  };
  file.addEventListener('change', () => { if (file.files[0]) take(file.files[0]); file.value = ''; });
  const go = () => { if (area.value.trim()) taken({name: '', text: area.value}); else wrongs.show(name, 'There is nothing to take: paste a text first'); };
  const box = P.h('details', {class: 'paste'},
    P.h('summary', {}, title),
    P.h('p', {class: 'hint'}, hint),
    P.h('label', {for: id, class: 'hint'}, 'Paste it here, or drop a file anywhere on this box'),
    area, wrong,
    P.h('div', {class: 'row'},
      P.h('button', {type: 'button', onclick: go}, 'Take the text'),
      P.h('button', {type: 'button', onclick: () => file.click()}, 'Choose a file'), file));
  for (const kind of ['dragenter', 'dragover']) box.addEventListener(kind, (e) => { e.preventDefault(); box.classList.add('dropping'); });
  for (const kind of ['dragleave', 'drop']) box.addEventListener(kind, (e) => { e.preventDefault(); box.classList.remove('dropping'); });
  box.addEventListener('drop', (e) => { if (e.dataTransfer.files[0]) take(e.dataTransfer.files[0]); });
  box.take = take; // for tests
  return box;
};

// read asks the library to read a text, and shows what is wrong with it.
P.read = async (wrongs, form, what, field = form) => {
  const got = await P.engine.slow(wrongs.library + '/read', {form, ...what});
  if (!got) return null;
  if (got.answer.error) {
    wrongs.show(field, got.answer.error.text);
    return null;
  }
  wrongs.clear(field);
  return got.answer;
};

// takeAway is the command line that gives what one sees, and the files that it reads.
P.takeAway = (ask) => {
  const pre = P.h('pre', {tabindex: '0'}), files = P.h('div', {class: 'row'}), wrong = P.h('p', {class: 'wrong', role: 'alert'});
  const copy = P.h('button', {type: 'button', onclick: async () => {
    try { await navigator.clipboard.writeText(pre.textContent); copy.textContent = 'Copied'; } catch { copy.textContent = 'Select the text and copy it'; }
    setTimeout(() => { copy.textContent = 'Copy the command'; }, 2000);
  }}, 'Copy the command');
  const box = P.h('details', {class: 'command'}, P.h('summary', {}, 'The command line that gives these numbers'),
    P.h('p', {class: 'hint'}, 'Save the files, and run the command in their folder. It needs Go, and gives what you see here to the last digit.'), pre, wrong, files);
  const fill = async () => {
    if (!box.open) return;
    const got = await ask();
    if (!got) return;
    const {answer} = got;
    wrong.textContent = answer.error ? answer.error.text : '';
    if (answer.error) return;
    pre.textContent = answer.command;
    files.replaceChildren(copy, ...answer.files.map((f) => P.h('button', {type: 'button', onclick: () => {
      const a = P.h('a', {href: URL.createObjectURL(new Blob([f.text])), download: f.name});
      a.click();
      setTimeout(() => URL.revokeObjectURL(a.href), 1000);
    }}, 'Save ' + f.name)));
  };
  box.addEventListener('toggle', fill);
  box.refresh = fill;
  return box;
};

// hours says when a slot is, in words.
P.when = (t, slotHours) => {
  const hours = t * slotHours, day = Math.floor(hours / 24);
  const clock = slotHours < 24 ? `, ${String(Math.floor(hours % 24)).padStart(2, '0')}:${String(Math.floor(hours * 60 % 60)).padStart(2, '0')}` : '';
  return `day ${P.number(day + 1)}${clock}`;
};

// timeMarks are places along an axis of slots, in days.
P.timeMarks = (from, to, slotHours, width) => {
  const per = 24 / slotHours;
  return P.plot.ticks(from / per, to / per, Math.max(2, width / 80)).map((day) => day * per);
};

// later has work done once for all calls until the next picture of the screen.
P.later = (work) => {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; work(); });
  };
};

// resting returns a function that has work done once the hand rests.
P.resting = (work) => {
  let clock = null;
  return () => {
    if (clock) clearTimeout(clock); else P.pending++;
    clock = setTimeout(() => { clock = null; P.pending--; work(); }, 160);
  };
};

// painted notes when the picture of an answer was on the screen.
P.painted = (room, cause, size, work, asked) => {
  const note = {room, cause, size, work, asked, all: performance.now() - asked};
  P.timings.answers.push(note);
  requestAnimationFrame(() => requestAnimationFrame(() => {
    note.painted = performance.now() - asked;
    P.timings.firstPicture ??= performance.now() - P.timings.start;
  }));
};

// rooms are pages: the part of the address after # names the room.
P.rooms = {};
P.begin = () => {
  const names = ['reserve', 'forecast', 'cluster', 'takeback', 'federation'].filter((n) => P.rooms[n]);
  const started = new Set();
  const show = (move) => {
    const wanted = location.hash.slice(1);
    const name = names.includes(wanted) ? wanted : names[0];
    for (const n of names) P.id('room-' + n).hidden = n !== name;
    for (const a of document.querySelectorAll('nav a')) {
      if (a.hash === '#' + name) a.setAttribute('aria-current', 'page'); else a.removeAttribute('aria-current');
    }
    P.room = name;
    document.title = `Plimsoll: ${P.id('room-' + name).querySelector('h1').textContent}`;
    if (!started.has(name)) { started.add(name); P.rooms[name].start(); } else P.rooms[name].draw();
    if (move) { scrollTo(0, 0); P.id('main').focus({preventScroll: true}); }
  };
  for (const a of document.querySelectorAll('nav a')) if (!names.includes(a.hash.slice(1))) a.remove();
  addEventListener('hashchange', () => { if (P.id('room-' + location.hash.slice(1))) show(true); });
  addEventListener('resize', P.later(() => P.rooms[P.room].draw()));
  addEventListener('beforeprint', () => P.rooms[P.room].draw());
  const theme = P.id('theme');
  theme.addEventListener('click', () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme = dark ? 'light' : 'dark';
  });
  // A file that misses its box must not replace the page.
  for (const kind of ['dragover', 'drop']) addEventListener(kind, (e) => e.preventDefault());
  show(false);
};
