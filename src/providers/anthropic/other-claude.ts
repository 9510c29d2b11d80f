import { isObject, type Json, present, textIn } from '../../text/is-object.js';
import type { ChatRequest } from '../../completion.js';
import { filler } from '../strict-history.js';
import {
  type ClaudeRules,
  claudeThinking,
  isSameClaude,
  releaseOf,
  rulesOf,
} from './claude-rules.js';
import { obstacleOf, sampling } from './request.js';

/** The first release that takes instructions in the middle of a conversation. */
const firstWithLateSystem = 408;

/**
 * The fields with which a body that was written for another Claude, as before a fallback, is one that
 * this one takes. What names this one, or a name that tells no Claude, is the client's own affair.
 * JSON omits what is undefined.
 */
export function fieldsForOther(
  { reasoning_effort: asksFor }: Pick<ChatRequest, 'reasoning_effort'>,
  body: Json,
  name: string,
): Json {
  const named = textIn(body['model']);
  const areClaudes = [named, name].every((one) => /claude/i.test(one));
  if (!areClaudes || isSameClaude(named, name)) return {};
  const rules = rulesOf(name);
  const { max_tokens: asked, output_config: output, tool_choice: choice } = body;
  const limit = typeof asked === 'number' ? Math.min(asked, rules.maxOutput) : asked;
  const turns = turnsFor(name, rules, body['messages'] as Json[]);
  const obstacle = obstacleOf(choice, turns);
  const mayForce = obstacle !== 'forced' || rules.forcedTools;
  const fields = {
    max_tokens: limit,
    messages: turns,
    ...(mayForce ? {} : { tool_choice: { ...(choice as Json), type: 'auto', name: undefined } }),
  };
  const { effort, ...format } = isObject(output) ? output : {};
  const given = isObject(body['thinking']) ? body['thinking'] : {};
  const outputs = typeof limit === 'number' ? limit : rules.maxOutput;
  if (isTaken(given, effort, rules, outputs))
    return { ...fields, ...withoutSampling(rules, given, body) };
  const own = claudeThinking(asksFor ?? 'none', rules, outputs, obstacle);
  const thinking = rules.thinking === 'none' ? undefined : own.thinking;
  const config = { ...format, ...present({ effort: own.effort }) };
  return {
    ...fields,
    ...withoutSampling(rules, thinking ?? {}, body),
    thinking,
    output_config: Object.keys(config).length > 0 ? config : undefined,
  };
}

/** Claude thinks at its own temperature alone, newer ones answer at no other, and some take one of two. */
export function withoutSampling(
  { sampling: takes }: ClaudeRules,
  { type }: { readonly type?: unknown },
  { temperature }: Json,
): Json {
  const isThinking = type === 'enabled' || type === 'adaptive';
  if (takes !== 'none' && !isThinking)
    return takes === 'one_of' && typeof temperature === 'number' ? { top_p: undefined } : {};
  return Object.fromEntries(sampling.map((field) => [field, undefined]));
}

function turnsFor(name: string, { prefill }: ClaudeRules, messages: readonly Json[]): Json[] {
  const turns = messages.map((turn) =>
    turn['role'] === 'system' && releaseOf(name) < firstWithLateSystem
      ? { ...turn, role: 'user' }
      : turn,
  );
  const last = turns.at(-1);
  const ending = [last?.['content']].flat().at(-1);
  // a turn that ends with a call of Anthropic's own tools is to be gone on with
  const isText = typeof ending === 'string' || (isObject(ending) && ending['type'] === 'text');
  if (prefill || last?.['role'] !== 'assistant' || !isText) return turns;
  if (last['content'] === '') turns.pop();
  else turns.push({ role: 'user', content: filler.goOn });
  return turns;
}

/** Whether the model takes this thinking with this effort. */
function isTaken(thinking: Json, effort: unknown, rules: ClaudeRules, limit: number): boolean {
  const { type, budget_tokens: budget } = thinking;
  if (rules.thinking !== 'adaptive' && ((effort ?? null) !== null || type === 'adaptive'))
    return false;
  if (effort === 'xhigh' && rules.topEffort !== effort) return false;
  if (type === 'enabled')
    return rules.thinking !== 'none' && rules.sampling !== 'none' && Number(budget) < limit;
  if (type === 'between_tools') return rules.thinkingOff === type;
  return type !== 'disabled' || /^(unasked|disabled)$/.test(rules.thinkingOff);
}
