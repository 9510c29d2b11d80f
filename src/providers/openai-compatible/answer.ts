import { randomUUID } from 'node:crypto';
import type { Completion, CompletionChoice } from '../../completion.js';
import type { CompletionAnswer } from '../adapter.js';
import { collectAnswer } from '../answer-chunks.js';
import { unreadable } from '../failure.js';
import { parseChecked } from '../json.js';
import { openAIEvents } from './events.js';
import { errorIn, openAIFailureUnder200 } from './failure.js';
import { mendChoice, mendEnvelope, unwrapped } from './mend-answer.js';
import { MendedCalls } from './tool-calls.js';
import { readOpenAIUsage } from './usage.js';

/**
 * Reads a whole chat completion.
 * @param model stands in where the answer names none
 * @param asked how many choices the request asks for
 * @throws GatewayError for an error sent with status 200, or `unreadable_answer`
 */
export function readOpenAICompletion(
  provider: string,
  body: string,
  model: string,
  asked?: number | null,
): CompletionAnswer {
  const { value: parsed, isValid } = parseChecked(body);
  const completion = unwrapped(parsed) as Completion | null;
  // some servers send the chunks of a stream as lines of JSON
  if (completion === null && /^\{[^]*\}\s*\{/.test(body)) return readLines(provider, body, model);
  if (typeof completion !== 'object' || completion === null) throw notACompletion(provider);
  const error = errorIn(completion);
  if (error !== null) throw openAIFailureUnder200(provider, error);
  const given: unknown = completion.choices;
  if (typeof given !== 'object' || given === null) throw notACompletion(provider);
  // before it is mended, which leaves out what clients do not need
  const usage = readOpenAIUsage(completion.usage);
  let rewritten = mendEnvelope(completion) || completion !== parsed || !isValid;
  if ((asked ?? 1) === 1 && completion.choices.length > 1) {
    completion.choices = [joined(completion.choices)];
    rewritten = true;
  }
  // for other dialects
  const { id, created, model: named } = completion as Partial<Completion>;
  completion.object = 'chat.completion';
  completion.id = id ?? `chatcmpl-${randomUUID()}`;
  completion.created = created ?? Math.floor(Date.now() / 1000);
  completion.model = named ?? model;
  let unknownFinish: string | undefined;
  for (const [position, choice] of completion.choices.entries()) {
    const calls = new MendedCalls(true);
    const finish = mendChoice(provider, choice, position, 'message', calls);
    unknownFinish ??= finish.unknown;
    rewritten ||= finish.changed;
    // clients take an answer without one for broken off
    if (finish.reason !== null || !(choice.message.content || calls.hasAny)) continue;
    choice.finish_reason = calls.hasAny ? 'tool_calls' : 'stop';
    rewritten = true;
  }
  return { completion, usage, rewritten, ...(unknownFinish ? { unknownFinish } : {}) };
}

const notACompletion = (provider: string) => unreadable(provider, 'the body is not a completion');

/** Copilot has the text of an answer and its calls in choices of their own. */
function joined(choices: readonly CompletionChoice[]): CompletionChoice {
  const parts = choices.map(
    ({ message }) => ((message as unknown) ?? {}) as Partial<typeof message>,
  );
  const calling = parts.findIndex(({ tool_calls: calls }) => calls?.length);
  const content = parts.find((part) => part.content)?.content ?? null;
  const chosen = choices[Math.max(0, calling)]!;
  return { ...chosen, message: { ...chosen.message, content } };
}

function readLines(provider: string, body: string, model: string): CompletionAnswer {
  const answer = collectAnswer((sink) => {
    const reader = openAIEvents(sink, provider);
    reader.push(Buffer.from(body));
    reader.close();
  }, model);
  return { ...answer, rewritten: true };
}
