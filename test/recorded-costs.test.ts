import { describe, expect, it } from 'vitest';
import type { Usage } from '../src/completion.js';
import { createCatalog } from '../src/models/catalog.js';
import { costOf } from '../src/models/cost.js';
import { readOpenAIUsage } from '../src/providers/openai-compatible/usage.js';
import { responsesUsage } from '../src/providers/openai-responses/answer.js';
import { parseEvents } from './helpers/expected.js';
import { at, textAt } from './helpers/json.js';
import { bodyOf, type Exchange, listRecorded, recordedDir } from './helpers/recorded.js';

const dir = recordedDir();
if (!dir) console.warn('Recorded costs: SKIPPED, there is no recorded traffic (RECORDED_DIR).');

const catalog = createCatalog({});

/** What a provider says that an answer cost, and what its usage comes to by our prices. */
interface Charged {
  readonly name: string;
  readonly stated: number;
  readonly ours: number | null;
}

const withoutStated = ({ costUsd: _stated, ...usage }: Usage): Usage => usage;

/** In USD; null if the usage does not say. xAI's ticks are ten-billionths. */
function statedCost(usage: unknown): number | null {
  const ticks = at(usage, 'cost_in_usd_ticks');
  if (typeof ticks === 'number') return ticks / 1e10;
  const cost = at(usage, 'cost', 'total_cost') ?? at(usage, 'cost');
  return typeof cost === 'number' ? cost : null;
}

function chargedIn(exchange: Exchange): Charged[] {
  const charged = [parseEvents(bodyOf(exchange), exchange.kind)].flat().flatMap((event) => {
    const answer = at(event, 'response') ?? event;
    const usage = at(answer, 'usage');
    const stated = statedCost(usage);
    if (stated === null) return [];
    const read: Usage | null =
      at(usage, 'input_tokens') === undefined
        ? readOpenAIUsage(usage as Parameters<typeof readOpenAIUsage>[0])
        : responsesUsage(usage as Parameters<typeof responsesUsage>[0]);
    const model = textAt(answer, 'model');
    const provider = model.includes('/')
      ? 'openrouter'
      : model.startsWith('grok')
        ? 'x-ai'
        : exchange.provider;
    const facts = catalog.lookup(provider, model);
    return [
      {
        name: `${exchange.provider}/${exchange.name} (${model})`,
        stated,
        ours: read && costOf(withoutStated(read), facts).total_tokens_cost,
      },
    ];
  });
  // a stream states its usage as it grows
  return charged.slice(-1);
}

/** Which differ, and why. */
const different: readonly (readonly [name: RegExp, why: string])[] = [
  [/variant-d\.0 \(muse-spark/, 'the body names a model that did not write it'],
  [/\(x-ai\/grok-4\)/, 'OpenRouter no longer lists the model'],
  [
    /\(deepseek\/deepseek-chat\)/,
    'a search of OpenRouter, and a host that was cheaper than listed',
  ],
  [/\(perplexity\/sonar\)/, 'a fee for each request that OpenRouter passes on and does not list'],
  [/openrouter.*\(openai\/gpt-5\.2\)/, 'three searches: OpenRouter lists no price of one'],
  [/\(sonar\)/, 'the fee for a search with little context: the list has that for much'],
  [/xai\/json__search-citations.*\(grok-4\.3\)/, 'two searches: the list has no price of one'],
];
const whyDifferent = (name: string): string | undefined =>
  different.find(([pattern]) => pattern.test(name))?.[1];
const isEqual = ({ stated, ours }: Charged): boolean =>
  ours !== null && Math.abs(ours - stated) <= 1e-9;

const all = dir ? listRecorded(dir).flatMap(chargedIn) : [];

describe.runIf(dir)('recorded usage at our prices', () => {
  it('is what the provider says that the answer cost, but for fees beside tokens', () => {
    const equal = all.filter(isEqual);
    expect(equal.length).toBeGreaterThanOrEqual(20);
    expect(all.filter(({ name }) => whyDifferent(name) === undefined)).toEqual(equal);
  });

  it('differs where it is known to, as long as it does', () => {
    for (const [pattern, why] of different)
      expect([why, all.some((one) => pattern.test(one.name) && !isEqual(one))]).toEqual([
        why,
        true,
      ]);
  });
});
