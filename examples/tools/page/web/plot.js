'use strict';
// Pictures: SVG made of steps, axes with units, and labels at what they name.
P.plot = (() => {
  const ns = 'http://www.w3.org/2000/svg';

  // el makes an SVG element.
  function el(tag, attributes = {}, ...kids) {
    const e = document.createElementNS(ns, tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== null) e.setAttribute(name, value);
    e.append(...kids);
    return e;
  }

  // ticks returns about so many round numbers from a to b.
  function ticks(a, b, most) {
    const raw = (b - a) / Math.max(1, most);
    if (!(raw > 0)) return [a];
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * (1 - 1e-9));
    const list = [];
    for (let k = Math.ceil(a / step - 1e-9); k * step <= b + step * 1e-9; k++) list.push(Number((k * step).toPrecision(12)));
    return list;
  }

  // A frame maps values to places: x from x0 to x1, y from y0 (low) to y1 (high).
  function frame(left, top, width, height, x0, x1, y0, y1) {
    return {
      left, top, width, height, x0, x1, y0, y1,
      x: (v) => left + (v - x0) / (x1 - x0 || 1) * width,
      y: (v) => top + height - (v - y0) / (y1 - y0 || 1) * height,
      xAt: (px) => x0 + (px - left) / width * (x1 - x0),
      yAt: (py) => y0 + (top + height - py) / height * (y1 - y0),
    };
  }

  const r1 = (v) => Math.round(v * 10) / 10;

  // thin returns [first, values, slots a value]: what can be seen of values[from:to], the
  // greatest of neighbours where there are more than four a pixel.
  function thin(values, from, to, width) {
    const size = Math.max(1, Math.ceil((to - from) / (4 * width)));
    if (size === 1) return [values.slice(from, to), 1];
    const list = [];
    for (let t = from; t < to; t += size) {
      let most = -Infinity;
      for (let i = t; i < Math.min(to, t + size); i++) most = Math.max(most, values[i]);
      list.push(most);
    }
    return [list, size];
  }

  // area is the path of steps down to the bottom of the frame.
  function area(f, values, from = 0, to = values.length) {
    const [list, size] = thin(values, from, to, f.width);
    if (!list.length) return '';
    let d = `M${r1(f.x(from))} ${r1(f.y(f.y0))}`, last = null;
    for (let i = 0; i < list.length; i++) {
      if (list[i] === last) continue;
      if (last !== null) d += `H${r1(f.x(from + i * size))}`;
      d += `V${r1(f.y(list[i]))}`;
      last = list[i];
    }
    return d + `H${r1(f.x(to))}V${r1(f.y(f.y0))}Z`;
  }

  // steps is the path of a line of steps; smooth values are joined by lines.
  function steps(f, values, from = 0, to = values.length) {
    const [list, size] = thin(values, from, to, f.width);
    let d = '', last = null;
    for (let i = 0; i < list.length; i++) {
      if (list[i] === last) continue;
      d += d ? `H${r1(f.x(from + i * size))}V${r1(f.y(list[i]))}` : `M${r1(f.x(from))} ${r1(f.y(list[i]))}`;
      last = list[i];
    }
    return d && d + `H${r1(f.x(to))}`;
  }

  function line(f, points) {
    let d = '', open = false;
    for (const [x, y] of points) {
      if (y === null || !Number.isFinite(y)) { open = false; continue; }
      d += `${open ? 'L' : 'M'}${r1(f.x(x))} ${r1(f.y(y))}`;
      open = true;
    }
    return d;
  }

  // band is the area between two lines.
  function band(f, low, high) {
    if (!low.length) return '';
    return 'M' + high.map(([x, y]) => `${r1(f.x(x))} ${r1(f.y(y))}`).join('L') +
      'L' + low.slice().reverse().map(([x, y]) => `${r1(f.x(x))} ${r1(f.y(y))}`).join('L') + 'Z';
  }

  const text = (x, y, s, className, anchor = 'start') => el('text', {x: r1(x), y: r1(y), class: className, 'text-anchor': anchor}, s);

  // yAxis draws lines and numbers on the left, and the title above.
  function yAxis(f, title, format = P.number, most = Math.max(2, f.height / 45)) {
    const g = el('g', {class: 'axis'});
    let marks = ticks(f.y0, f.y1, most);
    if (marks.length < 2) marks = ticks(f.y0, f.y1, 2 * most); // one number alone is no scale
    for (const v of marks) {
      g.append(el('line', {x1: f.left, x2: f.left + f.width, y1: r1(f.y(v)), y2: r1(f.y(v)), class: 'grid'}));
      g.append(text(f.left - 6, f.y(v) + 4, format(v), 'tick', 'end'));
    }
    g.append(text(0, f.top - 9, title, 'title'));
    return g;
  }

  // xAxis draws numbers below, and the unit at the end.
  function xAxis(f, unit, marks, format = (v) => v) {
    const g = el('g', {class: 'axis'});
    const bottom = f.top + f.height;
    g.append(el('line', {x1: f.left, x2: f.left + f.width, y1: bottom, y2: bottom, class: 'base'}));
    let end = -Infinity;
    for (const v of marks) {
      const x = f.x(v), label = String(format(v));
      g.append(el('line', {x1: r1(x), x2: r1(x), y1: bottom, y2: bottom + 4, class: 'base'}));
      const half = label.length * 3.6;
      if (x - half < end + 8 || x + half > f.left + f.width + 12) continue;
      g.append(text(x, bottom + 17, label, 'tick', 'middle'));
      end = x + half;
    }
    if (unit) g.append(text(f.left + f.width, bottom + 33, unit, 'tick', 'end'));
    return g;
  }

  // labels puts names at heights, apart from each other, within the frame.
  function labels(f, list, x = f.left + f.width + 6) {
    const g = el('g', {class: 'labels'});
    const gap = 15, bottom = f.top + f.height - 1;
    const places = list.map((l) => ({...l, at: Math.min(bottom, Math.max(f.top + 8, l.y))})).sort((a, b) => a.at - b.at);
    for (let i = 1; i < places.length; i++) places[i].at = Math.max(places[i].at, places[i - 1].at + gap);
    for (let i = places.length - 1; i >= 0; i--) {
      const limit = i === places.length - 1 ? bottom : places[i + 1].at - gap;
      places[i].at = Math.min(places[i].at, limit);
    }
    for (const p of places) g.append(text(x, p.at + 4, p.name, 'label ' + p.className));
    return g;
  }

  // picture makes an SVG of a size with a description, in the place of the one before.
  function picture(holder, width, height, description) {
    const svg = el('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': description});
    holder.replaceChildren(svg);
    return svg;
  }

  return {el, ticks, frame, area, steps, line, band, text, yAxis, xAxis, labels, picture, r1};
})();

