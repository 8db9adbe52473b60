// Works with node-zookeeper-client: four clients, transactions, watches, ephemeral znodes. work.js SERVERS DONE_FILE
'use strict';
const fs = require('fs');
const zookeeper = require('node-zookeeper-client');

const [servers, done] = process.argv.slice(2);
const CLIENTS = 4;
const {Exception} = zookeeper;
const AGAIN = [Exception.CONNECTION_LOSS, Exception.OPERATION_TIMEOUT];
const counts = {created: 0, multis: 0, fired: 0};
const names = new Set();

function pause(millis) {
  return new Promise(resolve => setTimeout(resolve, millis));
}

// One request; a lost connection is tried again, and "there already" then counts as done.
async function ask(start) {
  for (;;) {
    const [error, result] = await new Promise(resolve => start((...answer) => resolve(answer)));
    if (!error || error.code === Exception.NODE_EXISTS) {
      return result;
    }
    if (!AGAIN.includes(error.code)) {
      throw error;
    }
    await pause(100);
  }
}

function connect() {
  return new Promise((resolve, reject) => {
    const client = zookeeper.createClient(servers, {sessionTimeout: 15000, retries: 0});
    client.on('expired', () => reject(new Error('session lost')));
    client.on('expired', () => { console.error('session lost'); process.exit(1); });
    client.once('connected', () => resolve(client));
    client.connect();
  });
}

const create = (client, path, mode = zookeeper.CreateMode.PERSISTENT) =>
  ask(answer => client.create(path, Buffer.from(path), zookeeper.ACL.OPEN_ACL_UNSAFE, mode, answer));
const children = (client, path) => ask(answer => client.getChildren(path, answer));

async function watched(client, path) {
  let fire;
  const fired = new Promise(resolve => { fire = resolve; });
  await ask(answer => client.getData(path, () => fire(true), answer));
  await ask(answer => client.setData(path, Buffer.from('x'), -1, answer));
  // an event before the answer to a set whose connection broke counts as well
  if (!await Promise.race([fired, pause(30000).then(() => false)])) {
    throw new Error('no event of ' + path);
  }
  counts.fired++;
}

async function work(name) {
  const client = await connect();
  await create(client, '/ephemeral/' + name, zookeeper.CreateMode.EPHEMERAL);
  await create(client, '/watched-' + name);
  for (let number = 0; !fs.existsSync(done); number++) {
    const entry = name + '-' + number;
    await create(client, '/created/' + entry);
    names.add(entry);
    counts.created++;
    const data = await ask(answer => client.getData('/created/' + entry, answer));
    if (data.toString() !== '/created/' + entry) {
      throw new Error(entry + ' has other data');
    }
    await ask(answer => client.transaction()
      .create('/left/' + entry).create('/right/' + entry).commit(answer));
    counts.multis++;
    await watched(client, '/watched-' + name);
  }
  client.close();
}

async function main() {
  const client = await connect();
  for (const path of ['/created', '/left', '/right', '/ephemeral']) {
    await create(client, path);
  }
  await Promise.all([...Array(CLIENTS).keys()].map(i => work('client-' + i)));
  const there = new Set(await children(client, '/created'));
  const lost = [...names].filter(name => !there.has(name));
  if (lost.length) {
    throw new Error('lost: ' + lost);
  }
  const left = await children(client, '/left');
  const right = await children(client, '/right');
  if (left.length !== right.length || left.length < counts.multis) {
    throw new Error(`${counts.multis} transactions, but ${left.length} and ${right.length} znodes`);
  }
  for (let i = 0; (await children(client, '/ephemeral')).length; i++) {
    if (i > 100) {
      throw new Error('ephemeral znodes of closed sessions');
    }
    await pause(100);
  }
  console.log(`${CLIENTS} clients: ${counts.created} znodes created, ${counts.multis} transactions, `
    + `${counts.fired} watches fired; no session lost`);
  client.close();
}

main().then(() => process.exit(0), error => {
  console.error(error);
  process.exit(1);
});
