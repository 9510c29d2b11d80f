import type { Step } from '../helpers/steps.js';

/** The providers of a run, each with its dialect. */
export const providers = { a: 'openai-compatible', b: 'anthropic', c: 'gemini' } as const;
export type ProviderName = keyof typeof providers;

export type SurfaceName = 'native' | 'openai' | 'messages' | 'responses';

/**
 * Whose key a request has: `free` has no limits; `exact` is used by clients that stay and calls that
 * fail without a bill alone, so that its spend is known to the token; `budget` has one too small.
 */
export const keyNames = ['free', 'exact', 'budget'] as const;
export type KeyName = (typeof keyNames)[number];

/** One request, known from the seed and its number alone: client and providers agree on it. */
export interface ChaosRequest {
  readonly id: number;
  readonly surface: SurfaceName;
  readonly streams: boolean;
  readonly key: KeyName;
  readonly models: readonly string[];
  /** In pieces, as a provider streams it. */
  readonly pieces: readonly string[];
  /** Leaves after so many frames; null: it stays. */
  readonly leavesAfterFrames: number | null;
  /** Where streams can be resumed, comes back so many ms after it left; null: never. */
  readonly comesBackAfterMs: number | null;
  /** Where answers are kept, sends it twice with one `Idempotency-Key`: at once, or one after the other. */
  readonly repeats: 'at once' | 'later' | null;
  /** Leaves after so many ms; null: it stays. */
  readonly leavesAfterMs: number | null;
}

/** What all prompts contain: providers find the request's number there. */
export const markOf = (id: number): string => `[chaos ${id}]`;

/** Tokens that every answer's usage states for the prompt. */
export const promptTokens = 10;

