// What storing requests with their sums costs in two builds, in interleaved slices of one process.
import { join } from 'node:path';
import { sourceModule } from '../source-module.mjs';
import { short, tableOf } from '../table.mjs';
import { madeUp } from './fill.mjs';

const perSlice = 4_000;
const slices = { full: 25, quick: 7 };
/** Batches as a busy and as a quiet gateway writes them, at so many requests per second. */
const loads = [
  { name: 'batches of 500, 20 per second', batch: 500, perSecond: 20 },
  { name: 'batches of 20, 20 per second', batch: 20, perSecond: 20 },
  { name: 'batches of 500, 1,000 per second', batch: 500, perSecond: 1_000 },
];

/** CPU time of all threads per request, in µs. @param dists folders of two builds, before and after */
export async function measureStoring(dists, folder, quick) {
  const table = [['storing', 'before, µs', 'now, µs', 'ratio', 'quartiles']];
  for (const [index, load] of loads.entries()) {
    const place = join(folder, `storing-${index}`);
    const stores = await Promise.all(dists.map((dist, at) => storeOf(dist, `${place}-${at}`)));
    const pairs = await pairsOf(stores, load, quick ? slices.quick : slices.full);
    for (const store of stores) await store.close();
    const ratios = sorted(pairs.map(([before, now]) => now / before));
    table.push([
      load.name,
      short(at(sorted(pairs.map(([before]) => before)), 0.5)),
      short(at(sorted(pairs.map(([, now]) => now)), 0.5)),
      short(at(ratios, 0.5)),
      `${short(at(ratios, 0.25))} to ${short(at(ratios, 0.75))}`,
    ]);
  }
  return tableOf(table);
}

async function storeOf(dist, path) {
  const { openStore } = await sourceModule(dist, 'store/open-store');
  const store = await openStore(`file:${path}.db`, { poolSize: 1, onWarning: console.error });
  await store.ping();
  return store;
}

async function pairsOf(stores, { batch, perSecond }, count) {
  const pairs = [];
  let now = Date.now();
  for (let slice = 0; slice <= count; slice++) {
    const batches = () =>
      Array.from({ length: perSlice / batch }, (_, part) =>
        Array.from({ length: batch }, (_each, index) =>
          madeUp('first', now + ((part * batch + index) * 1_000) / perSecond),
        ),
      );
    const pair = [];
    for (const place of slice % 2 === 0 ? [0, 1] : [1, 0])
      pair[place] = await cpuOf(stores[place], batches());
    now += (perSlice * 1_000) / perSecond;
    // the first one compiles
    if (slice > 0) pairs.push(pair);
  }
  return pairs;
}

async function cpuOf(store, batches) {
  const before = process.cpuUsage();
  for (const rows of batches) await store.requests.add(rows);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / perSlice;
}

const sorted = (values) => [...values].sort((one, other) => one - other);
const at = (values, share) => values[Math.floor(share * (values.length - 1))];
