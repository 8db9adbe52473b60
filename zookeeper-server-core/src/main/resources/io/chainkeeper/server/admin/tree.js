const STALE_MILLIS = 10000;
/* What shows nothing, or changes the order of what stands beside it, is shown as its code. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

let credentials = null;
let shown = null;
let asked = 0;

const code = character => '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0');
const visible = name => name.replace(INVISIBLE, code);
const below = (path, name) => (path === '/' ? '/' : path + '/') + name;

/* The fragment stays in the browser; it is the path, one of the server's own pages whatever the names are. */
const link = path => '#' + encodeURIComponent(path).replaceAll('%2F', '/');

function wanted() {
  try {
    return decodeURIComponent(location.hash.slice(1)) || '/';
  } catch (failure) {
    return '/';
  }
}

/* A header takes one byte for each character. */
function header(text) {
  return Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join('');
}

async function ask(path, from) {
  const query = '?path=' + encodeURIComponent(path) + '&from=' + encodeURIComponent(from);
  const headers = credentials === null ? {} : { Authorization: 'digest ' + header(credentials) };
  const answer = await fetch('/tree/node.json' + query,
      { cache: 'no-store', credentials: 'omit', headers, signal: AbortSignal.timeout(STALE_MILLIS) });
  const node = await answer.json();
  if (!answer.ok) throw new Error(node.problem);
  return node;
}

async function look(from) {
  const path = wanted();
  const turn = ++asked;
  at('path').value = path;
  showCrumbs(path);
  try {
    const node = await ask(path, from);
    if (turn === asked) show(node);
  } catch (failure) {
    if (turn === asked) refuse(failure.message);
  }
}

function refuse(problem) {
  shown = null;
  at('node').hidden = true;
  put(at('problem'), problem);
}

function showCrumbs(path) {
  const crumbs = at('crumbs');
  crumbs.replaceChildren();
  let reached = '/';
  addLink(child(crumbs, 'li', ''), '/', '/');
  for (const name of path.split('/').filter(part => part !== '')) {
    reached = below(reached, name);
    addLink(child(crumbs, 'li', ''), reached, visible(name));
  }
  document.title = 'Chainkeeper ' + path;
}

function addLink(parent, path, text) {
  child(parent, 'a', text).href = link(path);
}

function show(node) {
  shown = node;
  at('node').hidden = false;
  put(at('problem'), node.may_read ? '' : 'You may not read this znode: only its stat is shown');
  put(at('seen'), 'as of zxid ' + node.seen_zxid + ' at this server');
  showChildren(node);
  showData(node);
  showAccess(node.acl);
  showStat(node.stat);
}

function showChildren(node) {
  const names = node.children || [];
  put(at('count'), number(node.stat.num_children));
  at('next').hidden = !node.next;
  at('jump').hidden = !node.next && at('from').value === '';
  const list = at('children');
  list.replaceChildren();
  for (const name of names) addLink(child(list, 'li', ''), below(node.path, name), visible(name));
}

function showData(node) {
  const bytes = Uint8Array.from(atob(node.data || ''), character => character.charCodeAt(0));
  const isCut = bytes.length < node.stat.data_length && node.may_read;
  const text = textOf(bytes, isCut);
  put(at('length'), number(node.stat.data_length) + ' bytes' + (isCut ? ', the first ' + number(bytes.length) + ' shown' : '') +
      (text === null ? ', no text' : ''));
  at('text').disabled = text === null;
  const asHex = text === null || at('hex').checked;
  put(at('data'), asHex ? dump(bytes) : text, asHex ? 'hex' : '');
}

/* Null if it is no text: not UTF-8, or with control characters. What is cut may end within a character. */
function textOf(bytes, isCut) {
  for (let left = 0; left <= (isCut ? 3 : 0); left++) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, bytes.length - left));
      return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text)
        ? null : text.replace(INVISIBLE, found => /[\t\r\n]/.test(found) ? found : code(found));
    } catch (failure) {
      if (!isCut) return null;
    }
  }
  return null;
}

function dump(bytes) {
  const lines = [];
  for (let i = 0; i < bytes.length; i += 16) {
    const row = Array.from(bytes.subarray(i, i + 16));
    const hex = row.map(byte => byte.toString(16).padStart(2, '0')).join(' ');
    const text = row.map(byte => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.').join('');
    lines.push(i.toString(16).padStart(5, '0') + '  ' + hex.padEnd(47) + '  ' + text);
  }
  return lines.join('\n');
}

function showAccess(acl) {
  const rows = at('acl');
  rows.replaceChildren();
  if (acl === null) child(child(rows, 'tr', ''), 'td', 'not shown', 'soft');
  for (const entry of acl || []) {
    const row = child(rows, 'tr', '');
    child(row, 'td', visible(entry.scheme));
    child(row, 'td', visible(entry.id));
    child(row, 'td', entry.permissions);
  }
}

function showStat(stat) {
  const rows = at('stat');
  rows.replaceChildren();
  for (const name of Object.keys(stat)) {
    const row = child(rows, 'tr', '');
    const isTime = name.endsWith('_millis');
    child(row, 'td', name.replace('_millis', ''), 'soft');
    child(row, 'td', isTime ? new Date(stat[name]).toISOString() : typeof stat[name] === 'number' ? number(stat[name]) : stat[name]);
  }
}

function submitted(form, action) {
  at(form).addEventListener('submit', event => { event.preventDefault(); action(); });
}

function use(user, password) {
  credentials = user === '' ? null : user + ':' + password;
  at('password').value = '';
  put(at('who'), user === '' ? 'anybody' : 'looking as ' + visible(user));
  look(at('from').value);
}

submitted('goto', () => {
  const path = at('path').value;
  if (path === wanted()) look(at('from').value);
  else location.hash = link(path);
});
submitted('login', () => use(at('user').value, at('password').value));
submitted('jump', () => look(at('from').value));
at('forget').addEventListener('click', () => { at('user').value = ''; use('', ''); });
at('next').addEventListener('click', () => { at('from').value = shown.next; look(shown.next); });
at('text').addEventListener('change', () => shown && showData(shown));
at('hex').addEventListener('change', () => shown && showData(shown));
window.addEventListener('hashchange', () => { at('from').value = ''; look(''); });
look('');
