const at = id => document.getElementById(id);

/* Text is only ever set as text, never as markup: addresses come from configuration that others may write. */
function put(element, text, className) {
  element.textContent = text;
  if (className !== undefined) element.className = className;
  return element;
}

function child(parent, tag, text, className) {
  return put(parent.appendChild(document.createElement(tag)), text, className || '');
}

const number = value => value === null || value === undefined ? '\u2013' : value.toLocaleString('en');

const micros = value => value === null || value === undefined ? number(value) : number(value) + ' \u00b5s';

function duration(millis) {
  if (millis === null || millis === undefined) return '\u2013';
  if (millis < 10000) return number(millis) + ' ms';
  const seconds = Math.floor(millis / 1000);
  if (seconds < 120) return seconds + ' s';
  if (seconds < 7200) return Math.floor(seconds / 60) + ' min';
  return Math.floor(seconds / 3600) + ' h';
}

function bytes(count) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) { count /= 1024; unit++; }
  return (unit ? count.toFixed(1) : number(count)) + ' ' + units[unit];
}
