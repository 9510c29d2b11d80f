import type { ChatRequest } from '../../completion.js';
import { rulesOf, type ModelRules } from '../anthropic/models.js';

type Fields = Record<string, unknown>;

/** What a model's name tells of it. Bedrock's own names, inference profiles and our names for them all carry the family. */
export interface ModelTraits {
  family: 'claude' | 'nova' | 'openai' | 'other';
  /** Claude's rules, whoever serves it; null for any other model. */
  claude: ModelRules | null;
  /** Whether cache points are understood. */
  cachePoints: boolean;
  /** Whether signed thoughts are taken back. */
  thoughts: boolean;
  /** Whether how much to reason can be said. */
  reasons: boolean;
}

function familyOf(name: string): ModelTraits['family'] {
  if (name.includes('claude')) return 'claude';
  if (name.includes('amazon.nova')) return 'nova';
  return name.includes('openai.') ? 'openai' : 'other';
}

/** @param names the model's names, ours and Bedrock's */
export function traitsOf(...names: string[]): ModelTraits {
  const name = names.join(' ').toLowerCase();
  const family = familyOf(name);
  const claude = family === 'claude' ? rulesOf(name) : null;
  // an application profile's ARN hides its model: who marks a cache there knows why
  const hidden = name.includes('application-inference-profile');
  return {
    family,
    claude,
    cachePoints: family === 'claude' || family === 'nova' || hidden,
    thoughts: family === 'claude' || hidden,
    reasons: claude ? claude.thinking !== 'none' : family === 'openai' || name.includes('nova-2'),
  };
}

const budgets: Record<string, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_000,
};
const leastBudget = 1024;

const threeSteps = (effort: string): string =>
  effort === 'minimal' ? 'low' : effort === 'xhigh' ? 'high' : effort;

/** Claude with a budget refuses a tool's result whose call did not begin with a signed thought. */
function continuesWithoutThought(request: ChatRequest): boolean {
  const last = request.messages.at(-1)?.role;
  const asked = request.messages.findLast((message) => message.role === 'assistant');
  return (last === 'tool' || last === 'function') && (asked?.reasoning_details ?? []).length === 0;
}

function claudeOff(rules: ModelRules): Fields {
  if (rules.thinkingOff === 'unasked') return {};
  return rules.thinkingOff === 'lowest_effort'
    ? { output_config: { effort: 'low' } }
    : { thinking: { type: rules.thinkingOff } };
}

function claudeFields(
  request: ChatRequest,
  rules: ModelRules,
  effort: string,
  maxTokens: number | null,
): Fields {
  if (effort === 'none') return claudeOff(rules);
  if (rules.thinking === 'adaptive') {
    // from 4.7 on the text of the thinking is withheld unless it is asked for
    const display = rules.sampling === 'none' ? { display: 'summarized' } : {};
    return {
      thinking: { type: 'adaptive', ...display },
      output_config: { effort: effort === 'xhigh' ? rules.topEffort : threeSteps(effort) },
    };
  }
  const forced =
    request.tool_choice === 'required' ||
    (typeof request.tool_choice === 'object' && request.tool_choice !== null);
  const budget = Math.min(
    budgets[effort] ?? leastBudget,
    Math.floor((maxTokens ?? Infinity) * 0.8),
  );
  if (forced || budget < leastBudget || continuesWithoutThought(request)) return {};
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

/**
 * What `reasoning_effort` is called by each family, as fields of `additionalModelRequestFields`; empty where nothing was
 * asked for, where the model does not reason on demand, or where the rest of the request rules it out.
 * @param maxTokens the output tokens that were asked for
 */
export function reasoningFields(
  request: ChatRequest,
  traits: ModelTraits,
  maxTokens: number | null,
): Fields {
  const own = request['thinking'];
  if (traits.claude && typeof own === 'object' && own !== null) return { thinking: own };
  const effort = request.reasoning_effort ?? null;
  if (effort === null || !traits.reasons) return {};
  if (traits.claude) return claudeFields(request, traits.claude, effort, maxTokens);
  if (effort === 'none') return {};
  if (traits.family === 'openai') return { reasoning_effort: threeSteps(effort) };
  // Nova's highest effort takes no limit on its output (2025-12)
  const step = threeSteps(effort);
  return {
    reasoningConfig: {
      type: 'enabled',
      maxReasoningEffort: step === 'high' && maxTokens !== null ? 'medium' : step,
    },
  };
}

/** True where the model is to think: it then takes no sampling parameters. */
export function isThinking(fields: Fields): boolean {
  const { type } = (fields['thinking'] ??
    fields['reasoning_config'] ??
    fields['reasoningConfig'] ??
    {}) as { type?: string };
  return type === 'enabled' || type === 'adaptive';
}
