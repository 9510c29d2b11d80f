import type { Chooser } from '../chooser/chooser.js';
import { invalidField } from '../errors.js';
import { longestAnswerUsd } from '../models/max-cost.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { CallableModel } from '../pipeline/engine/model-names.js';
import type { GatewaySnapshot } from '../pipeline/engine/snapshot.js';
import { type Call, endpointsOf } from './endpoint.js';
import { pageRequestOf } from './page-request.js';
import { queryParameter } from './parameters.js';
import { choiceParameter, textParameter } from './query.js';

const endpoint = endpointsOf({ tag: 'Models' });

/** Unknown figures come last. */
const orders = {
  name: ({ label }: DescribedModel) => label,
  price: ({ prices }: DescribedModel) => prices.blended ?? Infinity,
  quality: ({ quality }: DescribedModel) => -(quality?.quality ?? -Infinity),
  latency: ({ latency }: DescribedModel) => latency ?? Infinity,
};
const orderNames = Object.keys(orders) as (keyof typeof orders)[];

/** Computed from what this process knows; nothing is read from the database. */
export const listDescribedModels = endpoint('get', '/api/v1/models', 'listDescribedModels', {
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
    const { limit, cursor } = pageRequestOf(call);
    const order = orders[choiceParameter(call, 'sort', orderNames) ?? 'name'];
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

const compare = (one: number | string, other: number | string): number =>
  one < other ? -1 : one > other ? 1 : 0;

function filterOf(call: Call): (one: DescribedModel) => boolean {
  const use = choiceParameter(call, 'use', ['auto', 'all']) ?? 'all';
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

type DescribedModel = ReturnType<typeof describe>;

/** The models that a key may call, with all that is known of each, in the providers' order. */
export function describeModels(
  parts: GatewayParts,
  snapshot: GatewaySnapshot,
  keyModels: readonly string[] | null,
) {
  const { directory, names } = snapshot;
  directory.refresh();
  const auto = new Set(names.candidatesOf(directory.auto()).map(({ label }) => label));
  const aliases = new Map<string, string[]>();
  for (const alias of names.aliasesFor(keyModels))
    for (const { label } of names.candidatesOf([alias]))
      aliases.set(label, [...(aliases.get(label) ?? []), alias]);
  return names.callable(keyModels).map((listed) =>
    describe(parts.state.chooser, snapshot, listed, {
      isAuto: auto.has(listed.label),
      aliases: aliases.get(listed.label) ?? [],
    }),
  );
}

function describe(
  chooser: Chooser,
  snapshot: GatewaySnapshot,
  listed: CallableModel,
  more: {
    /** Whether `model: auto` may choose it. */
    readonly isAuto: boolean;
    /** The names of the configuration that stand for it, alone or with others. */
    readonly aliases: readonly string[];
  },
) {
  const { label, provider, model, type, contextLength } = listed;
  const { known, abilities } = chooser.describe({ label, provider, model }, snapshot);
  const { input, output, cachedInput } = known.rates;
  const stated = known.qualityStated
    ? { basis: 'stated', quality: known.figures.quality, interval: null, kinds: [] }
    : null;
  return {
    label,
    provider,
    model,
    type,
    ...more,
    /** USD per million tokens, for a short prompt; `blended` at three read for each one written. */
    prices: { input, output, cachedInput, blended: known.figures.price },
    contextLength: known.contextLength ?? contextLength ?? null,
    maxOutput: known.maxOutput,
    longestAnswerUsd: longestAnswerUsd(snapshot.catalog.lookup(provider, model)),
    tools: known.tools,
    images: known.images,
    /** Its abilities as published, or the quality that the configuration states. */
    quality: type === 'chat' ? (stated ?? abilities()) : null,
    /** Seconds, of the last hour or as stated; null: not measured. */
    latency: known.figures.latency,
    secondsPerToken: known.pace?.answers ? known.pace.secondsPerToken : null,
  };
}
