'use strict';
// The room Forecast: drag today into the past, and see how right the model would have been.
P.rooms.forecast = (() => {
  const {el, frame, line, band, text, yAxis, xAxis, labels, picture, ticks, r1} = P.plot;
  const wrongs = new P.Wrongs('forecast', 'forecasts');
  const compared = ['naive', 'drift', 'mean', 'holt', 'blend', 'seasonal-naive', 'winters', 'lags', 'adaptive-triple'];
  const state = {series: null, today: 0, model: 'auto', horizon: '52', level: '90', season: '', non_negative: true, unit: 'weeks', name: 'instances'};
  const factors = {alpha: .2, beta: .3, gamma: .36};
  let sayToday = () => {}, good = null, tested = null, run = null, dragging = false, take = null, models = [];

  const question = () => ({series: state.series, today: state.today, model: state.model, horizon: state.horizon, level: state.level, season: state.season, non_negative: state.non_negative});

  async function solve(cause) {
    if (!state.series) return;
    const asked = performance.now(), q = question();
    const got = await P.engine.fast('forecast', q);
    if (!got) return;
    if (got.answer.error) { wrongs.show(got.answer.error.field, got.answer.error.text); return; }
    wrongs.clearAll();
    good = {a: got.answer, q};
    draw();
    P.painted('forecast', cause, q.series.length, got.ms, asked);
    tell();
  }

  const tell = P.resting(async () => {
    if (take) take.refresh();
    const got = await P.engine.slow('forecast/backtest', {...good.q, models: compared.includes(good.q.model) || good.q.model === 'auto' ? compared : [...compared, good.q.model]});
    if (!got || got.answer.error) return;
    tested = got.answer;
    drawTests();
  });

  function draw() {
    if (!good) return;
    const holder = P.id('forecast-picture'), {a, q} = good;
    const narrow = holder.clientWidth < 520, width = Math.max(300, holder.clientWidth);
    const left = narrow ? 40 : 52, right = narrow ? 74 : 92, height = narrow ? 260 : 420, top = 34;
    const n = q.series.length, end = Math.max(n, q.today + a.mean.length);
    let from = 0;
    if (end > 4 * a.mean.length + 60 && narrow) from = Math.max(0, q.today - 3 * a.mean.length - 30);
    let low = Infinity, high = -Infinity;
    for (let t = from; t < n; t++) if (q.series[t] !== null && Number.isFinite(q.series[t])) { low = Math.min(low, q.series[t]); high = Math.max(high, q.series[t]); }
    const span = Math.max(1e-9, high - low);
    const limit = (v) => Math.min(high + 1.5 * span, Math.max(low - 1.5 * span, v ?? high + 1.5 * span));
    for (let i = 0; i < a.mean.length; i++) { low = Math.min(low, limit(a.low[i])); high = Math.max(high, limit(a.high[i])); }
    if (low > 0 && low < .5 * high) low = 0;
    const f = frame(left, top, width - left - right, height, from, end, low, high + .03 * (high - low));
    const svg = picture(holder, width, top + height + 40, describe());
    svg.classList.add('side');
    svg.append(yAxis(f, state.name));
    svg.append(xAxis(f, state.unit, ticks(from, end, (width - left - right) / 80), (v) => P.number(v)));
    const clip = el('g', {'clip-path': 'url(#forecast-clip)'});
    svg.append(el('defs', {}, el('clipPath', {id: 'forecast-clip'}, el('rect', {x: left, y: top, width: f.width, height}))), clip);
    const at = (list) => list.map((v, i) => [q.today + i + .5, limit(v)]);
    clip.append(el('path', {d: band(f, at(a.low), at(a.high)), class: 'f-fan'}), el('path', {d: band(f, at(a.low2), at(a.high2)), class: 'f-fan2'}));
    for (const p of a.paths) clip.append(el('path', {d: line(f, at(p)), class: 's-path'}));
    clip.append(el('path', {d: line(f, at(a.mean)), class: 's-mean'}));
    const known = [], after = [];
    q.series.forEach((v, t) => { if (t >= from) (t < q.today ? known : after).push([t + .5, v]); });
    clip.append(el('path', {d: line(f, known), class: 's-known'}), el('path', {d: line(f, after), class: 's-after'}));
    const last = a.mean.length - 1, names = [];
    const inView = (y) => Math.min(top + height, Math.max(top, y));
    names.push({name: 'forecast', y: inView(f.y(limit(a.mean[last]))), className: 't-mean'}, {name: `${q.level}% within`, y: inView(f.y(limit(a.high[last]))), className: 't-mean'});
    if (after.length > 1) names.push({name: 'what came', y: inView(f.y(after.at(-1)[1] ?? low)), className: 't-ond'});
    svg.append(labels(f, names));
    const x = r1(f.x(q.today));
    svg.append(el('line', {x1: x, x2: x, y1: top - 6, y2: top + height, class: 'today'}), el('path', {d: `M${x - 6} ${top - 14}h12v7l-6 6l-6 -6z`, class: 'grip'}));
    const onLeft = f.x(q.today) > left + 60;
    svg.append(text(f.x(q.today) + (onLeft ? -10 : 10), top + 12, 'today', 'label t-ink', onLeft ? 'end' : 'start'));
    good.frame = f;
    sayToday();
    figures();
  }

  function describe() {
    const {a, q} = good;
    return `${P.plural(q.series.length, 'value')}, of which ${q.today} are known today. ${q.model} forecasts ${P.number(a.mean[0], 1)} next and ${P.number(a.mean.at(-1), 1)} after ${a.mean.length} steps, ` +
      `with ${q.level}% between ${P.number(a.low.at(-1), 1)} and ${P.number(a.high.at(-1), 1)}.` + (a.scored ? ` Of ${a.scored} values that came, ${a.within} are within.` : '');
  }

  function figures() {
    const {a, q} = good, last = a.mean.length - 1;
    P.id('forecast-figures').replaceChildren(
      P.figure(P.number(a.mean[last], 1), `in ${P.plural(a.mean.length, 'step')}`),
      P.figure(`${P.number(a.low[last], 1)} to ${P.number(a.high[last], 1)}`, `with ${q.level}%`),
      ...(a.scored ? [P.figure(`${a.within} of ${a.scored}`, `that came are within; expected ${P.number(a.scored * Number(q.level) / 100, 0)}`, a.within >= a.scored * (Number(q.level) / 100 - .12) ? 'proved' : ''), P.figure(P.number(a.mae, 2), 'mean error of those')] : []),
      P.figure(a.alarm ? 'alarm' : 'no alarm', `tracking signal ${P.number(a.signal, 2)}`, a.alarm ? 'wrong' : ''));
    P.id('forecast-readout').textContent = `${q.model}: ${a.about}${a.chosen ? `; it has taken ${a.chosen}` : ''}. ` + (a.season > 1 ? `A season of ${a.season} steps. ` : 'No season. ') +
      'Drag today with the pointer, or with the arrow keys once the picture has the focus.';
  }

  function drawTests() {
    const rows = (tested.rows ?? []).slice().sort((x, y) => x.mase - y.mase), most = Math.max(...rows.map((r) => r.mase), .1);
    P.id('forecast-backtest').replaceChildren(P.h('ul', {class: 'bars'}, ...rows.map((r) => P.h('li', {class: r.model === good.q.model ? 'k0' : 'none'},
      P.h('b', {}, r.model), P.h('span', {}, `${r.about}; ${P.percent(r.coverage, 0)} within`),
      P.bar(Math.min(1, r.mase / most), P.number(r.mase, 2))))),
    ...(tested.not?.length ? [P.h('p', {class: 'hint'}, `The series is too short for ${tested.not.join(', ')}.`)] : []),
    P.h('p', {class: 'hint'}, `From ${P.plural(tested.origins, 'point')} of the past, ${good.q.horizon} steps ahead${tested.origins === 1 ? ': too little to rank models by. Fewer steps ahead give more points' : ''}.`));
  }

  async function runaway() {
    const got = await P.engine.fast('forecast/runaway', {series: state.series, ...factors});
    if (!got) return;
    if (got.answer.error) { wrongs.show(got.answer.error.field, got.answer.error.text); return; }
    for (const k of Object.keys(factors)) wrongs.clear(k);
    run = got.answer;
    drawRunaway();
  }

  function drawRunaway() {
    if (!run) return;
    const holder = P.id('forecast-runaway'), width = Math.max(280, holder.clientWidth), left = 46, right = 142, height = 200, top = 34;
    const n = run.forms[0].errors.length, floor = -2, ceiling = 6;
    const log = (v) => v === null || !Number.isFinite(v) ? null : Math.min(ceiling, Math.max(floor, Math.log10(Math.abs(v) + 1e-12)));
    const f = frame(left, top, width - left - right, height, 0, n, floor, ceiling);
    const svg = picture(holder, width, top + height + 40, 'Errors one step ahead. ' + run.forms.map((x) => `${x.name}: ${x.stable ? 'stable' : 'unstable'}, ${x.last > 1e6 ? 'beyond a million' : P.number(x.last, 2)} at the end`).join('; '));
    svg.append(yAxis(f, 'Size of the error one step ahead, logarithmic', (v) => ({'-2': '0.01', 0: '1', 2: '100', 4: '10⁴', 6: '10⁶'}[v] ?? ''), 5));
    svg.append(xAxis(f, 'steps', ticks(0, n, f.width / 80), (v) => P.number(v)));
    const class_ = ['ond', 'k0', 'k1', 'k2'], names = [];
    run.forms.forEach((x, i) => {
      let worst = null; // the largest of a few neighbours: a line that can be read
      const points = [], size = Math.max(1, Math.round(n / 60));
      x.errors.forEach((v, t) => {
        const l = v === null && t > n / 4 && x.last > 1e6 ? ceiling : log(v);
        if (l !== null) worst = worst === null ? l : Math.max(worst, l);
        if ((t + 1) % size === 0) { points.push([t, worst]); worst = null; }
      });
      svg.append(el('path', {d: line(f, points), class: 'stroke ' + class_[i], 'stroke-dasharray': i === 3 ? '5 3' : undefined}));
      const end = points.map((p) => p[1]).filter((v) => v !== null).at(-1) ?? ceiling;
      names.push({name: x.name, y: f.y(end), className: i ? 'own ' + class_[i] : 't-ond'});
    });
    svg.append(labels(f, names));
    const printed = run.forms[0];
    P.id('forecast-limit').textContent = `As printed, γ is stable below ${P.number(run.limit, 3)}: ${printed.stable ? 'this γ is stable, and' : 'this γ is not, and'} the last errors are ${printed.last > 1e6 ? 'beyond a million' : P.number(printed.last, 2)}.`;
  }

  async function load(name) {
    const got = await P.engine.fast('forecasts/read', {form: 'series-made-up', name, text: ' '});
    const set = {fleet: ['weeks', 'Instances by the week', '52', 150], hours: ['hours', 'Instances by the hour', '48', 840], quadratic: ['steps', 'A quadratic without noise', '20', 90]}[name];
    use(got.answer.series, set[0], set[1], set[2], set[3]);
  }

  function use(series, unit, name, horizon, today) {
    Object.assign(state, {series, unit, name, horizon, today, season: '', non_negative: series.every((v) => v === null || v >= 0)});
    controls();
    solve('start');
    runaway();
  }

  async function takeSeries(what) {
    const got = await P.read(wrongs, 'series', what);
    if (!got) return;
    const n = got.series.length, h = Math.max(1, Math.min(52, Math.floor(n / 5)));
    const checked = await P.engine.slow('forecast', {...question(), series: got.series, today: n - h, horizon: String(h), season: '', model: 'naive'});
    if (!checked) return;
    if (checked.answer.error) { wrongs.show('series', checked.answer.error.text); return; }
    use(got.series, 'steps', got.name || 'value', String(h), n - h);
    if (got.others > 0) P.id('forecast-readout').textContent = `The first of ${got.others + 1} series is shown.`;
  }

  function controls() {
    P.id('forecast-controls').onsubmit = (e) => e.preventDefault();
    const set = (k) => (v) => { state[k] = v; solve('rule'); };
    P.id('forecast-controls').replaceChildren(
      P.h('div', {class: 'card'},
        P.h('div', {class: 'row'}, P.select('Model', 'f-forecast-model', models.map((m) => [m.name, m.name]), state.model, set('model')), wrongs.place('model', null)),
        P.h('div', {class: 'row'}, P.field({wrongs, name: 'horizon', label: `${state.unit} ahead`, value: state.horizon, range: {min: 1, max: 104, step: 1}, wide: true, change: set('horizon')})),
        P.h('div', {class: 'row'}, P.field({wrongs, name: 'level', label: 'Fan, per cent', value: state.level, change: set('level')}),
          P.field({wrongs, name: 'season', label: 'Season, steps', value: state.season, change: set('season')})),
        P.h('p', {class: 'hint'}, 'An empty season is found in the series; 1 is none.'),
        P.h('div', {class: 'row'}, P.toggle('Never below 0', state.non_negative, (on) => { state.non_negative = on; solve('rule'); }))));
    P.id('forecast-factors').replaceChildren(...[['alpha', 'α, of the level'], ['beta', 'β, of the trend'], ['gamma', 'γ, of the acceleration']].map(([k, label]) =>
      P.field({wrongs, name: k, label, value: String(factors[k]), range: {min: 0, max: 1, step: .01}, change: (v) => {
        const x = Number(v);
        if (v.trim() === '' || !(x >= 0 && x <= 1)) { wrongs.show(k, `“${v.slice(0, 30)}”: want a factor from 0 to 1`); return; }
        wrongs.clear(k);
        factors[k] = x;
        runaway();
      }})), P.h('p', {class: 'hint wide', id: 'forecast-limit'}));
  }

  function bind() {
    const holder = P.id('forecast-picture');
    holder.tabIndex = 0;
    holder.setAttribute('role', 'slider');
    holder.setAttribute('aria-label', 'Today, in steps');
    const say = () => { holder.setAttribute('aria-valuemin', '4'); holder.setAttribute('aria-valuemax', String(state.series.length)); holder.setAttribute('aria-valuenow', String(state.today)); };
    const move = (t, cause) => {
      const n = state.series.length, today = Math.max(Math.min(n, 4), Math.min(n, t));
      if (today === state.today) return;
      state.today = today;
      say();
      solve(cause);
    };
    const at = (e) => { const box = holder.firstElementChild.getBoundingClientRect(); return Math.round(good.frame.xAt((e.clientX - box.left) * holder.firstElementChild.viewBox.baseVal.width / box.width)); };
    holder.addEventListener('pointerdown', (e) => {
      if (!good || e.button) return;
      dragging = true;
      holder.setPointerCapture(e.pointerId);
      move(at(e), 'drag');
    });
    holder.addEventListener('pointermove', (e) => { if (dragging) move(at(e), 'drag'); });
    for (const kind of ['pointerup', 'pointercancel']) holder.addEventListener(kind, () => { dragging = false; });
    holder.addEventListener('keydown', (e) => {
      const by = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -13, PageUp: 13, Home: -1e9, End: 1e9}[e.key];
      if (!good || !by) return;
      e.preventDefault();
      move(state.today + by * (e.shiftKey ? 10 : 1), 'key');
    });
    sayToday = say;
  }

  async function start() {
    const got = await P.engine.fast('forecast/models', {});
    models = got.answer.models;
    if (!models.some((m) => m.name === state.model)) state.model = models[0].name;
    P.id('forecast-tools').replaceChildren(P.select('Series', 'forecast-series', [['fleet', 'a fleet, four years of weeks'], ['hours', 'six weeks of hours'], ['quadratic', 'a quadratic without noise']], 'fleet', load));
    take = P.takeAway(() => P.engine.slow('forecast/export', good.q));
    P.id('forecast-take').append(P.paste({wrongs, name: 'series', title: 'Your series', hint: 'The form of -demand of examples/tools/forecast: lines of date,value, or a line for each series with its name first. A missing value is empty or NA.', example: 'week,value\n1,120\n2,131', taken: takeSeries}), take);
    bind();
    await load('fleet');
  }

  return {start, draw() { draw(); drawRunaway(); }, state, solve, good: () => good};
})();
