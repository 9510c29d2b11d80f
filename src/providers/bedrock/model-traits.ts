import type { ChatRequest } from '../../completion.js';
import { forcesTool } from '../tool-choice.js';
import { claudeThinking, releaseOf, rulesOf, type ClaudeRules } from '../anthropic/claude-rules.js';
import type { Fields } from '../../text/is-object.js';

/**
 * What a model supports, judged by its name. Bedrock's names, inference profiles and our names for
 * them all contain the family.
 */
export interface ModelTraits {
  family: 'claude' | 'nova' | 'openai' | 'other';
  /** Claude's rules; null for any other model. */
  claude: ClaudeRules | null;
  cachePoints: boolean;
  /** Whether a cache point may say how long: Nova and Claude before 4.5 refuse that. */
  cacheTimes: boolean;
  /** Whether it accepts signed thinking of earlier turns. */
  thoughts: boolean;
  /** Whether it takes a temperature and the like. */
  samples: boolean;
  /** Whether it accepts a reasoning effort. */
  reasons: boolean;
  /** Whether the conversation may end with the beginning of the answer. */
  prefill: boolean;
}

function familyOf(name: string): ModelTraits['family'] {
  if (name.includes('claude')) return 'claude';
  if (name.includes('amazon.nova')) return 'nova';
  return name.includes('openai.') ? 'openai' : 'other';
}

/** The traits of a model. @param names the model's names, ours and Bedrock's */
export function traitsOf(...names: string[]): ModelTraits {
  const name = names.join(' ').toLowerCase();
  const family = familyOf(name);
  const claude = family === 'claude' ? rulesOf(name) : null;
  // an application profile's ARN does not name its model: trust a caller who sets cache_control
  // there
  const hidden = name.includes('application-inference-profile');
  return {
    family,
    claude,
    cachePoints: family === 'claude' || family === 'nova' || hidden,
    cacheTimes: hidden || releaseOf(name) >= 405,
    thoughts: family === 'claude' || hidden,
    // of the others Grok alone refuses them (reports of 2026-09)
    samples: claude ? claude.sampling !== 'none' : !name.includes('xai.grok'),
    // Nova takes it; the other models refuse a conversation that ends with a turn of the model
    prefill: claude ? claude.prefill : family === 'nova' || hidden,
    reasons: claude ? claude.thinking !== 'none' : family === 'openai' || name.includes('nova-2'),
  };
}

/** The effort on the scale low, medium, high. */
const lowToHigh = (effort: string): string =>
  effort === 'minimal' ? 'low' : effort === 'xhigh' || effort === 'max' ? 'high' : effort;

/** Claude with a budget goes on only with a turn that began with signed thinking. */
function beginsUnthought({ messages }: ChatRequest): boolean {
  const asked = messages.findLast((message) => message.role === 'assistant');
  return messages.at(-1)?.role !== 'user' && (asked?.reasoning_details ?? []).length === 0;
}

function claudeFields(
  request: ChatRequest,
  rules: ClaudeRules,
  effort: string,
  maxTokens: number | null,
): Fields {
  const obstacle = forcesTool(request) ? 'forced' : beginsUnthought(request) ? 'unthought' : null;
  const { thinking, effort: level } = claudeThinking(effort, rules, maxTokens, obstacle);
  return {
    ...(thinking ? { thinking } : {}),
    ...(level ? { output_config: { effort: level } } : {}),
  };
}

/**
 * Translates `reasoning_effort` into each family's fields of `additionalModelRequestFields`; empty
 * where the request has none, if the model takes none, or where the rest of the request excludes
 * it.
 * @param maxTokens the output limit of the request; null if it has none
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
  if (traits.family === 'openai') return { reasoning_effort: lowToHigh(effort) };
  // Nova refuses an output limit with its highest effort (2025-12)
  const step = lowToHigh(effort);
  return {
    reasoningConfig: {
      type: 'enabled',
      maxReasoningEffort: step === 'high' && maxTokens !== null ? 'medium' : step,
    },
  };
}

/** True if the fields turn thinking on; the model then refuses sampling parameters. */
export function isThinking(fields: Fields): boolean {
  const { type } = (fields['thinking'] ??
    fields['reasoning_config'] ??
    fields['reasoningConfig'] ??
    {}) as { type?: string };
  return type === 'enabled' || type === 'adaptive';
}
