'use strict';
// The room Cluster: a day of jobs on a cluster that grows and shrinks, with time as a slider.
P.rooms.cluster = (() => {
  const {el, frame, area, text, yAxis, xAxis, labels, picture, ticks, r1} = P.plot;
  const wrongs = new P.Wrongs('cluster', 'clusters');
  const state = {jobs: null, mode: 'sec', wait_limit: '5', expansion: 'best', placement: 'max-margin'};
  const modes = [['sec', 'the first job waits a little'], ['nowait', 'for each job at once'], ['individual', 'each job alone'], ['local', 'a fixed size, owned']];
  let good = null, compared = null, now = 0, playing = null, take = null;
  const question = () => ({...state});
  const clock = (s) => `${s >= 86400 ? `day ${Math.floor(s / 86400) + 1}, ` : ''}${String(Math.floor(s / 3600) % 24).padStart(2, '0')}:${String(Math.floor(s / 60) % 60).padStart(2, '0')}`;
  const span = (s) => s < 60 ? `${Math.round(s)} s` : s < 5400 ? `${P.number(s / 60, s < 600 ? 1 : 0)} min` : `${P.number(s / 3600, 1)} h`;

  async function solve(cause) {
    if (!state.jobs) return;
    const asked = performance.now(), q = question();
    const got = await P.engine.fast('cluster', q);
    if (!got) return;
    if (got.answer.error) { wrongs.show(got.answer.error.field, got.answer.error.text); return; }
    wrongs.clearAll();
    const a = got.answer;
    for (const k of ['starts', 'at', 'held', 'busy', 'queue_at', 'queue_jobs', 'queue', 'charged']) a[k] ??= [];
    good = {a, q, end: Math.max(60, a.at.at(-1) ?? 60, ...a.queue_at.slice(-1))};
    const slider = P.id('cluster-time');
    slider.max = good.end;
    slider.step = Math.max(1, Math.round(good.end / 1440));
    if (cause === 'start' || now > good.end) now = Math.round((good.a.grows[Math.floor(good.a.grows.length / 3)]?.at ?? good.end / 3));
    draw();
    P.painted('cluster', cause, q.jobs.length / 5, got.ms, asked);
    tell();
  }

  const tell = P.resting(async () => {
    if (take) take.refresh();
    const got = await P.engine.slow('cluster/compare', good.q);
    if (!got || got.answer.error) return;
    compared = got.answer;
    drawCompared();
  });

  // at returns the place of the last level that began at or before t, -1 before the first.
  function at(times, t) {
    let low = 0, high = times.length;
    while (low < high) { const m = (low + high) >> 1; if (times[m] <= t) low = m + 1; else high = m; }
    return low - 1;
  }

  // sampled makes a list by columns of a function that changes at given times.
  function sampled(times, values, end, columns) {
    const list = new Array(columns).fill(0);
    for (let i = 0; i < times.length; i++) {
      const from = Math.floor(times[i] / end * columns), to = i + 1 < times.length ? Math.ceil(times[i + 1] / end * columns) : columns;
      for (let c = Math.max(0, from); c < Math.min(columns, Math.max(to, from + 1)); c++) list[c] = Math.max(list[c], values[i]);
    }
    return list;
  }

  function draw() {
    if (!good) return;
    const holder = P.id('cluster-picture'), {a, end} = good;
    const narrow = holder.clientWidth < 520, width = Math.max(300, holder.clientWidth), left = narrow ? 40 : 52, right = narrow ? 60 : 92;
    const wide = width - left - right, hA = narrow ? 170 : 240, hB = narrow ? 60 : 90, hC = narrow ? 50 : 70, gap = 44;
    const tops = [30, 30 + hA + gap, 30 + hA + gap + hB + gap];
    const svg = picture(holder, width, tops[2] + hC + 40, describe());
    const columns = Math.min(1200, Math.round(wide * 2));
    const held = sampled(a.at, a.held, end, columns), busy = sampled(a.at, a.busy, end, columns), queue = sampled(a.queue_at, a.queue, end, columns);
    const hours = ticks(0, end / 3600, wide / 70).map((h) => h * 3600 / end * columns);
    const A = frame(left, tops[0], wide, hA, 0, columns, 0, Math.max(1, ...held) * 1.06);
    svg.append(yAxis(A, 'Instances'), el('path', {d: area(A, held), class: 'f-idle'}), el('path', {d: area(A, busy), class: 'f-busy'}));
    const end_ = Math.floor(columns * .62); // labels name what is there at two thirds of the day
    svg.append(labels(A, [{name: 'idle', y: A.y((held[end_] + busy[end_]) / 2) - 10, className: 't-idle'}, {name: 'busy', y: A.y(busy[end_] / 2), className: 't-busy'}]));
    for (const g of a.grows) { const x = r1(A.x(g.at / end * columns)); svg.append(el('path', {d: `M${x} ${A.top + A.height}l-3.5 7h7z`, class: 'mark-grow'})); }
    svg.append(xAxis(A, '', hours, () => ''));
    const B = frame(left, tops[1], wide, hB, 0, columns, 0, Math.max(1, ...queue) * 1.1);
    svg.append(yAxis(B, narrow ? 'Instances waited for' : 'Instances that waiting jobs need', P.number, 2), el('path', {d: area(B, queue), class: 'f-wait'}), xAxis(B, '', hours, () => ''));
    const n = Math.max(1, Math.ceil(end / 3600)), C = frame(left, tops[2], wide, hC, 0, end / 3600, 0, Math.max(1, ...a.charged) * Number(a.rate) * 1.1);
    svg.append(yAxis(C, a.charged.length ? 'Charged in the hour, $' : 'Charged in the hour, $: an owned cluster is not', P.number, 2));
    a.charged.slice(0, n).forEach((v, h) => { if (v) svg.append(el('rect', {x: r1(C.x(h) + .5), y: r1(C.y(v * Number(a.rate))), width: Math.max(.6, r1(C.x(Math.min(h + 1, end / 3600)) - C.x(h) - 1)), height: r1(C.top + C.height - C.y(v * Number(a.rate))), class: 'f-charge'})); });
    svg.append(xAxis(C, 'hours from the first job', ticks(0, end / 3600, wide / 70), (v) => P.number(v)));
    good.cursor = el('line', {y1: tops[0] - 4, y2: tops[2] + hC, class: 'today'});
    svg.append(good.cursor);
    good.x = (t) => A.x(t / end * columns);
    good.back = (px) => (px - left) / wide * end;
    figures();
    drawNow();
  }

  function describe() {
    const {a} = good;
    return `${P.plural(a.jobs, 'job')} on at most ${P.plural(a.peak, 'instance')}. The cluster grew ${P.plural(a.grows.length, 'time')}, cost ${P.money(a.cost)}, and jobs waited ${span(a.wait)} on average.`;
  }

  function figures() {
    const {a, q} = good;
    P.id('cluster-figures').replaceChildren(
      q.mode === 'local' ? P.figure(P.number(a.peak), 'instances, owned') : P.figure(P.money(a.cost), 'the day costs'),
      P.figure(span(a.wait), 'a job waits on average'), P.figure(P.percent(a.used, 0), 'of what is paid for is used'),
      P.figure(P.number(a.peak), 'instances at most'), ...(q.mode === 'sec' ? [P.figure(P.number(a.grows.length), 'times the cluster grew')] : []));
  }

  const causes = {
    size: (g) => `job ${g.job} needs ${g.need} instances, and the cluster had ${g.have}`,
    wait: (g) => `job ${g.job}, ${g.waiting === 1 ? 'the only one that waits' : `the first of ${P.number(g.waiting)} that wait`}, would have waited ${span(g.wait)}`,
    least: () => 'the cluster was below its least size', none: () => 'a job that has started by now needed them', pause: () => 'the pause was over', charge: () => 'of a charge',
  };

  // drawNow shows the moment: instances as tiles, the queue, and why the cluster grew last.
  function drawNow() {
    const {a, q} = good, t = now;
    const x = r1(good.x(t));
    good.cursor.setAttribute('x1', x);
    good.cursor.setAttribute('x2', x);
    P.id('cluster-time').value = t;
    P.id('cluster-clock').textContent = clock(t);
    const level = at(a.at, t), held = level < 0 ? 0 : a.held[level], running = [], waiting = [];
    for (let i = 0; i < q.jobs.length; i += 5) {
      const [submit, ran, , nodes] = q.jobs.slice(i, i + 5), start = a.starts[i / 5];
      if (submit > t) break;
      if (start > t) waiting.push({id: i / 5 + 1, nodes, since: t - submit});
      else if (start + ran > t) running.push({id: i / 5 + 1, nodes});
    }
    const per = Math.max(1, Math.ceil(held / 240)), tiles = [];
    let busy = 0;
    for (const j of running) { busy += j.nodes; for (let k = 0; k < Math.ceil(j.nodes / per); k++) tiles.push(P.h('span', {class: `tile k${j.id % 8}`, title: `job ${j.id}`})); }
    for (let k = 0; k < Math.ceil(Math.max(0, held - busy) / per); k++) tiles.push(P.h('span', {class: 'tile idle'}));
    P.id('cluster-tiles').replaceChildren(
      P.h('div', {class: 'tiles', role: 'img', 'aria-label': `${busy} instances busy with ${running.length} jobs, ${Math.max(0, held - busy)} idle or booting`}, ...tiles),
      P.h('p', {class: 'hint'}, `${P.number(busy)} busy with ${P.plural(running.length, 'job')}, a colour each; ${P.number(Math.max(0, held - busy))} idle or booting, grey.` + (per > 1 ? ` A tile is ${per} instances.` : '')));
    P.id('cluster-queue').replaceChildren(waiting.length ? P.h('ul', {class: 'plain'}, ...waiting.slice(0, 6).map((j) => P.h('li', {class: `k${j.id % 8}`}, P.h('span', {class: 'dot'}), `job ${j.id}: ${P.plural(j.nodes, 'instance')}, for ${span(j.since)}`)),
      ...(waiting.length > 6 ? [P.h('li', {class: 'hint'}, `and ${waiting.length - 6} more`)] : [])) : P.h('p', {class: 'hint'}, 'Nobody waits.'));
    const last = a.grows.filter((g) => g.at <= t).at(-1);
    const said = last ? [P.h('b', {}, `${clock(last.at)}: ${last.by} more`), `, because ${(causes[last.cause] ?? causes.none)(last)}.`] : [q.mode === 'sec' ? 'The cluster has not grown yet.' : 'Why it grows is told for the cluster that lets the first job wait a little.'];
    P.id('cluster-readout').replaceChildren(...said);
  }

  function bars(id, list, chosen, names) {
    const rows = list.filter((r) => !r.not), most = Math.max(...rows.map((r) => Number(r.cost)), 1);
    P.id(id).replaceChildren(P.h('ul', {class: 'bars'}, ...rows.map((r) => P.h('li', {class: r.name === chosen ? 'ond' : 'none'},
      P.h('b', {}, r.name), P.h('span', {}, `${names[r.name] ?? ''}; waits ${span(r.wait)}, ${P.percent(r.used, 0)} used`), P.bar(Number(r.cost) / most, P.money(r.cost, 0))))),
    ...list.filter((r) => r.not).map((r) => P.h('p', {class: 'hint'}, `${r.name}: ${r.not}`)));
  }
  function drawCompared() {
    bars('cluster-modes', compared.modes, good.q.mode, Object.fromEntries(modes));
    bars('cluster-placements', compared.placements, good.q.placement, {'max-margin': 'most paid time left', 'min-margin': 'least paid time left', 'max-idle': 'idle longest', 'min-idle': 'idle shortest'});
  }

  function controls() {
    const form = P.id('cluster-controls');
    form.onsubmit = (e) => e.preventDefault();
    const set = (k) => (v) => { state[k] = v; solve('rule'); };
    form.replaceChildren(P.h('div', {class: 'card'},
      P.h('div', {class: 'row'}, P.select('Rent', 'f-cluster-mode', modes.map(([v, t]) => [v, t]), state.mode, set('mode'))),
      P.h('div', {class: 'row'}, P.field({wrongs, name: 'wait_limit', label: 'The first job may wait, minutes', value: state.wait_limit, wide: true, range: {min: 0, max: 120, step: 1}, change: set('wait_limit')})),
      P.h('div', {class: 'row'}, P.select('Grow for', 'f-cluster-expansion', [['best', 'long jobs and one short'], ['first', 'the first job'], ['sum', 'all jobs']], state.expansion, set('expansion'))),
      P.h('div', {class: 'row'}, P.select('A job gets the instances', 'f-cluster-placement', [['max-margin', 'with the most paid time left'], ['min-margin', 'with the least paid time left'], ['max-idle', 'idle longest'], ['min-idle', 'idle shortest']], state.placement, set('placement'))),
      P.h('p', {class: 'hint'}, 'An instance costs $2.40 for each hour begun, and boots for two to five minutes.')),
    P.paste({wrongs, name: 'jobs', title: 'Your jobs', hint: 'A log in the Standard Workload Format, or accounting of Slurm, PBS or LSF, plain or gzip: the forms of -trace of examples/tools/sec. A processor counts as an instance.', example: '; MaxNodes: 64\n1 0 -1 600 4 -1 -1 4 900 -1 1 1 -1 -1 -1 -1 -1 -1', taken: takeJobs}),
    P.h('div', {class: 'row'}, P.h('button', {type: 'button', onclick: load}, 'The made-up day again')));
  }

  async function takeJobs(what) {
    const got = await P.read(wrongs, 'jobs', what);
    if (!got) return;
    const checked = await P.engine.slow('cluster', {...question(), jobs: got.jobs});
    if (!checked) return;
    if (checked.answer.error) { wrongs.show(checked.answer.error.field, checked.answer.error.text); return; }
    state.jobs = got.jobs;
    solve('start');
  }

  async function load() {
    const got = await P.engine.fast('clusters/read', {form: 'made-up', text: ' '});
    state.jobs = got.answer.jobs;
    await solve('start');
  }

  function play() {
    const button = P.id('cluster-play');
    if (playing) { cancelAnimationFrame(playing); playing = null; button.textContent = 'Play'; return; }
    button.textContent = 'Pause';
    if (now >= good.end) now = 0;
    let before = performance.now();
    const slow = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const tick = (at) => {
      if (!slow || at - before > 1000) { // with reduced motion, a step a second
        now = Math.min(good.end, Math.round(now + (slow ? good.end / 60 : (at - before) / 1000 * good.end / 40)));
        before = at;
        drawNow();
      }
      if (now >= good.end || P.room !== 'cluster') { playing = null; button.textContent = 'Play'; return; }
      playing = requestAnimationFrame(tick);
    };
    playing = requestAnimationFrame(tick);
  }

  async function start() {
    controls();
    P.id('cluster-play').addEventListener('click', () => { if (good) play(); });
    P.id('cluster-time').addEventListener('input', (e) => { now = Number(e.target.value); if (good) drawNow(); });
    const holder = P.id('cluster-picture');
    holder.classList.add('side');
    const seek = (e) => {
      const box = holder.firstElementChild.getBoundingClientRect();
      now = Math.round(Math.max(0, Math.min(good.end, good.back((e.clientX - box.left) * holder.firstElementChild.viewBox.baseVal.width / box.width))));
      drawNow();
    };
    holder.addEventListener('pointerdown', (e) => { if (good && !e.button) { holder.setPointerCapture(e.pointerId); seek(e); } });
    holder.addEventListener('pointermove', (e) => { if (good && holder.hasPointerCapture(e.pointerId)) seek(e); });
    take = P.takeAway(() => P.engine.slow('cluster/export', good.q));
    P.id('cluster-take').append(take);
    await load();
  }

  return {start, draw, state, solve, good: () => good};
})();
