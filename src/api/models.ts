import { invalidField } from '../errors.js';
import { type Call, endpoint, type Endpoint } from './endpoint.js';
import { queryParameter } from './openapi/operations.js';
import { pageRequestOf } from './page-request.js';
import { type DescribedModel, describeModels } from './providers/describe-models.js';
import { textParameter } from './query.js';

const filters = ['provider', 'search', 'use', 'sort'];
const uses = ['auto', 'all'] as const;

/** Unknown figures come last. */
const orders: Record<string, (one: DescribedModel) => number | string> = {
  name: ({ label }) => label,
  price: ({ prices }) => prices.blended ?? Infinity,
  quality: ({ quality }) => -(quality?.quality ?? -Infinity),
  latency: ({ latency }) => latency ?? Infinity,
};

/** Computed from what this process knows; nothing is read from the database. */
const listModels = endpoint({
  tag: 'Models',
  method: 'get',
  path: '/api/v1/models',
  id: 'listDescribedModels',
  summary: 'List the models that this key may use, with prices, abilities and speed',
  response: 'described-model.response',
  isList: true,
  parameters: [
    queryParameter('provider', 'Only models of this provider.'),
    queryParameter('search', 'Words that the name has.'),
    queryParameter('use', '`auto`: only those that `model: auto` may choose. Default: `all`.'),
    queryParameter(
      'sort',
      '`name`, `price` (cheapest first), `quality` (best first) or `latency` (fastest first). Default: `name`.',
    ),
  ],
  run(call: Call) {
    const { limit, cursor } = pageRequestOf(call, filters);
    const order = orderOf(call);
    const found = describeModels(call.parts, call.snapshot, call.caller.models)
      .filter(filterOf(call))
      .sort((one, other) => compare(order(one), order(other)) || compare(one.label, other.label));
    const start = startOf(cursor);
    return {
      object: 'list',
      items: found.slice(start, start + limit).map(shownModel),
      next: start + limit < found.length ? String(start + limit) : null,
    };
  },
});

/** The models that a caller may use. */
export const modelEndpoints: readonly Endpoint[] = [listModels];

const compare = (one: number | string, other: number | string): number =>
  one < other ? -1 : one > other ? 1 : 0;

function orderOf(call: Call): (one: DescribedModel) => number | string {
  const sort = textParameter(call, 'sort') ?? 'name';
  const order = Object.hasOwn(orders, sort) ? orders[sort] : undefined;
  if (!order) throw invalidField('sort', `must be one of: ${Object.keys(orders).join(', ')}`);
  return order;
}

function filterOf(call: Call): (one: DescribedModel) => boolean {
  const use = textParameter(call, 'use') ?? 'all';
  if (!uses.some((known) => known === use))
    throw invalidField('use', `must be one of: ${uses.join(', ')}`);
  const provider = textParameter(call, 'provider');
  const words = (textParameter(call, 'search') ?? '').toLowerCase().split(/\s+/);
  return (one) =>
    (use === 'all' || one.isAuto) &&
    (provider === null || one.provider === provider) &&
    words.every((word) => one.label.toLowerCase().includes(word));
}

function startOf(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,6}$/.test(cursor)) throw invalidField('cursor', 'is not a cursor of this list');
  return Number(cursor);
}

function shownModel({ label, isAuto, latency, secondsPerToken, ...known }: DescribedModel): object {
  return {
    object: 'model',
    id: label,
    ...known,
    auto: isAuto,
    ttftMs: latency === null ? null : Math.round(latency * 1000),
    tokensPerSecond: secondsPerToken === null ? null : Math.round(1 / secondsPerToken),
  };
}
