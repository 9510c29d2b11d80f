import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unserved } from './fixtures/unserved.js';
import { differences } from './helpers/differences.js';
import { classify, expectedOf } from './helpers/expected.js';
import { type Exchange, listRecorded, recordedDir } from './helpers/recorded.js';
import { type Manner, type Replay, startReplay } from './helpers/replay.js';
import { isWholeRun, someOf } from './helpers/runs.js';

/** Requests in parallel. */
const lanes = 6;
const timeoutMs = 60_000;

const dir = recordedDir();
if (!dir)
  console.warn(
    'Recorded traffic: SKIPPED, there is no such folder (set RECORDED_DIR; by default it is ../shared/recorded beside the repository).',
  );

const exchanges = dir
  ? listRecorded(dir).map((exchange) => ({ ...exchange, ...classify(exchange) }))
  : [];
const nameOf = (exchange: Exchange): string => `${exchange.provider}/${exchange.name}`;
const isStream = ({ kind }: Exchange): boolean => kind !== 'json';
const providers = [...new Set(exchanges.map(({ provider }) => provider))];
const servedBy = (provider: string, fits: (exchange: Exchange) => boolean): Exchange[] =>
  exchanges.filter(
    (exchange) => exchange.servable && exchange.provider === provider && fits(exchange),
  );

/** Names of the exchanges that failed. */
const failed = new Set<string>();

async function inLanes<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of queue) await run(item);
    }),
  );
}

type Way = readonly [
  title: string,
  fits: (exchange: Exchange) => boolean,
  manner: (exchange: Exchange) => Manner,
];
const all = (): boolean => true;

/**
 * OpenAI's surface follows the client's mode, so each body is requested in its recorded mode; the
 * native surface always streams where it can.
 */
const ways: readonly Way[] = [
  [
    "through OpenAI's surface, in one piece",
    all,
    (exchange) => ({ surface: 'openai', stream: isStream(exchange), cut: 'whole' }),
  ],
  [
    "through OpenAI's surface, event by event",
    all,
    (exchange) => ({ surface: 'openai', stream: isStream(exchange), cut: 'events' }),
  ],
  [
    "through OpenAI's surface, byte by byte",
    all,
    (exchange) => ({ surface: 'openai', stream: isStream(exchange), cut: 'bytes' }),
  ],
  [
    "through OpenAI's surface, with other line ends, comments and pings",
    ({ kind }) => kind === 'sse',
    () => ({ surface: 'openai', stream: true, cut: 'events', sent: 'oddly' }),
  ],
  [
    "as a stream of OpenAI's where the provider does not stream",
    (exchange) => !isStream(exchange),
    () => ({ surface: 'openai', stream: true, cut: 'whole' }),
  ],
  [
    'as a native stream, in one piece',
    all,
    () => ({ surface: 'native', stream: true, cut: 'whole' }),
  ],
  [
    'as a native stream, event by event',
    all,
    () => ({ surface: 'native', stream: true, cut: 'events' }),
  ],
  [
    'as one native body, in one piece',
    all,
    () => ({ surface: 'native', stream: false, cut: 'whole' }),
  ],
  [
    'as one native body, event by event',
    all,
    () => ({ surface: 'native', stream: false, cut: 'events' }),
  ],
];

/** Answers, not failures: those have the words and codes of each surface, which have tests of their own. */
const isAnswer = (exchange: Exchange): boolean =>
  exchange.status < 400 && expectedOf(exchange)?.error === null;
const byDialect = (['messages', 'responses'] as const).flatMap((surface): Way[] => [
  [
    `through the surface of ${surface}`,
    isAnswer,
    (exchange) => ({ surface, stream: isStream(exchange), cut: 'events' }),
  ],
  [
    `as a stream of ${surface} where the provider does not stream`,
    (exchange) => isAnswer(exchange) && !isStream(exchange),
    () => ({ surface, stream: true, cut: 'whole' }),
  ],
]);

