'use strict';
// The room Take back: nodes and jobs as tiles, policies against the least waste.
P.rooms.takeback = (() => {
  const wrongs = new P.Wrongs('takeback', 'clusters');
  const state = {jobs: null, nodes: '32', at: 0, take: '12', grace: '10', saves: '', knowledge: 'true'};
  const about = {
    exact: 'whole jobs, the least waste', greedy: 'whole jobs, at most twice the least', lifo: 'the youngest job first', pap: 'least run time × nodes first',
    'pap+': 'the same times priority', fifo: 'the oldest job first', random: 'any job’s node', blind: 'any node, idle or not',
  };
  let good = null, chosen = 'exact', take = null, last = 1;
  const question = () => ({...state});
  const span = (s) => s < 5400 ? `${Math.round(s / 60)} min` : `${P.number(s / 3600, 1)} h`;

  async function solve(cause) {
    if (!state.jobs) return;
    const asked = performance.now(), q = question();
    const got = await P.engine.fast('takeback', q);
    if (!got) return;
    if (got.answer.error) { wrongs.show(got.answer.error.field, got.answer.error.text); return; }
    wrongs.clearAll();
    good = {a: got.answer, q};
    draw();
    P.painted('takeback', cause, good.a.node.length, got.ms, asked);
    if (take) take.refresh();
  }

  function draw() {
    if (!good) return;
    const {a, q} = good, way = a.ways.find((w) => w.name === chosen) ?? a.ways[0], best = a.ways[0];
    const taken = new Set(way.taken), hit = new Set(way.hit);
    const words = way.hit.length ? way.hit.map((j) => `job ${a.jobs[j].id}`).join(', ') : 'no job';
    P.id('takeback-title').textContent = `${a.node.length} nodes, ${q.take} taken by “${way.name}”`;
    P.id('takeback-tiles').replaceChildren(P.h('div', {class: 'nodes', role: 'img', 'aria-label': `${a.node.length} nodes: ${a.jobs.length} jobs run, ${a.idle} nodes are idle. ${way.name} takes nodes of ${words}.`},
      ...a.node.map((j, n) => P.h('span', {
        class: 'node' + (j < 0 ? ' free' : ` k${a.jobs[j].id % 8}`) + (taken.has(n) ? ' taken' : '') + (hit.has(j) && a.jobs[j].remaining >= q.grace * 60 ? ' lost' : ''),
        title: j < 0 ? `node ${n}: idle` : `node ${n}: job ${a.jobs[j].id}`,
      }, j < 0 ? '' : String(a.jobs[j].id)))));
    P.id('takeback-readout').textContent = `A number is a job; an empty tile is idle. Red frames are taken by “${way.name}”, which hits ${words}; pale tiles are lost with them.`;
    const most = Math.max(...a.ways.map((w) => w.hours), 1e-9), over = (w) => w.waste === best.waste ? ', as little as can be' : best.hours > 0 ? `, ${P.number(w.hours / best.hours, 2)} times the least` : '';
    const had = document.activeElement?.name === 'takeback-way';
    P.id('takeback-ways').replaceChildren(P.h('fieldset', {class: 'ways'}, P.h('legend', {class: 'sr'}, 'Show the choice of'), ...a.ways.map((w) => P.h('label', {class: w.name === way.name ? 'ond' : 'none'},
      P.h('input', {type: 'radio', name: 'takeback-way', value: w.name, checked: w.name === way.name, onchange: () => { chosen = w.name; draw(); }}),
      P.h('b', {}, w.name), P.h('span', {}, about[w.name] ?? ''), P.bar(w.hours / most, `${P.number(w.hours, 2)} node-h`)))));
    if (had) document.querySelector(`input[name=takeback-way][value="${way.name}"]`)?.focus();
    P.id('takeback-figures').replaceChildren(P.figure(`${P.number(best.hours, 2)}`, 'node-hours are wasted at least'), P.figure(P.number(way.hours, 2), `by ${way.name}${over(way)}`, way.hours <= best.hours ? 'proved' : ''),
      P.figure(P.number(a.idle), 'nodes are idle'), P.figure(P.number(a.jobs.length), 'jobs run'));
    const rows = a.jobs.map((j, i) => P.h('tr', {}, P.h('td', {class: `k${j.id % 8}`}, P.h('span', {class: 'dot'}), `job ${j.id}${j.priority > 1 ? ' ★' : ''}`), P.h('td', {class: 'n'}, P.number(j.nodes)), P.h('td', {class: 'n'}, span(j.elapsed)), P.h('td', {class: 'n'}, span(j.remaining)), P.h('td', {class: 'n'}, span(j.requested)), P.h('td', {}, hit.has(i) ? (j.remaining < q.grace * 60 ? 'ends in time' : 'lost') : '')));
    P.id('takeback-jobs').replaceChildren(rows.length ? P.h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Jobs'}, P.h('table', {},
      P.h('thead', {}, P.h('tr', {}, ...[['job', ''], ['nodes', 'n'], ['ran', 'n'], ['to go', 'n'], ['asked for', 'n'], ['here', '']].map(([t, c]) => P.h('th', {class: c, scope: 'col'}, t)))), P.h('tbody', {}, ...rows))) : P.h('p', {}, 'No job runs.'),
    P.h('p', {class: 'hint'}, 'Jobs with ★ count ten times for pap+. Waste is counted with the true times.'));
  }

  function controls() {
    const form = P.id('takeback-controls');
    form.onsubmit = (e) => e.preventDefault();
    const set = (k) => (v) => { state[k] = v; solve('drag'); };
    const clock = P.h('input', {type: 'range', id: 'takeback-at', min: 0, max: last, step: 60, value: state.at});
    const said = P.h('output', {for: 'takeback-at'}, span(state.at));
    clock.addEventListener('input', () => { state.at = Number(clock.value); said.textContent = span(state.at); solve('drag'); });
    form.replaceChildren(P.h('div', {class: 'card'},
      P.h('div', {class: 'row'}, P.field({wrongs, name: 'take', label: 'Nodes to take', value: state.take, wide: true, range: {min: 0, max: Number(state.nodes) || 32, step: 1}, change: set('take')})),
      P.h('div', {class: 'row'}, P.field({wrongs, name: 'grace', label: 'Grace period, minutes', value: state.grace, wide: true, range: {min: 0, max: 240, step: 5}, change: set('grace')})),
      P.h('div', {class: 'field'}, P.h('label', {for: 'takeback-at'}, 'Time since the first job: ', said), clock),
      P.h('div', {class: 'row'}, P.field({wrongs, name: 'nodes', label: 'Nodes of the partition', value: state.nodes, change: set('nodes')}),
        P.field({wrongs, name: 'saves', label: 'Jobs save every, minutes', value: state.saves, change: set('saves')})),
      P.h('div', {class: 'row'}, P.select('The solver knows of run times', 'f-takeback-knowledge', [['true', 'the truth'], ['requested', 'what users asked for'], ['none', 'nothing']], state.knowledge, set('knowledge')), wrongs.place('knowledge', null))),
    P.paste({wrongs, name: 'jobs', title: 'Your jobs', hint: 'A log in the Standard Workload Format, or accounting of Slurm, PBS or LSF: the forms of -trace of examples/tools/preempt. A processor counts as a node.', example: '1 0 -1 600 4 -1 -1 4 900 -1 1 1 -1 -1 -1 -1 -1 -1', taken: takeJobs}));
  }

  function use(jobs) {
    state.jobs = jobs;
    let most = 1, submit = 0;
    for (let i = 0; i < jobs.length; i += 5) { most = Math.max(most, jobs[i + 3]); submit = Math.max(submit, jobs[i]); }
    state.nodes = String(Math.max(32, most));
    last = Math.max(60, submit);
    state.at = Math.round(last * .385 / 60) * 60;
    controls();
    return solve('start');
  }

  async function takeJobs(what) {
    const got = await P.read(wrongs, 'jobs', what);
    if (!got) return;
    let most = 1;
    for (let i = 0; i < got.jobs.length; i += 5) most = Math.max(most, got.jobs[i + 3]);
    if (most > 400) { wrongs.show('jobs', `A job has ${most} nodes: the page shows at most 400; examples/tools/preempt takes more`); return; }
    use(got.jobs);
  }

  async function start() {
    take = P.takeAway(() => P.engine.slow('takeback/export', good.q));
    P.id('takeback-take').append(take);
    const got = await P.engine.fast('clusters/read', {form: 'made-up', text: ' '});
    await use(got.answer.jobs);
  }

  return {start, draw, state, solve, good: () => good};
})();
