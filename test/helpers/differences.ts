import type { Expected } from './expected.js';
import { clientFailure, clientStatus } from './failures.js';
import type { Exchange } from './recorded.js';
import type { Manner, Said } from './replay.js';

const show = (value: unknown): string => JSON.stringify(value).slice(0, 300);
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
// providers and readers part paragraphs of reasoning differently
const squeezed = (text: string): string => text.replace(/\s+/g, '');
const spoke = ({ text, reasoning, refusal, toolCalls }: Expected): boolean =>
  Boolean(text || reasoning || refusal || toolCalls.length > 0);

type Difference = readonly [what: string, expected: unknown, got: unknown];

/**
 * Why a provider that named no reason must have ended: its calls wait to be run. Clients of all but
 * the native surface are always told one.
 */
function finishOf(expected: Expected, manner: Manner): Expected['finish'] {
  if (expected.finish !== null) return expected.finish;
  if (expected.toolCalls.length > 0) return 'tool_calls';
  return manner.surface === 'native' ? null : 'stop';
}

function contentDifferences(expected: Expected, said: Said, manner: Manner): Difference[] {
  const reasoning: Difference = [
    'reasoning',
    squeezed(expected.reasoning),
    squeezed(said.reasoning),
  ];
  // Messages has one kind of text
  if (manner.surface === 'messages')
    return [
      ['text', expected.text + expected.refusal, said.text + said.refusal],
      ['tool calls', expected.toolCalls, said.toolCalls],
      reasoning,
    ];
  // the native surface has no tool calls either
  if (manner.surface === 'native')
    return [['text', expected.text + expected.refusal, said.text], reasoning];
  return [
    ['text', expected.text, said.text],
    ['refusal', expected.refusal, said.refusal],
    ['tool calls', expected.toolCalls, said.toolCalls],
    reasoning,
  ];
}

/** In Messages, cached tokens are counted beside the others, so they cannot be more than all. */
function usageOf({ usage }: Expected, { surface }: Manner): Expected['usage'] {
  return usage && surface === 'messages'
    ? { ...usage, prompt: Math.max(usage.prompt, usage.cached) }
    : usage;
}

function answerDifferences(expected: Expected, said: Said, manner: Manner): Difference[] {
  const usage: Difference =
    expected.usage || manner.surface !== 'native'
      ? ['usage', usageOf(expected, manner) ?? said.usage, said.usage]
      : ['usage is estimated', true, said.estimated];
  return [
    ['status', 200, said.httpStatus],
    ['the end marker', true, said.whole],
    ['message', '', said.message],
    ...contentDifferences(expected, said, manner),
    ['finish', finishOf(expected, manner), said.finish],
    usage,
  ];
}

function failureDifferences(exchange: Exchange, said: Said, manner: Manner): Difference[] {
  const { status, reason } = clientFailure(exchange, manner.surface);
  // a refused key that the provider repeats must not come back
  const words =
    said.message.includes(reason.replace(/\s+/g, ' ').slice(0, 60)) ||
    said.message.includes('[redacted]');
  return [
    ['status', status, said.httpStatus],
    [`the reason ${show(reason)} in ${show(said.message)}`, true, words],
    ["the provider's status in the error trace", exchange.status, said.tracedStatus],
  ];
}

/**
 * An error inside an answer with status 200: a broken stream where the client has had some of it,
 * else an error as any other.
 */
function brokenDifferences(expected: Expected, said: Said, manner: Manner): Difference[] {
  const status = clientStatus(expected.error?.status ?? 500, '', manner.surface);
  if (!manner.stream || !spoke(expected))
    return [
      ['status', status, said.httpStatus],
      ["the provider's status in the error trace", expected.error?.status, said.tracedStatus],
    ];
  return [
    ['status', 200, said.httpStatus],
    ['an error in the stream', true, said.error !== null && said.message !== ''],
    ['the end marker', false, said.whole],
    ...contentDifferences(expected, said, manner),
  ];
}

/** What the client got otherwise than it must, one line for each; none if all is well. */
export function differences(
  exchange: Exchange,
  expected: Expected,
  said: Said,
  manner: Manner,
): string[] {
  const all =
    exchange.status >= 400
      ? failureDifferences(exchange, said, manner)
      : expected.error
        ? brokenDifferences(expected, said, manner)
        : answerDifferences(expected, said, manner);
  return all
    .filter(([, a, b]) => !same(a, b))
    .map(
      ([what, wanted, got]) =>
        `${exchange.provider}/${exchange.name}: ${what}: expected ${show(wanted)}, got ${show(got)}`,
    );
}
