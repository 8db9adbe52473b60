const PERIOD_MILLIS = 1000;
const STALE_MILLIS = 5000;
const HISTORY_MILLIS = 5000;
/* A member that is asked each second has missed several questions then. */
const SILENT_MILLIS = 3000;
let before = null;
let lastAnswer = 0;
let lastHistory = 0;
let lastDrawn = 0;
let said = {};

function perSecond(now, name) {
  if (!before || before.server_id !== now.server_id || now.time_millis <= before.time_millis) return '\u2013';
  const value = report => name in report.gauges ? report.gauges[name] : report.clients[name];
  const rate = 1000 * (value(now) - value(before)) / (now.time_millis - before.time_millis);
  return Number.isFinite(rate) && rate >= 0 ? number(Math.round(rate)) + ' /s' : '\u2013';
}

function alarmsOf(report) {
  const alarms = [...report.alarms];
  for (const member of report.members) {
    const heard = said[member.id];
    if (member.is_self || !heard) continue;
    if (isSilent(heard)) {
      alarms.push('Server ' + member.id + ' has not answered for ' + silence(heard) +
          (heard.trouble ? ': ' + heard.trouble : ''));
    } else if (heard.says) {
      for (const alarm of heard.says.alarms) alarms.push('Server ' + member.id + ': ' + alarm);
    }
  }
  return alarms;
}

const silence = heard => heard.silent_millis < 10000
  ? Math.floor(heard.silent_millis / 1000) + ' s' : duration(heard.silent_millis);

const isSilent = heard => heard.silent_millis > SILENT_MILLIS;

function showAlarms(alarms) {
  const list = at('alarms');
  list.replaceChildren();
  if (alarms.length === 0) child(list, 'li', 'none', 'good');
  for (const alarm of alarms) child(list, 'li', alarm, 'bad');
}

function heardOf(member, heard) {
  if (member.is_self) return ['this server', ''];
  if (!heard) return ['asking', 'soft'];
  if (isSilent(heard)) return ['silent for ' + silence(heard), 'bad'];
  return heard.says ? ['answers', 'good'] : [heard.trouble || 'asking', 'soft'];
}

/* Only ChainPaxos hands values from one member to the next. */
const isChain = report => report.gauges.successors_fed !== undefined;

function showMembers(report) {
  put(at('order'), isChain(report) ? 'Chain' : 'Voting members');
  at('chain').className = isChain(report) ? 'arrows' : '';
  at('chain').replaceChildren();
  for (const id of report.chain) {
    child(at('chain'), 'li', 'server ' + id + (id === report.leader ? ' (leader)' : ''));
  }
  const rows = at('members');
  rows.replaceChildren();
  for (const member of report.members) {
    const heard = said[member.id];
    const isOld = heard && isSilent(heard);
    const says = heard && heard.says && !isOld ? heard.says : null;
    const row = rows.appendChild(document.createElement('tr'));
    child(row, 'td', member.id);
    child(row, 'td', says ? says.state : member.role);
    child(row, 'td', says ? (says.serving ? 'served' : 'not served') : '\u2013', !says ? '' : says.serving ? 'good' : 'bad');
    child(row, 'td', ...heardOf(member, heard));
    child(row, 'td', member.linked ? 'up' : 'down', member.linked ? 'good' : 'bad');
    child(row, 'td', says ? says.release : '\u2013');
    child(row, 'td', number(says && says.feature_level), 'number');
    child(row, 'td', number(says && says.writes_per_second), 'number');
    child(row, 'td', number(says ? says.executed : member.acknowledged), 'number');
    child(row, 'td', number(says ? heard.behind : member.lag_positions), 'number');
    child(row, 'td', duration(says ? heard.lag_millis : member.lag_millis), 'number');
    child(row, 'td', member.address);
    child(row, 'td', member.client_address || '\u2013');
  }
}

function showTiles(report) {
  const g = report.gauges;
  const tiles = [
    ['Decided up to', number(g.max_decided)], ['Executed up to', number(g.applied_position)],
    ...(isChain(report) ? [['Accepted up to', number(g.max_accepted)]] : []), ['Last zxid', report.zxid],
    ['Commands', perSecond(report, 'batch_commands_sum')], ['Requests received', perSecond(report, 'packets_received')],
    ['Sessions', number(report.clients.sessions)], ['Connections here', number(report.clients.connections)],
    ['Znodes', number(report.clients.znodes)], ['Watches here', number(report.clients.watches)],
    ['Commands in a batch', number(g.batch_commands_avg)],
    ['Ordering a write', micros(g.order_micros_avg)],
    ['Forcing the log', micros(g.fsync_micros_avg)],
    ['Read barrier', micros(g.read_barrier_micros_avg)],
    ['Acceptor log', bytes(g.log_bytes || 0)], ['Disk left', bytes(g.disk_usable_bytes || 0)],
    ['Epoch', number(report.epoch)], ['Up for', duration(report.uptime_millis)],
  ];
  at('tiles').replaceChildren();
  for (const [name, value] of tiles) {
    const tile = child(at('tiles'), 'div', '');
    child(tile, 'span', name, 'soft');
    child(tile, 'b', value);
  }
}

