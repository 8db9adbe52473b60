/* Draws quantities over the time that has just passed: lines, axes with units, and a legend with their values. */
const SVG = at('picture').namespaceURI;
const DASHES = ['', '7 3', '2 3'];
const COLOURS = 8;
const HEIGHT = 150;
const MARGIN = { left: 58, right: 10, top: 8, bottom: 24 };
const GAP_PERIODS = 3;
/* Part of a path: a value without neighbours is a short dash around its place. */
const LONE_VALUE = 'm-2 0h4';
/* Narrower pictures have no room for a unit at each tick of time. */
const ROOMY = 340;

const RATE = { least: 1, units: [[1, ''], [1e3, 'k'], [1e6, 'M']] };
/* Drawn by magnitudes: one election in fifteen minutes would make everything else invisible. */
const MICROS = { least: 1000, byMagnitudes: true, units: [[1, ' \u00b5s'], [1e3, ' ms'], [1e6, ' s']] };
const MILLIS = { least: 100, units: [[1, ' ms'], [1e3, ' s'], [6e4, ' min']] };
const BYTES = { least: 1024, units: [[1024, ' KiB'], [1024 ** 2, ' MiB'], [1024 ** 3, ' GiB'], [1024 ** 4, ' TiB']] };

function draw(parent, tag, attributes, text) {
  const element = parent.appendChild(document.createElementNS(SVG, tag));
  for (const name of Object.keys(attributes)) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  return element;
}

/* The largest unit in which a value is at least one; of small ones the smallest. */
function unitFor(quantity, value) {
  let chosen = quantity.units[0];
  for (const unit of quantity.units) if (value >= unit[0]) chosen = unit;
  return chosen;
}

function amount(quantity, value) {
  if (value === null || value === undefined) return '\u2013';
  const [size, name] = unitFor(quantity, value);
  const scaled = value / size;
  const digits = scaled >= 100 || scaled === Math.round(scaled) ? 0 : scaled >= 10 ? 1 : 2;
  return scaled.toLocaleString('en', { maximumFractionDigits: digits }) + name;
}

/* A tick for each power of ten from what is below the lowest value to what covers the highest. */
function magnitudesFor(quantity, lowest, highest) {
  const ticks = [];
  const first = Math.floor(Math.log10(Math.max(1, lowest)));
  for (let power = first; power === first || ticks[ticks.length - 1].value < highest; power++) {
    ticks.push({ value: 10 ** power, text: amount(quantity, 10 ** power) });
  }
  return ticks;
}

/* Three to five round steps from zero to what covers a value. */
function ticksFor(quantity, highest) {
  const [size, name] = unitFor(quantity, highest);
  const wanted = highest / size / 4;
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].find(factor => factor * magnitude >= wanted) * magnitude;
  const ticks = [];
  for (let i = 0; i === 0 || ticks[i - 1].value < highest; i++) {
    const shown = Number((i * step).toPrecision(6));
    ticks.push({ value: shown * size, text: shown === 0 ? '0' : shown.toLocaleString('en') + name });
  }
  return ticks;
}

/* Lines are told apart by colour and by dashes: twenty-four of them. */
function strokeOf(index) {
  return {
    stroke: 'var(--series-' + index % COLOURS + ')',
    'stroke-dasharray': DASHES[index % DASHES.length],
    'stroke-width': 1.6, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', fill: 'none',
  };
}

class Chart {
  constructor(parent, title, quantity) {
    this.title = title;
    this.quantity = quantity;
    this.lines = [];
    this.ages = [];
    this.span = 900000;
    this.gap = 0;
    this.pointed = null;
    const figure = parent.appendChild(document.createElement('figure'));
    const caption = figure.appendChild(document.createElement('figcaption'));
    child(caption, 'b', title);
    this.moment = child(caption, 'span', '', 'soft');
    this.legend = figure.appendChild(document.createElement('ul'));
    this.picture = draw(figure, 'svg', { role: 'img', height: HEIGHT });
    this.picture.addEventListener('pointermove', event => this.point(event));
    this.picture.addEventListener('pointerleave', () => { this.pointed = null; this.showValues(); });
    new ResizeObserver(() => this.draw()).observe(figure);
  }

  /* Each line has a name, and for each age a value or null. */
  show(ages, spanMillis, periodMillis, lines) {
    this.ages = ages;
    this.span = spanMillis;
    this.gap = GAP_PERIODS * periodMillis;
    this.lines = lines;
    this.legend.replaceChildren();
    lines.forEach((line, index) => {
      const entry = this.legend.appendChild(document.createElement('li'));
      const swatch = draw(entry, 'svg', { width: 22, height: 8, 'aria-hidden': true });
      draw(swatch, 'path', { ...strokeOf(index), d: 'M1 4H21' });
      child(entry, 'span', line.name, 'soft');
      line.shown = child(entry, 'b', '');
    });
    this.draw();
  }

