import type { ChatMessage, ToolCall } from '../../completion.js';
import type { GatewayTool, ToolResult } from '../../grounding/tools/gateway-tool.js';
import type { RequestSources } from '../../grounding/tools/request-sources.js';
import { inTurns } from '../../async/turns.js';
import { invalidField } from '../../errors.js';
import { isObject } from '../../text/is-object.js';
import { parsedJson } from '../../text/json-values.js';
import type { CompletionCall } from '../completion-call.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';
import type { GroundingEvents, payFor, ToolCallReport } from './grounding-events.js';

/** The context of a request's tool calls. */
export interface ToolCallRules {
  readonly tools: ReadonlyMap<string, GatewayTool>;
  readonly signal: AbortSignal;
  /** How many calls the request has made so far, by the tool's name. */
  readonly calls: Map<string, number>;
  readonly events: GroundingEvents;
  /** As `payFor`. */
  readonly pay: (priceUsd: number | null) => ReturnType<typeof payFor>;
  /** Learns the addresses in results, which the model may then repeat. */
  readonly sources: RequestSources;
}

/** The most calls of one request: further ones are answered with an error. */
const maxCalls = 64;

/**
 * Runs the calls of one round concurrently.
 * @returns their results as messages, in the order of the calls
 * @throws GatewayError where a tool ends the request, or the reason of the signal
 */
export async function runToolCalls(
  calls: readonly ToolCall[],
  rules: ToolCallRules,
): Promise<ChatMessage[]> {
  const results = await Promise.all(calls.map((call) => runCall(call, rules)));
  return calls.map(({ id }, index) => ({
    role: 'tool',
    tool_call_id: id,
    content: results[index]!.text,
  }));
}

async function runCall(call: ToolCall, rules: ToolCallRules): Promise<ToolResult> {
  const { name } = call.function;
  const tool = rules.tools.get(name);
  if (!tool) return refused(`there is no tool ${name}`);
  const report = { id: call.id, toolkit: tool.toolkit, tool: name };
  const args = argumentsOf(call.function.arguments);
  const problem =
    countCall(tool, rules.calls) ?? (args ? null : 'the arguments are no JSON object');
  if (problem !== null || !args) {
    rules.events.toolEnded({ ...report, outcome: 'refused', ms: 0, costUsd: 0 });
    return refused(problem ?? '');
  }
  const settle = await rules.pay(tool.priceUsd);
  rules.events.toolBegins(call.id, tool.toolkit, name);
  const startedAt = performance.now();
  const ended = (outcome: ToolCallReport['outcome'], costUsd: number | null): void => {
    settle(costUsd);
    rules.events.toolEnded({ ...report, outcome, ms: performance.now() - startedAt, costUsd });
  };
  try {
    const result = await tool.run(args, { signal: rules.signal });
    ended(result.isError ? 'error' : 'ok', result.costUsd);
    await inTurns(rules.sources.know(result.text));
    return result;
  } catch (error) {
    ended('error', null);
    throw error;
  }
}

/** Counts a call. @returns why it is refused and not counted; null: it may run */
function countCall(
  { name, maxCalls: own }: GatewayTool,
  counts: Map<string, number>,
): string | null {
  const made = counts.get(name) ?? 0;
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (own !== null && made >= own) return `no further calls of ${name} are allowed`;
  if (all >= maxCalls) return 'no further calls of tools are allowed';
  counts.set(name, made + 1);
  return null;
}

const refused = (text: string): ToolResult => ({ text, isError: true, costUsd: 0 });

function argumentsOf(text: string): Record<string, unknown> | null {
  const args = parsedJson(text.trim() === '' ? '{}' : text);
  return isObject(args) ? args : null;
}

/**
 * The call with the kept results of the gateway's tools beside the client's own.
 * @throws GatewayError the surface's code for the result of a call that is in no message
 */
export function joinToolResults(
  { state }: GatewayParts,
  { caller }: GatewayRequest,
  call: CompletionCall,
): CompletionCall {
  const { messages } = call.chat;
  checkCallIds(messages, call);
  if (!messages.some(({ tool_calls: calls }) => calls?.length)) return call;
  const joined = state.toolResults.joined(caller.accountId, messages);
  return {
    ...call,
    chat: { ...call.chat, messages: joined },
    routing: { ...call.routing, messages: joined },
  };
}

function checkCallIds(messages: readonly ChatMessage[], { invalidCode }: CompletionCall): void {
  const known = new Set<string>();
  messages.forEach(({ role, tool_calls: calls, tool_call_id: id }, index) => {
    for (const call of calls ?? []) known.add(call.id);
    if (role === 'tool' && id !== undefined && !known.has(id))
      throw invalidField(
        `messages[${index}].tool_call_id`,
        'names no call of an earlier message',
        invalidCode,
      );
  });
}
