'use strict';
// The room Federation: three centres lend; the reservations of each are under the hand.
P.rooms.federation = (() => {
  const {el, frame, area, text, yAxis, xAxis, labels, picture, ticks, r1} = P.plot;
  const wrongs = new P.Wrongs('federation', 'clusters');
  let state = null, good = null, best = null, take = null, pull = null;
  const question = () => ({...state, centres: state.centres.map((c) => ({...c}))});

  async function solve(cause) {
    const asked = performance.now(), q = question();
    const got = await P.engine.fast('federation', q);
    if (!got) return;
    if (got.answer.error) { wrongs.show(got.answer.error.field, got.answer.error.text); return; }
    wrongs.clearAll();
    best = null;
    good = {a: got.answer, q};
    draw();
    P.painted('federation', cause, q.hours, got.ms, asked);
    tell();
  }

  const tell = P.resting(async () => {
    if (take) take.refresh();
    const of = good, got = await P.engine.slow('federation/optimum', good.q);
    if (!got || got.answer.error || of !== good) return;
    best = got.answer;
    figures();
  });

  function draw() {
    if (!good) return;
    const holder = P.id('federation-picture'), {a, q} = good, narrow = holder.clientWidth < 520;
    const width = Math.max(300, holder.clientWidth), left = narrow ? 36 : 48, right = narrow ? 78 : 96, high = narrow ? 110 : 140, gap = 46, n = q.hours;
    const svg = picture(holder, width, 30 + a.centres.length * (high + gap) + 6, describe());
    good.frames = [];
    a.centres.forEach((c, i) => {
      const reserved = q.centres[i].reserved;
      let most = Math.max(1, reserved);
      for (let t = 0; t < n; t++) most = Math.max(most, c.demand[t], c.own[t] + c.guests[t]);
      if (pull && pull.i === i) most = pull.most;
      const f = frame(left, 30 + i * (high + gap), width - left - right, high, 0, n, 0, most * 1.08);
      good.frames.push({f, most});
      svg.append(yAxis(f, `${q.centres[i].name}: instances`, P.number, 2));
      const ownGuests = c.own.map((v, t) => v + c.guests[t]), all = c.own.map((v, t) => v + c.borrowed[t] + c.bought[t]);
      const top = all.map((v, t) => v + c.guests[t]), idle = c.own.map((v, t) => Math.max(v + c.guests[t], reserved));
      // Own reservations, guests upon them, idle up to the line; above, what was bought and borrowed.
      const b1 = ownGuests, b2 = ownGuests.map((v, t) => v + c.borrowed[t]), b3 = b2.map((v, t) => v + c.bought[t]);
      svg.append(el('path', {d: area(f, idle), class: 'f-idle'}), el('path', {d: area(f, b3.map((v, t) => c.bought[t] ? Math.max(v, 0) : b2[t])), class: 'f-ond'}),
        el('path', {d: area(f, b2), class: 'z1'}), el('path', {d: area(f, b1), class: 'z3'}), el('path', {d: area(f, c.own), class: 'z0'}));
      const y = r1(f.y(reserved));
      svg.append(el('line', {x1: left, x2: left + f.width, y1: y, y2: y, class: 'reserve-line'}), el('circle', {cx: left + f.width, cy: y, r: 6, class: 'reserve-grip'}),
        el('rect', {x: left, y: y - 12, width: f.width + 14, height: 24, class: 'reserve-hit', 'data-centre': i}));
      svg.append(text(left + f.width + 10, y + 4, `${reserved}${narrow ? '' : ' reserved'}`, 'label t-ink'));
      svg.append(xAxis(f, i === a.centres.length - 1 ? 'hours of the week' : '', ticks(0, n, f.width / 70), (v) => P.number(v)));
    });
    figures();
    tables();
  }

  function describe() {
    const {a, q} = good;
    return a.centres.map((c, i) => `${q.centres[i].name} has ${q.centres[i].reserved} reserved, pays ${P.money(c.alone)} alone and ${P.money(c.shared)} with sharing.`).join(' ');
  }

  function figures() {
    const {a} = good, saved = 1 - Number(a.shared) / Number(a.alone);
    P.id('federation-figures').replaceChildren(P.figure(P.money(a.alone), 'all pay alone'), P.figure(P.money(a.shared), `by lending, ${P.percent(saved)} less`),
      best ? P.figure(P.money(best.cost), best.exact ? 'is the least possible: proved' : `best plan found; none costs less than ${P.money(best.bound)}`, 'proved') : P.figure('…', 'the least that could be paid'));
  }

  function tables() {
    const {a, q} = good;
    P.id('federation-pays').replaceChildren(P.h('table', {}, P.h('thead', {}, P.h('tr', {}, ...[['centre', ''], ['alone', 'n'], ['shared', 'n'], ['saves', 'n'], ['for lending', 'n']].map(([t, c]) => P.h('th', {class: c, scope: 'col'}, t)))),
      P.h('tbody', {}, ...a.centres.map((c, i) => P.h('tr', {}, P.h('td', {}, q.centres[i].name), P.h('td', {class: 'n'}, P.money(c.alone, 0)), P.h('td', {class: 'n'}, P.money(c.shared, 0)),
        P.h('td', {class: 'n'}, P.percent(Number(c.alone) ? 1 - Number(c.shared) / Number(c.alone) : 0)), P.h('td', {class: 'n'}, P.money(c.received, 2)))))),
    P.h('p', {class: 'hint'}, 'With the fees of reservations.'));
    P.id('federation-flows').replaceChildren((a.flows ?? []).length ? P.h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Loans'}, P.h('table', {}, P.h('thead', {}, P.h('tr', {}, ...[['from', ''], ['to', ''], ['instance-hours', 'n'], ['paid', 'n'], ['data, GB', 'n']].map(([t, c]) => P.h('th', {class: c, scope: 'col'}, t)))),
      P.h('tbody', {}, ...a.flows.map((f) => P.h('tr', {}, P.h('td', {}, q.centres[f.to].name), P.h('td', {}, q.centres[f.from].name), P.h('td', {class: 'n'}, P.number(f.leased)), P.h('td', {class: 'n'}, P.money(f.lease)), P.h('td', {class: 'n'}, P.number(f.sent, 1))))))) : P.h('p', {}, 'Nobody lends anything: no idle reservation is worth its price and its data.'));
    P.id('federation-readout').replaceChildren(P.h('ul', {class: 'key'}, ...[['own', 'own tasks on own reservations'], ['gue', 'guests upon them'], ['idl', 'idle'], ['bor', 'own tasks with a neighbour'], ['buy', 'own tasks on demand']].map(([c, t]) => P.h('li', {}, P.h('span', {class: `sw ${c}`}), t))));
  }

  function set(i, reserved, cause) {
    const v = Math.max(0, Math.min(100000, Math.round(reserved)));
    if (!Number.isFinite(v) || v === state.centres[i].reserved) return;
    state.centres[i].reserved = v;
    const input = P.id(`f-federation-centres-${i}-reserved`);
    if (input && document.activeElement !== input) input.value = String(v);
    const slider = input?.parentElement.querySelector('input[type=range]');
    if (slider) slider.value = v;
    solve(cause);
  }

  function bind() {
    const holder = P.id('federation-picture');
    const place = (e) => { const box = holder.firstElementChild.getBoundingClientRect(); return (e.clientY - box.top) * holder.firstElementChild.viewBox.baseVal.width / box.width; };
    holder.addEventListener('pointerdown', (e) => {
      const i = e.target.dataset?.centre;
      if (i === undefined || e.button) return;
      e.preventDefault();
      pull = {i: Number(i), f: good.frames[i].f, most: good.frames[i].most};
      holder.setPointerCapture(e.pointerId);
    });
    holder.addEventListener('pointermove', (e) => { if (pull) set(pull.i, Math.min(pull.f.yAt(place(e)), 3 * pull.most), 'drag'); });
    for (const kind of ['pointerup', 'pointercancel']) holder.addEventListener(kind, () => { if (pull) { pull = null; draw(); } });
  }

  function controls() {
    const form = P.id('federation-controls');
    form.onsubmit = (e) => e.preventDefault();
    form.replaceChildren(
      ...state.centres.map((c, i) => {
        const name = (f) => `centres.${i}.${f}`, price = (f) => (v) => { c[f] = v; solve('price'); };
        return P.h('fieldset', {class: 'class'}, P.h('legend', {}, c.name),
          P.h('div', {class: 'row'}, P.field({wrongs, name: name('reserved'), label: 'Reserved instances', value: String(c.reserved), wide: true, range: {min: 0, max: Math.max(20, 3 * c.reserved), step: 1}, change: (v) => {
            const x = Number(v);
            if (v.trim() === '' || !Number.isInteger(x) || x < 0 || x > 100000) { wrongs.show(name('reserved'), `“${v.slice(0, 30)}”: want a whole number from 0 to 100,000`); return; }
            wrongs.clear(name('reserved'));
            set(i, x, 'slider');
          }})),
          P.h('div', {class: 'row'}, P.field({wrongs, name: name('on_demand'), label: '$ an hour', value: c.on_demand, change: price('on_demand')}),
            P.field({wrongs, name: name('fee'), label: '$ reserved a day', value: c.fee, change: price('fee')}), P.field({wrongs, name: name('traffic'), label: '$ a GB sent', value: c.traffic, change: price('traffic')})));
      }),
      P.h('div', {class: 'card'}, P.select('A lent instance costs', 'f-federation-price', [['lender', 'its owner’s fee'], ['midpoint', 'half-way to the price on demand'], ['free', 'nothing']], state.price, (v) => { state.price = v; solve('rule'); }), wrongs.place('price', null)),
      P.select('A log of yours takes the place of', 'f-federation-home', state.centres.map((c, i) => [String(i), c.name]), '0', () => {}),
      P.paste({wrongs, name: 'jobs', title: 'Your logs', hint: 'A job log takes the place of the centre chosen above: the forms of -trace of examples/tools/federation. A processor counts as an instance, from the hour of its submission to the hour of its end.', example: '1 0 -1 600 4 -1 -1 4 900 -1 1 1 -1 -1 -1 -1 -1 -1', taken: takeLog}),
      wrongs.place('tasks', null), P.h('div', {class: 'row'}, P.h('button', {type: 'button', onclick: load}, 'The made-up week again')));
  }

  async function takeLog(what) {
    const got = await P.read(wrongs, 'jobs', what);
    if (!got) return;
    const home = Number(P.id('f-federation-home').value);
    const made = await P.engine.slow('federation/tasks', {jobs: got.jobs, home, hours: state.hours});
    if (!made) return;
    if (made.answer.error) { wrongs.show('jobs', made.answer.error.text); return; }
    const tasks = [];
    for (let i = 0; i < state.tasks.length; i += 5) if (state.tasks[i] !== home) tasks.push(...state.tasks.slice(i, i + 5));
    for (const v of made.answer.tasks) tasks.push(v);
    const checked = await P.engine.slow('federation', {...question(), tasks});
    if (!checked) return;
    if (checked.answer.error) { wrongs.show('jobs', checked.answer.error.text); return; }
    state.tasks = tasks;
    state.centres[home].name = what.name ? what.name.replace(/\.(swf|txt|log)(\.gz)?$/i, '').slice(0, 24) : 'your log';
    state.centres[home].reserved = Math.round(made.answer.peak / 2);
    controls();
    solve('file');
  }

  async function load() {
    const got = await P.engine.fast('federation/made-up', {});
    state = got.answer;
    controls();
    await solve('start');
  }

  async function start() {
    bind();
    take = P.takeAway(() => P.engine.slow('federation/export', good.q));
    P.id('federation-take').append(take);
    await load();
  }

  return {start, draw, solve, set, good: () => good, state: () => state};
})();
