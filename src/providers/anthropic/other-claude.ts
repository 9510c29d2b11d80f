import { isObject, type Json, present, textIn } from '../../text/is-object.js';
import type { ModelCall } from '../adapter.js';
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
 * The fields with which a body that was written for another model, as before a fallback, is one that
 * this Claude takes. What names this model is the client's own affair. JSON omits what is undefined.
 */
export function fieldsForOther({ request }: ModelCall, body: Json, name: string): Json {
  if (!/claude/i.test(name) || isSameClaude(textIn(body['model']), name)) return {};
  const rules = rulesOf(name);
  const { messages, thinking, output_config: output, tool_choice: choice } = body;
  const { max_tokens: asked } = body;
  const limit = Math.min(Number(asked), rules.maxOutput);
  const fields: Record<string, unknown> = { max_tokens: limit };
  if (rules.sampling === 'none') for (const field of sampling) fields[field] = undefined;
  const turns = (messages as Json[]).map((turn) =>
    turn['role'] === 'system' && releaseOf(name) < firstWithLateSystem
      ? { ...turn, role: 'user' }
      : turn,
  );
  if (!rules.prefill && turns.at(-1)?.['role'] === 'assistant')
    turns.push({ role: 'user', content: filler.goOn });
  fields['messages'] = turns;
  const obstacle = obstacleOf(choice, turns);
  if (obstacle === 'forced' && !rules.forcedTools) fields['tool_choice'] = { type: 'auto' };
  const { effort, ...format } = isObject(output) ? output : {};
  if (isTaken(isObject(thinking) ? thinking : {}, effort, rules, limit)) return fields;
  const own = claudeThinking(request.reasoning_effort ?? 'none', rules, limit, obstacle);
  const config = { ...format, ...present({ effort: own.effort }) };
  return {
    ...fields,
    thinking: rules.thinking === 'none' ? undefined : own.thinking,
    output_config: Object.keys(config).length > 0 ? config : undefined,
  };
}

/** Whether the model takes this thinking with this effort. */
function isTaken(thinking: Json, effort: unknown, rules: ClaudeRules, limit: number): boolean {
  const { type, budget_tokens: budget } = thinking;
  if (rules.thinking !== 'adaptive' && (effort !== undefined || type === 'adaptive')) return false;
  if (effort === 'xhigh' && rules.topEffort !== effort) return false;
  if (type === 'enabled')
    return rules.thinking !== 'none' && rules.sampling !== 'none' && Number(budget) < limit;
  return type !== 'disabled' || /^(unasked|disabled)$/.test(rules.thinkingOff);
}
