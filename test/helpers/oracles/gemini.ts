import { at, has, listAt, numberAt, textAt } from '../json.js';
import type { Finish } from '../steps.js';
import { type Expected, lastWith, nothing, type Oracle } from './oracle.js';

function finishOf(reason: string, calls: number): Finish | null {
  if (reason === '') return null;
  if (reason === 'STOP') return calls > 0 ? 'tool_calls' : 'stop';
  if (reason === 'MAX_TOKENS') return 'length';
  return /^(MALFORMED|UNEXPECTED|OTHER|FINISH)/.test(reason) ? 'stop' : 'content_filter';
}

/** Gemini may send the arguments in pieces: `$.location` with a part of its string. */
function addArguments(args: Record<string, unknown>, call: unknown): void {
  Object.assign(args, at(call, 'args'));
  for (const piece of listAt(call, 'partialArgs')) {
    const name = textAt(piece, 'jsonPath').replace(/^\$\./, '');
    const value = at(piece, 'numberValue') ?? at(piece, 'boolValue');
    args[name] = value ?? textAt(args, name) + textAt(piece, 'stringValue');
  }
}

function readPart(part: unknown, expected: Expected): void {
  if (at(part, 'thought') === true) expected.reasoning += textAt(part, 'text');
  else expected.text += textAt(part, 'text');
  if (!has(part, 'functionCall')) return;
  const name = textAt(part, 'functionCall', 'name');
  if (name !== '') expected.toolCalls.push({ name, arguments: {} });
  const args = expected.toolCalls.at(-1)?.arguments;
  if (args) addArguments(args as Record<string, unknown>, at(part, 'functionCall'));
}

/** Google's generateContent. Tool-use prompt tokens are prompt, thoughts are completion. */
export const readGemini: Oracle = (events) => {
  const expected = nothing();
  for (const event of events)
    for (const part of listAt(event, 'candidates', 0, 'content', 'parts')) readPart(part, expected);
  const finished = lastWith(events, 'candidates', 0, 'finishReason');
  expected.finish = finishOf(
    textAt(finished, 'candidates', 0, 'finishReason'),
    expected.toolCalls.length,
  );
  if (lastWith(events, 'promptFeedback', 'blockReason')) expected.finish ??= 'content_filter';
  const usage = at(lastWith(events, 'usageMetadata', 'promptTokenCount'), 'usageMetadata');
  if (usage) {
    const reasoning = numberAt(usage, 'thoughtsTokenCount');
    expected.usage = {
      prompt: numberAt(usage, 'promptTokenCount') + numberAt(usage, 'toolUsePromptTokenCount'),
      completion: numberAt(usage, 'candidatesTokenCount') + reasoning,
      cached: numberAt(usage, 'cachedContentTokenCount'),
      reasoning,
    };
  }
  const error = lastWith(events, 'error');
  if (error) expected.error = { status: numberAt(error, 'error', 'code') || 500 };
  return expected;
};