/** Numbers from 0 to 1 that repeat for the same numbers. */
function randomFor(...numbers: number[]): () => number {
  let state = numbers.reduce((mixed, each) => Math.imul(mixed ^ each, 0x9e3779b1) + each + 1, 7);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Random = ReturnType<typeof randomFor>;
const pick = <T>(random: Random, choices: readonly T[]): T =>
  choices[Math.floor(random() * choices.length)]!;

/** Picks by weight. */
function weighted<T>(random: Random, rows: readonly (readonly [weight: number, value: T])[]): T {
  const total = rows.reduce((sum, [weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [weight, value] of rows) if ((left -= weight) < 0) return value;
  return rows.at(-1)![1];
}

/** What stands between words: what Markdown and other alphabets need at a seam. */
const joints = [
  ' ',
  ' ',
  ' ',
  ' ',
  '\n',
  '\n\n',
  '\n```js\nrun();\n```\n',
  '\n- ',
  ' | ',
  ' 🙂 ',
  ', ',
  ' émü ',
];

const words = 'alder birch cedar elder hazel juniper larch maple poplar rowan spruce willow'.split(
  ' ',
);

/** The words of an answer, each with the request's number and its own: no two are alike. */
function textOf(id: number, count: number, random: Random): string {
  let text = '';
  for (let at = 0; at < count; at++)
    text += `<${id}.${at} ${pick(random, words)}>${pick(random, joints)}`;
  return `${text}<${id} ends>`;
}

/** Cuts anywhere, in words too, but in no character. */
function cutText(text: string, random: Random): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let from = 0; from < characters.length;) {
    const size = 1 + Math.floor(random() * 40);
    pieces.push(characters.slice(from, from + size).join(''));
    from += size;
  }
  return pieces;
}

/** The request with this number. */
export function requestOf(seed: number, id: number): ChaosRequest {
  const random = randomFor(seed, id);
  const key = weighted(random, [
    [6, 'free'],
    [2, 'exact'],
    [2, 'budget'],
  ] as const);
  const streams = random() < 0.65;
  const count = random() < 0.05 ? 200 : 3 + Math.floor(random() * 40);
  const first = Math.floor(random() * 3);
  const names = Object.keys(providers);
  const leaves = key === 'exact' ? 1 : random();
  return {
    id,
    key,
    streams,
    surface: weighted(random, [
      [4, 'native'],
      [3, 'openai'],
      [2, 'messages'],
      [2, 'responses'],
    ] as const),
    models: names.map((_, index) => `${names[(first + index) % 3]}/m`),
    pieces: cutText(textOf(id, count, random), random),
    repeats:
      key === 'free' && leaves >= 0.12 && leaves < 0.22 ? pick(random, ['at once', 'later']) : null,
    comesBackAfterMs: random() < 0.7 ? Math.floor(random() * 500) : null,
    leavesAfterFrames: streams && leaves < 0.08 ? 1 + Math.floor(random() * 12) : null,
    leavesAfterMs: leaves >= 0.08 && leaves < 0.12 ? Math.floor(random() * 300) : null,
  };
}

/** What a provider does with one call. */
export interface ChaosCall {
  readonly step: Step;
  /** For the table of what was played. */
  readonly kind: string;
  /** Whether a stream of it breaks after its first content. */
  readonly breaks: boolean;
  /** Tokens of the answer; 0: the call is refused, or fails without a bill. */
  readonly tokens: number;
  /** The finish reason `stop` is sent as this one. */
  readonly finishReason?: string;
}

const json = (text: string): { raw: Buffer; contentType: string } => ({
  raw: Buffer.from(text),
  contentType: 'application/json',
});
const refusals: readonly (readonly [string, Step])[] = [
  ['500', { status: 500 }],
  ['503', { status: 503 }],
  ['429', { status: 429, headers: { 'retry-after': '1' } }],
  ['reset before the headers', { reset: 'beforeHeaders' }],
];
const earlyFaults: readonly (readonly [string, Step])[] = [
  ...refusals,
  ['529', { status: 529 }],
  ['502 with a page', { status: 502, body: '<html>bad gateway</html>' }],
  ['500 without an end', { status: 500, unended: 'silent' }],
  ['reset after the headers', { reset: 'afterHeaders' }],
  ['silence before the headers', { hang: 'beforeHeaders' }],
  ['silence after the headers', { hang: 'afterHeaders' }],
  ['silence after the opening event', { hang: 'afterFirstEvent' }],
  ['garbage', { garbage: true }],
  ['an empty body', { ...json(''), status: 200 }],
  [
    'a page in place of an answer',
    { raw: Buffer.from('<html>hi</html>'), contentType: 'text/html' },
  ],
  ['bytes of no type', { raw: Buffer.alloc(300, 0xff), contentType: 'application/octet-stream' }],
  ['an error under status 200', { errorUnder200: 'first' }],
];

/**
 * What a provider does with call number `attempt` of a request.
 * @param soFar how much of the text the gateway has already, in UTF-16 units
 */
export function callOf(
  seed: number,
  request: ChaosRequest,
  provider: ProviderName,
  { attempt, soFar, streams }: { attempt: number; soFar: number; streams: boolean },
): ChaosCall {
  const random = randomFor(seed, request.id, provider.charCodeAt(0), attempt);
  const fault = random();
  if (request.key === 'exact') {
    const [kind, step] = pick(random, refusals);
    if (fault < 0.25) return { kind, step, breaks: false, tokens: 0 };
  } else if (fault < 0.14) {
    const [kind, step] = pick(random, earlyFaults);
    return { kind, step, breaks: false, tokens: 0 };
  }
  const text = remaining(request.pieces.join(''), soFar, random);
  const pieces = soFar === 0 ? request.pieces : cutText(text, random);
  const tokens = pieces.length;
  const answer = {
    id: `${request.id}`,
    text: [...pieces],
    usage: { prompt: promptTokens, completion: tokens },
    ...(random() < 0.1 ? { delayMs: Math.floor(random() * 200) } : {}),
    ...(random() < 0.3 && pieces.length < 60 ? { betweenMs: 1 + Math.floor(random() * 15) } : {}),
    cut: pick(random, ['events', 'events', 'whole', 7, 61] as const),
  };
  if (request.key !== 'exact' && fault < 0.26)
    return { ...lateFault(answer, provider, streams, random), tokens };
  if (fault > 0.9 && pieces.length <= 5)
    return { kind: 'slow drip', step: { ...answer, slowBytes: 1 }, breaks: false, tokens };
  return { kind: 'whole', step: answer, breaks: false, tokens };
}

/** Less than a word is no repetition that anybody could know as one. */
const minRepeated = 20;

/** The rest as models give it: exactly, with the last words again, or with the last line again. */
function remaining(text: string, soFar: number, random: Random): string {
  if (soFar === 0) return text;
  const again = random();
  const before = text.slice(0, soFar);
  const from =
    again < 0.85
      ? before.lastIndexOf('<', soFar - minRepeated - Math.floor(random() * 20))
      : before.lastIndexOf('\n') + 1;
  const isExact = again < 0.6 || from < 0 || soFar - from < minRepeated;
  return text.slice(isExact ? soFar : from);
}

type Text = { text: string[] };

/** A break after the first content; of an answer that is not streamed, in the middle of its body. */
function lateFault(
  answer: Text,
  provider: ProviderName,
  streams: boolean,
  random: Random,
): Omit<ChaosCall, 'tokens'> {
  const contents = 1 + Math.floor(random() * answer.text.length);
  const cut = { ...answer, contents };
  const short = { ...answer, text: answer.text.slice(0, contents) };
  const breaks = streams;
  if (provider === 'a' && streams && random() < 0.17)
    return { kind: 'a break-off reason', step: short, breaks, finishReason: 'network_error' };
  const [kind, step] = pick<readonly [string, Step]>(random, [
    ['reset after content', { ...cut, reset: 'afterContent' }],
    ['reset in a frame', { ...cut, reset: 'halfFrame' }],
    ['silence after content', { ...cut, hang: 'afterContent' }],
    ['an error after content', { ...cut, errorUnder200: 'afterContent' }],
    ['an end without its marker', { ...short, endWithoutMarker: true }],
  ]);
  return { kind, step, breaks };
}