  clear() {
    this.show([], this.span, 0, []);
  }

  x(age) {
    return MARGIN.left + (this.width - MARGIN.left - MARGIN.right) * (1 - Math.min(1, age / this.span));
  }

  y(value) {
    const share = this.quantity.byMagnitudes
      ? Math.log10(Math.max(this.bottom, value) / this.bottom) / Math.log10(this.top / this.bottom)
      : value / this.top;
    return HEIGHT - MARGIN.bottom - (HEIGHT - MARGIN.top - MARGIN.bottom) * share;
  }

  draw() {
    this.width = Math.max(220, this.picture.parentNode.clientWidth);
    this.picture.setAttribute('width', this.width);
    this.picture.replaceChildren();
    const known = this.lines.flatMap(line => line.values).filter(value => value !== null);
    const highest = Math.max(this.quantity.least, ...known);
    const ticks = this.quantity.byMagnitudes
      ? magnitudesFor(this.quantity, Math.min(this.quantity.least / 10, ...known), highest)
      : ticksFor(this.quantity, highest);
    this.top = ticks[ticks.length - 1].value;
    this.bottom = ticks[0].value;
    this.drawAxes(ticks);
    this.lines.forEach((line, index) =>
      draw(this.picture, 'path', { ...strokeOf(index), class: 'series', d: this.path(line.values) }));
    if (known.length === 0) {
      draw(this.picture, 'text', { x: (MARGIN.left + this.width) / 2, y: HEIGHT / 2, 'text-anchor': 'middle' }, 'no data yet');
    }
    this.cursor = draw(this.picture, 'path', { class: 'cursor' });
    this.showValues();
  }

  drawAxes(ticks) {
    for (const tick of ticks) {
      const y = this.y(tick.value);
      draw(this.picture, 'path', { class: 'grid', d: 'M' + MARGIN.left + ' ' + y + 'H' + (this.width - MARGIN.right) });
      draw(this.picture, 'text', { x: MARGIN.left - 6, y: y + 4, 'text-anchor': 'end' }, tick.text);
    }
    const minutes = Math.round(this.span / 60000);
    for (let third = 0; third <= 3; third++) {
      const x = this.x(this.span * third / 3);
      const unit = third === 3 || this.width >= ROOMY ? ' min' : '';
      const text = third === 0 ? 'now' : '\u2212' + minutes * third / 3 + unit;
      draw(this.picture, 'path', { class: 'grid', d: 'M' + x + ' ' + (HEIGHT - MARGIN.bottom) + 'v4' });
      draw(this.picture, 'text', { x, y: HEIGHT - 5, 'text-anchor': ['end', 'middle', 'middle', 'start'][third] }, text);
    }
  }

  path(values) {
    let d = '';
    let before = null;
    let isAlone = false;
    values.forEach((value, i) => {
      if (value === null || this.ages[i] > this.span) return;
      const place = this.x(this.ages[i]).toFixed(1) + ' ' + this.y(value).toFixed(1);
      const joins = before === i - 1 && this.ages[before] - this.ages[i] <= this.gap;
      if (!joins && isAlone) d += LONE_VALUE;
      d += (joins ? 'L' : 'M') + place;
      isAlone = !joins;
      before = i;
    });
    return isAlone ? d + LONE_VALUE : d;
  }

  point(event) {
    const left = this.picture.getBoundingClientRect().left;
    let nearest = null;
    this.ages.forEach((age, i) => {
      const distance = Math.abs(this.x(age) - (event.clientX - left));
      if (nearest === null || distance < nearest.distance) nearest = { i, distance };
    });
    this.pointed = nearest === null ? null : nearest.i;
    this.showValues();
  }

  /* Those of the moment that is pointed at, else the newest. */
  showValues() {
    const at = this.pointed === null || this.pointed >= this.ages.length ? this.ages.length - 1 : this.pointed;
    for (const line of this.lines) line.shown.textContent = amount(this.quantity, at < 0 ? null : line.values[at]);
    const isNewest = this.pointed === null || at < 0;
    this.moment.textContent = isNewest ? '' : duration(this.ages[at]) + ' ago';
    if (this.cursor) {
      const x = isNewest ? null : this.x(this.ages[at]).toFixed(1);
      this.cursor.setAttribute('d', isNewest ? '' : 'M' + x + ' ' + MARGIN.top + 'V' + (HEIGHT - MARGIN.bottom));
    }
    const words = this.lines.map(line => line.name + ' ' + line.shown.textContent).join(', ');
    this.picture.setAttribute('aria-label', this.title + ', the last minutes; newest: ' + (words || 'nothing'));
  }
}