const cases = providers.flatMap((provider) =>
  [...ways, ...byDialect].flatMap(([way, fits, mannerOf]) => {
    const chosen = servedBy(provider, fits);
    return chosen.length > 0 ? [[provider, way, chosen.length, chosen, mannerOf] as const] : [];
  }),
);
const cutStreams = providers
  .map(
    (provider) =>
      [
        provider,
        servedBy(provider, (exchange) => isStream(exchange) && exchange.status < 400),
      ] as const,
  )
  .filter(([, chosen]) => chosen.length > 0);

/** Which exchanges are served, of how many, and why the others are not. */
function summary(): string {
  const rows = providers.map((provider) => {
    const own = exchanges.filter((exchange) => exchange.provider === provider);
    const good = own.filter((exchange) => exchange.servable && !failed.has(nameOf(exchange)));
    const reasons = new Map<string, number>();
    for (const exchange of own)
      if (!good.includes(exchange))
        reasons.set(
          exchange.servable ? 'FAILED' : exchange.why,
          (reasons.get(exchange.servable ? 'FAILED' : exchange.why) ?? 0) + 1,
        );
    return [
      provider,
      String(good.length),
      String(own.length),
      [...reasons].map(([why, count]) => `${count} ${why}`).join('; '),
    ];
  });
  const sum = (column: number): string =>
    String(rows.reduce((total, row) => total + Number(row[column]), 0));
  return [['provider', 'served', 'total', 'not served'], ...rows, ['all', sum(1), sum(2), '']]
    .map(([provider = '', served = '', total = '', why = '']) =>
      `${provider.padEnd(20)}${served.padStart(6)}${total.padStart(7)}  ${why}`.trimEnd(),
    )
    .join('\n');
}

describe.skipIf(!dir)('recorded traffic', () => {
  let replay: Replay;
  beforeAll(async () => {
    replay = await startReplay();
  });
  afterAll(async () => {
    await replay.close();
    if (isWholeRun) console.log(`Recorded traffic:\n${summary()}`);
  });

  it('is served, except what is listed as not being an answer to a chat', () => {
    const found = exchanges
      .filter(({ servable }) => !servable)
      .map((exchange) => `${nameOf(exchange)}: ${exchange.why}`);
    const listed = Object.entries(unserved).flatMap(([why, names]) =>
      names.map((name) => [name, why] as const),
    );
    // another folder may contain fewer exchanges
    const here = new Set(exchanges.map(nameOf));
    expect(found.sort()).toEqual(
      listed
        .filter(([name]) => here.has(name))
        .map(([name, why]) => `${name}: ${why}`)
        .sort(),
    );
  });

  it.each(someOf(cases))(
    'of %s is the same %s (%i)',
    async (_provider, _way, _count, chosen, mannerOf) => {
      const wrong: string[] = [];
      await inLanes(chosen, async (exchange) => {
        const manner = mannerOf(exchange);
        const found = differences(
          exchange,
          expectedOf(exchange)!,
          await replay.ask(exchange, manner),
          manner,
        );
        if (found.length > 0) failed.add(nameOf(exchange));
        wrong.push(...found);
      });
      expect(wrong).toEqual([]);
    },
    timeoutMs,
  );

  it.each(someOf(cutStreams))(
    'of %s that ends half way is never taken for a whole answer',
    async (_provider, chosen) => {
      const taken: string[] = [];
      await inLanes(chosen, async (exchange) => {
        for (const [surface, stream] of [
          ['openai', true],
          ['native', true],
          ['native', false],
        ] as const) {
          const { httpStatus, whole, error } = await replay.ask(exchange, {
            surface,
            stream,
            cut: 'whole',
            sent: 'halfway',
          });
          if (error === null || (httpStatus === 200 && whole))
            taken.push(`${nameOf(exchange)} (${surface}, ${stream ? 'streamed' : 'one body'})`);
        }
      });
      expect(taken).toEqual([]);
    },
    timeoutMs,
  );
});
