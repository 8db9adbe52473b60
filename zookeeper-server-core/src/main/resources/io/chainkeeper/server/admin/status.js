const PERIOD_MILLIS = 1000;
const STALE_MILLIS = 5000;
const HISTORY_MILLIS = 5000;
let before = null;
let lastAnswer = 0;
let lastHistory = 0;

function perSecond(now, name) {
  if (!before || before.server_id !== now.server_id || now.time_millis <= before.time_millis) return '\u2013';
  const value = report => name in report.gauges ? report.gauges[name] : report.clients[name];
  const rate = 1000 * (value(now) - value(before)) / (now.time_millis - before.time_millis);
  return Number.isFinite(rate) && rate >= 0 ? number(Math.round(rate)) + ' /s' : '\u2013';
}

function showAlarms(alarms) {
  const list = at('alarms');
  list.replaceChildren();
  if (alarms.length === 0) child(list, 'li', 'none', 'good');
  for (const alarm of alarms) child(list, 'li', alarm, 'bad');
}

function showMembers(report) {
  at('chain').replaceChildren();
  for (const id of report.chain) {
    child(at('chain'), 'li', 'server ' + id + (id === report.leader ? ' (leader)' : ''));
  }
  const rows = at('members');
  rows.replaceChildren();
  for (const member of report.members) {
    const row = rows.appendChild(document.createElement('tr'));
    child(row, 'td', member.id + (member.is_self ? ' (this)' : ''));
    child(row, 'td', member.role);
    child(row, 'td', member.address);
    child(row, 'td', member.client_address || '\u2013');
    child(row, 'td', member.linked ? 'up' : 'down', member.linked ? 'good' : 'bad');
    child(row, 'td', number(member.acknowledged), 'number');
    child(row, 'td', number(member.lag_positions), 'number');
    child(row, 'td', duration(member.lag_millis), 'number');
  }
}

function showTiles(report) {
  const g = report.gauges;
  const tiles = [
    ['Decided up to', number(g.max_decided)], ['Executed up to', number(g.applied_position)],
    ['Accepted up to', number(g.max_accepted)], ['Last zxid', report.zxid],
    ['Commands', perSecond(report, 'batch_commands_sum')], ['Requests received', perSecond(report, 'packets_received')],
    ['Sessions', number(report.clients.sessions)], ['Connections here', number(report.clients.connections)],
    ['Znodes', number(report.clients.znodes)], ['Watches here', number(report.clients.watches)],
    ['Commands in a batch', number(g.batch_commands_avg)],
    ['Ordering a write', number(g.order_micros_avg) + ' \u00b5s'],
    ['Forcing the log', number(g.fsync_micros_avg) + ' \u00b5s'],
    ['Read barrier', number(g.read_barrier_micros_avg) + ' \u00b5s'],
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

const CHARTS = [
  [new Chart(at('charts'), 'Writes per second', RATE),
    h => [line('all servers', h.executed_per_second), line('this server', h.own_per_second)]],
  [new Chart(at('charts'), 'Ordering of this server\u2019s writes', MICROS), h => waits(h, 'write_micros')],
  [new Chart(at('charts'), 'Wait of linearizable reads here', MICROS), h => waits(h, 'read_micros')],
  [new Chart(at('charts'), 'Forces of the log per second', RATE),
    h => [line('this server', h.forced_per_second)]],
  [new Chart(at('charts'), 'Members behind for', MILLIS),
    h => Object.keys(h.lag_millis).map(id => line('server ' + id, h.lag_millis[id]))],
  [new Chart(at('charts'), 'Heap', BYTES),
    h => [line('used, of ' + amount(BYTES, h.heap_max_bytes), h.heap_bytes)]],
];

function line(name, values) {
  return { name, values };
}

function waits(history, name) {
  return [line('p50', history[name + '_p50']), line('p99', history[name + '_p99'])];
}

function showHistory(history) {
  for (const [chart, linesOf] of CHARTS) {
    chart.show(history.age_millis, history.span_millis, history.period_millis, linesOf(history));
  }
}

function show(report) {
  document.title = 'Chainkeeper ' + report.server_id + ' ' + report.state;
  put(at('server'), report.server_id);
  put(at('state'), report.state + (report.serving ? ', serving clients' : ', not serving clients') +
      (report.links === 'unauthenticated' ? ', links unauthenticated' : ''),
      report.serving ? 'good' : 'bad');
  showAlarms(report.alarms);
  showMembers(report);
  showTiles(report);
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

async function poll() {
  try {
    show(await ask('/status.json'));
    lastAnswer = Date.now();
    if (lastAnswer - lastHistory >= HISTORY_MILLIS) {
      showHistory(await ask('/status/history.json'));
      lastHistory = lastAnswer;
    }
  } catch (failure) {
    before = null;
  }
  showAge();
  setTimeout(poll, PERIOD_MILLIS);
}

poll();
