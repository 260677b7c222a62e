'use strict';
// The room Reserve: pull the demand, move prices; the optimum, its prices and its proof follow.
P.rooms.reserve = (() => {
  const {el, frame, area, steps, text, yAxis, xAxis, labels, picture, ticks, r1} = P.plot;
  const wrongs = new P.Wrongs('reserve', 'plans');
  const state = {
    demand: null, slot: '1h', on_demand: '0.4', every: 1, pure: false,
    classes: [
      {name: '7d', term: '7', upfront: '50.4', hourly: '0', always: true, off: false},
      {name: '30d', term: '30', upfront: '194.4', hourly: '0', always: true, off: false},
      {name: '90d', term: '90', upfront: '540', hourly: '0', always: true, off: false},
    ],
  };
  const view = {from: 0, to: 0, cursor: null, brush: 'month', drawing: !matchMedia('(pointer: coarse)').matches};
  let good = null;    // the last good answer, the question it answers
  let ruled = null;   // the last good answer of the rules
  let pull = null;    // a pull on the demand under way
  let take = null, unsure = null, front = null, takeUnsure = null, spread = '30';

  const question = () => ({demand: state.demand, slot: state.slot, on_demand: state.on_demand, every: state.every, pure: state.pure, classes: state.classes});
  const slotHours = () => ({'1h': 1, '24h': 24, '168h': 168, '15m': .25}[state.slot] || 1);

  async function solve(cause) {
    if (!state.demand) return;
    const asked = performance.now(), q = question();
    q.classes = q.classes.map((c) => ({...c}));
    q.demand = q.demand.slice();
    const got = await P.engine.fast('reserve', q);
    if (!got) return;
    const a = got.answer;
    if (a.error) {
      wrongs.show(a.error.field, a.error.text);
      return;
    }
    wrongs.clearAll();
    good = {a, q, shown: q.classes.map((c, i) => i).filter((i) => !q.classes[i].off)};
    draw();
    P.painted('reserve', cause, q.demand.length, got.ms, asked);
    tell();
  }

  // tell asks what takes longer, once the hand rests.
  const tell = P.resting(async () => {
    const {q} = good, of = good;
    if (take) take.refresh();
    solveUnsure();
    const got = await P.engine.slow('reserve/rules', q);
    if (!got || got.answer.error) return;
    ruled = {a: got.answer, good: of};
    drawRules();
  });

  // The picture: who serves the demand, what an hour is worth, and the proof.
  function draw() {
    if (!good) return;
    const holder = P.id('reserve-picture'), {a, q, shown} = good;
    const n = q.demand.length, narrow = holder.clientWidth < 520;
    const demand = state.demand.length === n && pull ? state.demand : q.demand;
    if (view.to > n || view.to === 0) { view.from = 0; view.to = n; }
    const {from, to} = view;
    const width = Math.max(300, holder.clientWidth), left = narrow ? 40 : 52, right = narrow ? 78 : 92;
    const grand = holder.clientWidth > 900, hA = narrow ? 210 : grand ? 420 : 330, hB = narrow ? 70 : grand ? 120 : 100, hC = narrow ? 90 : grand ? 190 : 150;
    const tops = [30, 30 + hA + 44, 30 + hA + 44 + hB + 44];
    const total = tops[2] + hC + 42;
    let peak = 1;
    for (let t = from; t < to; t++) {
      let held = a.idle[t];
      for (const s of a.served) held += s[t];
      peak = Math.max(peak, demand[t], held);
    }
    const bought = shown.map((_, k) => a.purchases.some((b) => b.class === k));
    const svg = picture(holder, width, total, describe());
    svg.classList.add('hand');
    svg.classList.toggle('drawing', view.drawing);
    const wide = width - left - right;

    const A = frame(left, tops[0], wide, hA, from, to, 0, peak * 1.04);
    svg.append(yAxis(A, narrow ? 'Instances' : 'Instances, and who serves them'));
    // From the back: on demand is what the demand has beyond the reservations that serve it.
    let sum = new Array(n).fill(0);
    const names = [], layers = [], middle = (list) => list.slice(Math.max(0, to - Math.max(1, Math.ceil((to - from) / 12))), to).reduce((s, v, _, l) => s + v / l.length, 0);
    const held = new Array(n);
    for (let t = 0; t < n; t++) { held[t] = a.idle[t]; for (const s of a.served) held[t] += s[t]; }
    layers.push(el('path', {d: area(A, held, from, to), class: 'f-idle'}));
    layers.push(el('path', {d: area(A, demand, from, to), class: 'f-ond'}));
    const order = a.served.map((_, k) => k).sort((x, y) => a.terms[y] - a.terms[x] || x - y);
    const stack = [];
    for (const k of order) {
      if (!bought[k]) continue;
      const low = sum;
      sum = sum.map((v, t) => v + a.served[k][t]);
      stack.push({k, top: sum, low});
    }
    for (const {k, top} of stack.slice().reverse()) layers.push(el('path', {d: area(A, top, from, to), class: 'fill k' + shown[k] % 8}));
    svg.append(...layers);
    if (to - from < 3 * wide) svg.append(el('path', {d: steps(A, demand, from, to), class: 'ink', 'stroke-width': to - from < wide ? 1.2 : .5}));
    for (const {k, top, low} of stack) names.push({name: a.classes[k], y: A.y((middle(top) + middle(low)) / 2), className: 'own k' + shown[k] % 8});
    if (a.rest.some((v, t) => v > 0 && t >= from && t < to)) names.push({name: 'on demand', y: A.y((middle(demand) + middle(sum)) / 2) - 4, className: 't-ond'});
    if (middle(held) > 1.02 * middle(demand)) names.push({name: 'idle', y: A.y(Math.max(middle(held), middle(demand))) - 8, className: 't-idle'});
    svg.append(labels(A, names));
    // Purchases, as marks on the base.
    for (const b of a.purchases) {
      if (b.slot < from || b.slot >= to) continue;
      const x = r1(A.x(b.slot)), y = A.top + A.height;
      svg.append(el('path', {d: `M${x} ${y}l-4 8h8z`, class: 'fill k' + shown[b.class] % 8}));
    }
    svg.append(xAxis(A, '', P.timeMarks(from, to, slotHours(), wide), () => ''));

    const onDemand = Number(q.on_demand) * slotHours();
    const B = frame(left, tops[1], wide, hB, from, to, 0, onDemand * 1.12);
    svg.append(yAxis(B, narrow ? 'One more instance costs, $' : `What one more instance in an hour costs, $: the dual price`, (v) => P.number(v, 4), 2));
    if (!a.limited || a.price.some((v) => v > 0)) {
      svg.append(el('path', {d: area(B, a.price, from, to), class: 'f-price'}), el('path', {d: steps(B, a.price, from, to), class: 's-price', 'stroke-width': to - from > 4 * wide ? .6 : 1.4}));
    }
    svg.append(el('line', {x1: left, x2: left + wide, y1: r1(B.y(onDemand)), y2: r1(B.y(onDemand)), class: 's-ond'}));
    svg.append(labels(B, [{name: 'on demand', y: B.y(onDemand), className: 't-ond'}]));
    svg.append(xAxis(B, '', P.timeMarks(from, to, slotHours(), wide), () => ''));

    const C = frame(left, tops[2], wide, hC, from, to, 0, 1.12);
    svg.append(yAxis(C, narrow ? 'A reservation saves, of its fee' : 'What a reservation bought now would save, as a share of its fee: the proof', (v) => P.percent(v, 0), 2));
    const ends = [];
    a.worth.forEach((w, k) => {
      svg.append(el('path', {d: P.plot.line(C, thinned(w, from, to, wide)), class: 'stroke k' + shown[k] % 8}));
      ends.push({name: a.classes[k], y: C.y(w[Math.max(from, to - 1 - Math.ceil((to - from) / 60))]), className: 'own k' + shown[k] % 8});
    });
    svg.append(el('line', {x1: left, x2: left + wide, y1: r1(C.y(1)), y2: r1(C.y(1)), class: 'limit'}));
    for (const b of a.purchases) {
      if (b.slot < from || b.slot >= to) continue;
      svg.append(el('circle', {cx: r1(C.x(b.slot)), cy: r1(C.y(a.worth[b.class][b.slot])), r: 3.4, class: 'fill k' + shown[b.class] % 8}));
    }
    svg.append(labels(C, ends));
    svg.append(xAxis(C, `days from the start`, P.timeMarks(from, to, slotHours(), wide), (t) => P.number(t * slotHours() / 24)));

    const overlay = el('g', {class: 'over'});
    svg.append(overlay);
    good.frames = {A, B, C, overlay, bottom: C.top + C.height};
    drawCursor();
    figures();
    drawBuys();
    if (P.id('reserve-view')) viewTools();
  }

  function thinned(w, from, to, width) {
    const size = Math.max(1, Math.floor((to - from) / (2 * width))), list = [];
    for (let t = from; t < to; t += size) {
      let most = w[t];
      for (let i = t; i < Math.min(to, t + size); i++) most = Math.max(most, w[i]);
      list.push([t, most]);
    }
    return list;
  }

  function describe() {
    const {a, q} = good;
    const counts = a.classes.map((c, k) => [c, a.purchases.filter((b) => b.class === k).reduce((s, b) => s + b.count, 0)]).filter(([, v]) => v > 0);
    return `Demand of ${P.number(q.demand.length)} slots. The best plan buys ${counts.length ? counts.map(([c, v]) => `${v} of ${c}`).join(', ') : 'nothing'} and costs ${P.money(a.cost)}. ` +
      `All on demand costs ${P.money(a.on_demand)}. ${a.optimal ? 'The dual prices prove that no plan costs less: no reservation saves more than its fee.' : `No plan costs less than ${P.money(a.bound)}.`}`;
  }

  function figures() {
    const {a} = good;
    const proof = a.refuted ? P.figure('not proved', a.refuted, 'wrong') :
      a.optimal ? P.figure('proved', 'the certificate was checked: no plan costs less', 'proved') :
        P.figure(P.percent(Number(a.cost) / Number(a.bound) - 1, 3), `at most above the optimum; the bound of ${P.money(a.bound)} was checked`, 'proved');
    P.id('reserve-figures').replaceChildren(P.figure(P.money(a.cost), 'the best plan costs'), P.figure(P.money(a.on_demand), 'all on demand costs'), P.figure(P.percent(a.saving), 'saved'), proof);
  }

  function drawBuys() {
    const {a, shown} = good, rows = a.purchases.slice(0, 200).map((b) => P.h('tr', {},
      P.h('td', {}, P.when(b.slot, slotHours())), P.h('td', {class: 'n'}, P.number(b.count)),
      P.h('td', {class: 'k' + shown[b.class] % 8}, P.h('span', {class: 'dot'}), a.classes[b.class]),
      P.h('td', {class: 'n'}, P.percent(b.used)), P.h('td', {class: 'n'}, P.money(b.saved, 0))));
    const rest = a.purchases.length - rows.length;
    P.id('reserve-buys').replaceChildren(rows.length ? P.h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Purchases'}, P.h('table', {},
      P.h('thead', {}, P.h('tr', {}, ...[['when', ''], ['buy', 'n'], ['class', ''], ['used', 'n'], ['saves', 'n']].map(([t, c]) => P.h('th', {class: c, scope: 'col'}, t)))),
      P.h('tbody', {}, ...rows))) : P.h('p', {}, 'Nothing: at these prices each hour is cheapest on demand.'), ...(rest > 0 ? [P.h('p', {class: 'hint'}, `and ${P.plural(rest, 'more purchase')}`)] : []));
  }

  function drawRules() {
    const best = Number(ruled.good.a.cost), shown = ruled.good.shown;
    const list = ruled.a.rules.filter((r) => !r.not).map((r) => ({name: r.name, about: r.about, cost: r.cost, over: Number(r.cost) / best - 1, index: r.index, class: r.class}));
    list.push({name: 'on demand', about: 'nothing reserved', cost: ruled.good.a.on_demand, over: Number(ruled.good.a.on_demand) / best - 1, index: -2});
    list.sort((x, y) => x.over - y.over);
    const most = Math.min(1, Math.max(.05, ...list.map((r) => r.over).filter(Number.isFinite)));
    P.id('reserve-rules').replaceChildren(
      P.h('ul', {class: 'bars'}, ...list.map((r) => P.h('li', {class: r.index === -2 ? 'ond' : r.index >= 0 ? 'k' + shown[r.index] % 8 : 'none'},
        P.h('b', {}, r.name), P.h('span', {}, r.about + (r.class ? `, with ${r.class}` : '')),
        P.bar(Math.min(1, r.over / most), '+' + P.percent(r.over, r.over < .01 ? 2 : 1) + (r.over > 1 ? ' ▸' : ''))))),
      ...ruled.a.rules.filter((x) => x.not).map((r) => P.h('p', {class: 'hint'}, `${r.name} is not for this problem: ${r.not}`)));
  }

  // The cursor reads the picture at an hour, and shows the terms that begin there.
  function drawCursor() {
    if (!good || !good.frames) return;
    const {a, q, shown} = good, {A, B, C, overlay, bottom} = good.frames, readout = P.id('reserve-readout');
    overlay.replaceChildren();
    const t = view.cursor;
    if (t === null || t >= q.demand.length) {
      readout.textContent = view.drawing ? 'Pull the demand up or down with the mouse, or with the arrow keys once the picture has the focus.' : 'Touch the picture to read it.';
      return;
    }
    if (t >= view.from && t < view.to) {
      const x = r1(A.x(t + .5));
      overlay.append(el('line', {x1: x, x2: x, y1: A.top, y2: bottom, class: 'cursor'}));
      a.terms.forEach((term, k) => {
        const y = r1(B.top - 3 - 4 * k), x1 = r1(A.x(t)), x2 = r1(A.x(Math.min(view.to, t + term)));
        overlay.append(el('path', {d: `M${x1} ${y}H${x2}`, class: 'stroke k' + shown[k] % 8, 'stroke-width': 3}));
      });
    }
    const parts = a.classes.map((c, k) => a.served[k][t] ? `${a.served[k][t]} by ${c}` : '').filter(Boolean);
    if (a.rest[t]) parts.push(`${a.rest[t]} on demand`);
    const worth = a.classes.map((c, k) => `${c} ${P.percent(a.worth[k][t])}`).join(', ');
    readout.replaceChildren(P.h('b', {}, P.when(t, slotHours())), `: ${P.plural(q.demand[t], 'instance')}${parts.length ? ', ' + parts.join(', ') : ''}${a.idle[t] ? `; ${a.idle[t]} idle` : ''}. `,
      `One more here costs $${P.number(a.price[t], 4)}. `, a.classes.length ? `Bought now, of its fee a reservation would save: ${worth}.` : '');
  }

  // The hand.
  const reach = () => ({day: 1, week: 7, month: 30, all: 1e9}[view.brush] * 24 / slotHours() / 2);
  function lift(from, at, by) {
    const n = from.length, r = Math.max(.6, reach()), to = from.slice();
    let local = 0;
    const low = Math.max(0, Math.ceil(at - r)), high = Math.min(n - 1, Math.floor(at + r));
    for (let t = low; t <= high; t++) local = Math.max(local, from[t]);
    for (let t = low; t <= high; t++) {
      const near = r > n ? 1 : .5 + .5 * Math.cos(Math.PI * (t - at) / r); // a hill around the hand
      const shape = local ? from[t] / local : 1;           // that keeps the day's shape
      to[t] = Math.min(1e6, Math.max(0, Math.round(from[t] + by * near * shape)));
    }
    return to;
  }

  function bind() {
    const holder = P.id('reserve-picture');
    holder.tabIndex = 0;
    holder.setAttribute('role', 'application');
    holder.setAttribute('aria-label', 'Demand and plan. Left and right move the cursor, with shift by a day. Up and down pull the demand, with shift by ten.');
    const at = (e) => {
      const box = holder.firstElementChild.getBoundingClientRect(), f = good.frames.A;
      const scale = f ? holder.firstElementChild.viewBox.baseVal.width / box.width : 1;
      return {t: Math.floor(f.xAt((e.clientX - box.left) * scale)), v: f.yAt((e.clientY - box.top) * scale), y: (e.clientY - box.top) * scale};
    };
    const inside = (t) => t >= view.from && t < view.to;
    holder.addEventListener('pointerdown', (e) => {
      if (!good || e.button) return;
      const p = at(e);
      if (!inside(p.t)) return;
      view.cursor = p.t;
      if (view.drawing && p.y < good.frames.A.top + good.frames.A.height + 6) {
        pull = {from: state.demand, at: p.t, v: p.v, frame: good.frames.A};
        holder.setPointerCapture(e.pointerId);
        e.preventDefault();
        holder.focus({preventScroll: true});
      }
      drawCursor();
    });
    holder.addEventListener('pointermove', (e) => {
      if (!good) return;
      const p = at(e);
      if (pull) {
        const box = holder.firstElementChild.getBoundingClientRect(), scale = holder.firstElementChild.viewBox.baseVal.width / box.width;
        state.demand = lift(pull.from, pull.at, pull.frame.yAt((e.clientY - box.top) * scale) - pull.v);
        solve('drag');
      } else if (inside(p.t)) { view.cursor = p.t; drawCursor(); }
    });
    const end = () => { if (pull) { pull = null; solve('drag'); } };
    holder.addEventListener('pointerup', end);
    holder.addEventListener('pointercancel', end);
    holder.addEventListener('keydown', (e) => {
      if (!good) return;
      const n = state.demand.length, big = e.shiftKey;
      const stepT = big ? Math.max(1, Math.round(24 / slotHours())) : 1;
      view.cursor ??= Math.floor((view.from + view.to) / 2);
      switch (e.key) {
        case 'ArrowLeft': view.cursor = Math.max(0, view.cursor - stepT); drawCursor(); break;
        case 'ArrowRight': view.cursor = Math.min(n - 1, view.cursor + stepT); drawCursor(); break;
        case 'ArrowUp': state.demand = lift(state.demand, view.cursor, big ? 10 : 1); solve('key'); break;
        case 'ArrowDown': state.demand = lift(state.demand, view.cursor, big ? -10 : -1); solve('key'); break;
        default: return;
      }
      e.preventDefault();
    });
  }

  // What one can set.
  function controls() {
    const form = P.id('reserve-controls');
    const top = Number(state.on_demand) || 1;
    form.replaceChildren(
      P.h('div', {class: 'card'}, P.h('div', {class: 'row'},
        P.field({wrongs, name: 'on_demand', label: 'On demand, $ an hour', value: state.on_demand, wide: true, range: {min: 0, max: Number((3 * top).toPrecision(3)), step: Number((top / 100).toPrecision(1))}, change: (v) => { state.on_demand = v; solve('price'); }}))),
      ...state.classes.map((c, i) => classCard(c, i)),
      P.h('div', {class: 'card'}, P.h('div', {class: 'row'},
        P.select('Buy', 'f-reserve-every', [['1', 'at any hour'], ['24', 'once a day'], ['168', 'once a week'], ['672', 'every four weeks']].filter(([v]) => v === '1' || slotHours() * Number(v) > slotHours() && slotHours() === 1).map(([v, t]) => [v, slotHours() === 1 ? t : 'in any slot']), String(state.every), (v) => { state.every = Number(v); solve('rule'); }),
        P.select('A term that outlives the demand', 'f-reserve-pure', [['full', 'counts in full'], ['pure', 'counts by its share']], state.pure ? 'pure' : 'full', (v) => { state.pure = v === 'pure'; solve('rule'); }))),
      P.h('div', {class: 'row'}, P.h('button', {type: 'button', onclick: () => { if (state.classes.length < 8) { state.classes.push({name: `class ${state.classes.length + 1}`, term: '365', upfront: '1900', hourly: '0', always: true, off: false}); controls(); solve('rule'); } }}, 'Add a class')),
      P.paste({wrongs, name: 'classes', title: 'Your prices', hint: 'The price list that examples/tools/plan reads: JSON with the price on demand and the classes.', example: '{"on_demand": 2.4, "classes": [{"name": "1y", "term": "8760h", "upfront": 5000, "hourly": 0.361, "billed": "always"}]}', taken: takeClasses}));
    form.onsubmit = (e) => e.preventDefault();
  }

  function classCard(c, i) {
    const fee = Number(c.upfront) || 100, name = (field) => `classes.${i}.${field}`;
    const set = (field) => (v) => { c[field] = v; solve('price'); };
    const on = P.h('input', {type: 'checkbox', id: `f-reserve-on-${i}`, checked: !c.off});
    const card = P.h('fieldset', {class: `class k${i % 8}${c.off ? ' off' : ''}`},
      P.h('legend', {}, P.h('label', {for: on.id}, on, c.name || 'class')),
      P.h('div', {class: 'row'},
        P.field({wrongs, name: name('upfront'), label: 'Fee, $', value: c.upfront, range: {min: 0, max: Number((2 * fee).toPrecision(3)), step: Number((fee / 200).toPrecision(1))}, wide: true, change: set('upfront')})),
      P.h('div', {class: 'row'},
        P.field({wrongs, name: name('term'), label: 'Term, days', value: c.term, change: set('term')}),
        P.field({wrongs, name: name('hourly'), label: 'And $ an hour', value: c.hourly, change: set('hourly')}),
        P.select('Billed', `f-reserve-billed-${i}`, [['always', 'always'], ['used', 'when used']], c.always ? 'always' : 'used', (v) => { c.always = v === 'always'; solve('rule'); })),
      wrongs.place(name('name')));
    on.addEventListener('change', () => { c.off = !on.checked; card.classList.toggle('off', c.off); solve('rule'); });
    return card;
  }

  async function takeClasses(what) {
    const got = await P.read(wrongs, 'classes', what);
    if (!got) return;
    if (got.classes.length > 8) { wrongs.show('classes', `${got.classes.length} classes: the page takes at most 8; examples/tools/plan takes more`); return; }
    state.on_demand = got.on_demand;
    state.classes = got.classes.map((c) => {
      const hours = Number(/^(\d+)h0m0s$/.exec(c.term)?.[1]);
      return {...c, off: false, term: hours ? String(hours / 24) : c.term};
    });
    controls();
    solve('file');
  }

  async function takeDemand(what) {
    const got = await P.read(wrongs, 'demand', what);
    if (!got) return;
    const before = state.demand;
    const q = {...question(), demand: got.demand};
    const answer = await P.engine.slow('reserve/check', q);
    if (!answer) return;
    if (answer.answer.error) { wrongs.show('demand', answer.answer.error.text); state.demand = before; return; }
    state.demand = got.demand;
    view.from = 0; view.to = 0; view.cursor = null;
    solve('file');
  }

  // Demand that is not known: a fan of futures, one plan for all, and cost against risk.
  const unsureQuestion = () => ({...good.q, spread});

  async function solveUnsure() {
    const q = unsureQuestion();
    const got = await P.engine.slow('reserve/unsure', q);
    if (!got) return;
    if (got.answer.error) { wrongs.show(got.answer.error.field, got.answer.error.text); return; }
    wrongs.clear('spread');
    unsure = {a: got.answer, q, shown: q.classes.map((c, i) => i).filter((i) => !q.classes[i].off)};
    front = null;
    drawUnsure();
    if (takeUnsure) takeUnsure.refresh();
  }

  function drawUnsure() {
    if (!unsure) return;
    const {a, shown} = unsure, holder = P.id('unsure-picture'), narrow = holder.clientWidth < 520;
    const width = Math.max(300, holder.clientWidth), left = narrow ? 40 : 52, right = narrow ? 78 : 92, high = narrow ? 190 : 260;
    const n = a.quantiles[0].length, most = Math.max(1, ...a.quantiles[4]);
    const f = frame(left, 34, width - left - right, high, 0, n, 0, most * 1.05);
    const worst = P.percent(Math.max(0, ...a.losses.map((l) => l.loses)), 0);
    const svg = picture(holder, width, high + 76, `Futures of the demand between ${a.quantiles[0].at(-1)} and ${a.quantiles[4].at(-1)} instances at the end. The plan costs ${P.money(a.cost)} on average. The purchase most at risk loses money in ${worst} of the futures.`);
    svg.append(yAxis(f, 'Instances: futures, and what the plan holds'));
    const at = (list) => list.map((v, t) => [t + .5, v]);
    svg.append(el('path', {d: P.plot.band(f, at(a.quantiles[0]), at(a.quantiles[4])), class: 'f-future'}), el('path', {d: P.plot.band(f, at(a.quantiles[1]), at(a.quantiles[3])), class: 'f-future'}),
      el('path', {d: P.plot.line(f, at(a.quantiles[2])), class: 'ink', 'stroke-width': 1.2}));
    let below = new Array(n).fill(0);
    const names = [{name: '90% within', y: f.y(a.quantiles[4].at(-1)), className: 't-ond'}, {name: 'median', y: f.y(a.quantiles[2].at(-1)), className: 't-ink'}];
    (a.active ?? []).forEach((list, k) => {
      if (!list.some((v) => v > 0)) return;
      below = below.map((v, t) => v + list[t]);
      svg.append(el('path', {d: steps(f, below), class: 'stroke k' + shown[k] % 8, 'stroke-width': 2.2}));
      names.push({name: `${list.some((v, t) => below[t] > v) ? 'with ' : ''}${a.classes[k]}`, y: f.y(below[Math.floor(n * .97)]), className: 'own k' + shown[k] % 8});
    });
    svg.append(labels(f, names), xAxis(f, 'days from the start', ticks(0, n, f.width / 80), (v) => P.number(v)));
    P.id('unsure-figures').replaceChildren(P.figure(P.money(a.cost, 0), 'on average'), P.figure(P.money(a.on_demand, 0), 'all on demand, on average'),
      P.figure(P.money(String(Number(a.cost) - Number(a.hindsight)), 0), 'is what a perfect forecast would be worth'), P.figure(P.money(String(Number(a.mean_path) - Number(a.cost)), 0), 'is lost by planning for the mean'),
      P.figure(worst, 'of the futures make the riskiest purchase a loss'));
    drawFront();
  }

  async function solveFront() {
    const button = P.id('unsure-front-go');
    button.disabled = true;
    const of = unsure, got = await P.engine.slow('reserve/front', of.q);
    button.disabled = false;
    if (!got || got.answer.error || of !== unsure) return;
    front = got.answer;
    drawFront();
  }

  function drawFront() {
    const holder = P.id('unsure-front');
    if (!holder) return;
    if (!front) { holder.replaceChildren(); return; }
    const points = front.points.map((p) => ({...p, x: Number(p.mean), y: Number(p.worst)}));
    const low = Math.min(...points.map((p) => p.x)), high = Math.max(...points.map((p) => p.x)), bottom = Math.min(...points.map((p) => p.y)), top = Math.max(...points.map((p) => p.y));
    const room = (a, b) => [a - .12 * (b - a) - 1e-4 * b - 1e-9, b + .12 * (b - a) + 1e-4 * b + 1e-9], [x0, x1] = room(low, high), [y0, y1] = room(bottom, top);
    const width = Math.max(260, holder.clientWidth), f = frame(62, 34, width - 62 - 22, 190, x0, x1, y0, y1);
    const svg = picture(holder, width, 34 + 190 + 40, `Mean cost against the mean of the worst fifth: from ${P.money(points[0].mean, 0)} and ${P.money(points[0].worst, 0)} to ${P.money(points.at(-1).mean, 0)} and ${P.money(points.at(-1).worst, 0)}.`);
    svg.append(yAxis(f, 'Worst fifth of the futures, $', (v) => P.number(v, 0), 3), xAxis(f, 'mean cost, $', ticks(x0, x1, 3), (v) => P.number(v, 0)));
    svg.append(el('path', {d: P.plot.line(f, points.map((p) => [p.x, p.y])), class: 's-mean'}), ...points.map((p) => el('circle', {cx: r1(f.x(p.x)), cy: r1(f.y(p.y)), r: 4, class: 'f-busy'})));
    if (high > low) {
      svg.append(text(f.x(points[0].x) + 8, f.y(points[0].y) - 6, 'least mean', 'label t-busy'));
      svg.append(text(f.x(points.at(-1).x), f.y(points.at(-1).y) - 10, 'least risk', 'label t-busy', 'end'));
    }
  }

  function unsureControls() {
    takeUnsure = P.takeAway(() => P.engine.slow('reserve/unsure-export', unsure.q));
    P.id('unsure-controls').replaceChildren(
      P.h('div', {class: 'card'}, P.h('div', {class: 'row'}, P.field({wrongs, name: 'spread', label: 'How unsure, per cent at the end', value: spread, wide: true, range: {min: 0, max: 100, step: 1}, change: (v) => { spread = v; if (good) askUnsure(); }}))),
      P.h('button', {type: 'button', id: 'unsure-front-go', onclick: () => { if (unsure) solveFront(); }}, 'Weigh cost against risk'),
      P.h('div', {class: 'picture', id: 'unsure-front'}), takeUnsure);
  }
  const askUnsure = P.resting(solveUnsure);

  function viewTools() {
    const n = good.q.demand.length, span = view.to - view.from, slider = P.id('reserve-pan');
    slider.max = Math.max(0, n - span);
    slider.value = view.from;
    slider.disabled = span >= n;
    P.id('reserve-pan-field').hidden = span >= n;
  }

  function tools() {
    const zoom = (v) => {
      const n = state.demand.length, days = Number(v), span = days ? Math.min(n, Math.round(days * 24 / slotHours())) : n;
      const middle = view.cursor ?? (view.from + view.to) / 2;
      view.from = Math.round(Math.max(0, Math.min(n - span, middle - span / 2)));
      view.to = view.from + span;
      draw();
    };
    const pan = P.h('input', {type: 'range', id: 'reserve-pan', min: 0, max: 1, step: 1, value: 0});
    pan.addEventListener('input', () => { const span = view.to - view.from; view.from = Number(pan.value); view.to = view.from + span; draw(); });
    P.id('reserve-tools').replaceChildren(
      P.select('Show', 'reserve-view', [['0', 'all'], ['91', '13 weeks'], ['28', 'four weeks'], ['7', 'a week']], '0', zoom),
      P.h('div', {class: 'field', id: 'reserve-pan-field', hidden: true}, P.h('label', {for: 'reserve-pan'}, 'from'), pan),
      P.select('The hand pulls', 'reserve-brush', [['day', 'a day'], ['week', 'a week'], ['month', 'a month'], ['all', 'all']], view.brush, (v) => { view.brush = v; }),
      P.toggle('Pull with the pointer', view.drawing, (on) => { view.drawing = on; draw(); }),
      P.h('button', {type: 'button', onclick: () => restart(false)}, 'The made-up year again'));
  }

  async function restart(first) {
    const got = await P.engine.fast('plans/read', {form: 'made-up'});
    state.demand = got.answer.demand;
    state.slot = '1h';
    view.from = view.to = 0;
    await solve('start');
    const slow = P.timings.answers.at(-1);
    if (first && slow && slow.work > 900) { // a slow browser begins with a quarter
      state.demand = state.demand.slice(0, 91 * 24);
      view.from = view.to = 0;
      await solve('start');
      P.id('reserve-readout').textContent = 'This browser is slow, so the demand is a quarter of a year. “The made-up year again” takes all of it.';
    }
  }

  function start() {
    unsureControls();
    tools();
    controls();
    take = P.takeAway(() => P.engine.slow('reserve/export', good.q));
    const paste = P.paste({wrongs, name: 'demand', title: 'Your demand', hint: 'A number of instances a line, or date,value lines, or a forecast’s file: the forms of -demand of examples/tools/plan. One line is one hour.', example: 'instances\n12\n14\n13', taken: takeDemand});
    P.id('reserve-take').append(paste, take);
    bind();
    restart(true);
  }

  return {start, draw() { draw(); drawUnsure(); if (ruled) drawRules(); }, state, question, solve, good: () => good};
})();