function showDisks(report) {
  const g = report.gauges;
  at('shared').hidden = !g.disks;
  at('disks').replaceChildren();
  for (let disk = 1; disk <= (g.disks || 0); disk++) {
    const failed = g['shared_disk_failed.' + disk] !== 0;
    const row = at('disks').appendChild(document.createElement('tr'));
    child(row, 'td', disk);
    child(row, 'td', failed ? 'failed' : 'answers', failed ? 'bad' : 'good');
    child(row, 'td', micros(failed ? null : g['shared_disk_write_micros_avg.' + disk]), 'number');
    child(row, 'td', micros(failed ? null : g['shared_disk_read_micros_avg.' + disk]), 'number');
    child(row, 'td', number(g['shared_disk_write_micros_count.' + disk]), 'number');
  }
  put(at('ring'), 'Ring: ' + bytes(g.ring_bytes || 0) + ' of ' + bytes(g.ring_max_bytes || 0) +
      (g.ring_low ? ', nearly full because of server ' + g.ring_held_by : ''), g.ring_low ? 'bad' : 'soft');
}

const CHARTS = [
  [new Chart(at('charts'), 'Writes per second', RATE),
    h => [line('all servers', h.executed_per_second), line('its clients', h.own_per_second)]],
  [new Chart(at('charts'), 'Ordering of its writes', MICROS), h => waits(h, 'write_micros')],
  [new Chart(at('charts'), 'Wait of its linearizable reads', MICROS), h => waits(h, 'read_micros')],
  [new Chart(at('charts'), 'Forces of its log per second', RATE),
    h => [line('forces', h.forced_per_second)]],
  [new Chart(at('charts'), 'Members behind for', MILLIS),
    h => Object.keys(h.lag_millis).map(id => line('server ' + id, h.lag_millis[id])), true],
  [new Chart(at('charts'), 'Heap', BYTES),
    h => [line('used, of ' + amount(BYTES, h.heap_max_bytes), h.heap_bytes)]],
];

function line(name, values) {
  return { name, values };
}

function waits(history, name) {
  return [line('p50', history[name + '_p50']), line('p99', history[name + '_p99'])];
}

function showHistory(history, ofLeader) {
  for (const [chart, linesOf, isOfLeader] of CHARTS) {
    const drawn = isOfLeader ? ofLeader : history;
    chart.show(drawn.age_millis, drawn.span_millis, drawn.period_millis, linesOf(drawn));
  }
}

function showChoice(report) {
  const choice = at('charted');
  const ids = report.members.map(member => String(member.id));
  if (choice.dataset.ids === ids.join()) return;
  const chosen = choice.value || String(report.server_id);
  choice.dataset.ids = ids.join();
  choice.replaceChildren();
  for (const id of ids) child(choice, 'option', id).value = id;
  choice.value = ids.includes(chosen) ? chosen : String(report.server_id);
}

function show(report) {
  document.title = 'Chainkeeper ' + report.server_id + ' ' + report.state;
  put(at('server'), report.server_id);
  put(at('state'), report.state + (report.serving ? ', serving clients' : ', not serving clients'),
      report.serving ? 'good' : 'bad');
  at('links').hidden = report.links !== 'unauthenticated';
  at('tree').hidden = !report.shows_tree;
  showAlarms(alarmsOf(report));
  showChoice(report);
  showMembers(report);
  showTiles(report);
  showDisks(report);
  at('gauges').replaceChildren();
  for (const name of Object.keys(report.gauges).sort()) {
    const row = at('gauges').appendChild(document.createElement('tr'));
    child(row, 'td', 'ordering_' + name);
    child(row, 'td', number(report.gauges[name]), 'number');
  }
  before = report;
}

function showAge() {
  const age = Date.now() - lastAnswer;
  if (lastAnswer === 0 || age > STALE_MILLIS) {
    put(at('fresh'), lastAnswer === 0 ? 'no answer yet' : 'no answer for ' + duration(age), 'bad');
  } else {
    put(at('fresh'), 'live', 'soft');
  }
}

async function ask(path) {
  const answer = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(STALE_MILLIS) });
  if (!answer.ok) throw new Error('HTTP ' + answer.status);
  return answer.json();
}

/* The lag is as the leader knows it: it hears of all members. */
async function pollHistory() {
  const charted = at('charted').value;
  const leader = before.leader;
  const histories = {};
  for (const id of new Set([charted, String(leader)])) {
    try {
      if (id !== '-1') histories[id] = await ask('/status/history.json?member=' + id);
    } catch (failure) {
      setTimeout(() => { lastHistory = 0; }, PERIOD_MILLIS);
    }
  }
  const history = histories[charted];
  if (history) {
    showHistory(history, histories[leader] || history);
    lastDrawn = Date.now();
  } else if (Date.now() - lastDrawn > STALE_MILLIS) {
    for (const [chart] of CHARTS) chart.clear();
  }
}

async function poll() {
  try {
    show(await ask('/status.json'));
    lastAnswer = Date.now();
    if (lastAnswer - lastHistory >= HISTORY_MILLIS) {
      await pollHistory();
      lastHistory = lastAnswer;
    }
  } catch (failure) {
    before = null;
  }
  showAge();
  setTimeout(poll, PERIOD_MILLIS);
}

/* The members are asked as long as somebody looks. */
async function pollMembers() {
  if (!document.hidden) {
    try {
      const ensemble = await ask('/status/ensemble.json');
      said = Object.fromEntries(ensemble.members.map(member => [member.id, member]));
    } catch (failure) {
      said = {};
    }
  }
  setTimeout(pollMembers, PERIOD_MILLIS);
}

/* What is drawn is another member's then. */
at('charted').addEventListener('change', () => { lastHistory = lastDrawn = 0; });
poll();
pollMembers();
