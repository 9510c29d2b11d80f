import { GatewayError, invalidField } from '../errors.js';
import { type GatewayParts, settledStore } from '../pipeline/engine/gateway-parts.js';
import {
  fetchPriceEdition,
  type PriceUpdateTerms,
  unpricedModels,
  updatePrices,
} from '../pipeline/engine/price-updates.js';
import { type Call, endpointsOf, type Endpoint, maxSmallBodyBytes } from './endpoint.js';
import { addressOf } from './providers.js';
import { refuseUnknown } from './query.js';
import { isoOrNull } from './shown-fields.js';

const endpoint = endpointsOf({ tag: 'Models', scope: 'administrator' });
const path = '/api/v1/prices';
const response = 'prices.response';
/** How many models, and how many changes, an answer lists. */
const maxListed = 200;

const getPrices = endpoint('get', path, 'getPrices', {
  summary: 'The price data in force, and the used models without a price',
  response,
  run(call: Call) {
    refuseUnknown(call, []);
    return shownPrices(call.parts);
  },
});

const readNewerPrices = endpoint('post', path, 'updatePrices', {
  summary: 'Read newer price data, and put it in force',
  description:
    "From the address that the configuration states as `prices.url`, in genai-prices' format. Without `apply`, what it changes is only shown. With it, all replicas use it within seconds; the data before is kept.",
  request: 'price-update.request',
  example: { apply: false },
  response: 'price-update.response',
  isUncounted: true,
  maxBodyBytes: maxSmallBodyBytes,
  errors: {
    409: 'The address has other data than that of `digest`.',
    502: 'The address does not answer with a file of at most 4 MiB.',
  },
  async run(call: Call<Partial<PriceUpdateTerms>>) {
    const { url } = call.parts.configuration().config.prices;
    if (url === null) throw invalidField('prices.url', 'is not configured');
    const { state } = call.parts;
    const { store } = await state.opened();
    await state.prices.follow(store);
    const text = await fetchPriceEdition(url);
    const source = addressOf(url) ?? url;
    const terms = { apply: false, acceptJumps: false, ...call.body };
    const update = await updatePrices(store, { text, source }, terms);
    const { applied, counts, added, removed, changed } = update;
    if (applied) {
      const details = { source, ...counts };
      await call.record({ act: 'prices.update', target: applied.id, details });
      await state.prices.follow(store);
    }
    return {
      object: 'price_update',
      source,
      ...update,
      applied: applied !== null,
      added: added.slice(0, maxListed),
      removed: removed.slice(0, maxListed),
      changed: changed.slice(0, maxListed),
    };
  },
});

const revertPrices = endpoint('delete', path, 'revertPrices', {
  summary: 'Put the price data before the last update back in force',
  response,
  isUncounted: true,
  async run(call: Call) {
    const { store } = await call.parts.state.opened();
    const removed = await store.priceEditions.removeNewest();
    if (!removed) throw new GatewayError('not_found', 'the price data of the package is in force');
    const { id, source } = removed;
    await call.record({ act: 'prices.revert', target: id, details: { source } });
    return shownPrices(call.parts);
  },
});

/** The price data in force, and newer. */
export const priceEndpoints: readonly Endpoint[] = [getPrices, readNewerPrices, revertPrices];

async function shownPrices(parts: GatewayParts): Promise<object> {
  const store = await settledStore(parts);
  await parts.state.prices.follow(store);
  const row = await store.priceEditions.newest();
  const { url } = parts.configuration().config.prices;
  return {
    object: 'prices',
    source: row?.source ?? null,
    since: isoOrNull(row?.at ?? null),
    url: url === null ? null : addressOf(url),
    unpriced: await unpricedModels(store, parts.current().catalog),
  };
}