// number groups digits, and keeps at most so many decimals.
P.number = (v, decimals = 3) => {
  if (v === null || !Number.isFinite(v)) return '–';
  let [whole, rest = ''] = Math.abs(v).toFixed(decimals).split('.');
  rest = rest.replace(/0+$/, '');
  whole = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return (v < 0 && (Number(whole) || rest) ? '−' : '') + whole + (rest && '.' + rest);
};

// money writes an exact amount, which is text, with two decimals or with all.
P.money = (text, decimals = 2) => {
  const negative = text.startsWith('-');
  let [whole, rest = ''] = text.replace('-', '').split('.');
  if (rest.length > decimals) {
    const scale = 10n ** BigInt(rest.length - decimals);
    const all = (BigInt(whole + rest) + scale / 2n) / scale;
    const digits = all.toString().padStart(decimals + 1, '0');
    whole = digits.slice(0, digits.length - decimals);
    rest = digits.slice(digits.length - decimals);
  }
  rest = rest.padEnd(decimals, '0');
  return (negative ? '−' : '') + '$' + whole.replace(/\B(?=(\d{3})+$)/g, ',') + (decimals ? '.' + rest : '');
};
P.percent = (v, decimals = 1) => P.number(100 * v, decimals) + '%';
P.plural = (n, one, many = one + 's') => P.number(n) + ' ' + (n === 1 ? one : many);
