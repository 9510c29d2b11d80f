import { table } from '../../text/is-object.js';

/** What one generation of models accepts and refuses on the Messages API. */
export interface ClaudeRules {
  /** The highest `max_tokens` that the model accepts. */
  maxOutput: number;
  /** `max_tokens` where the caller gives no limit: Anthropic requires one. */
  defaultOutput: number;
  /** `budget`: `thinking.budget_tokens`; `adaptive`: the model, by `output_config.effort`. */
  thinking: 'none' | 'budget' | 'adaptive';
  /**
   * How to turn thinking off: `unasked`: it is off by default; `lowest_effort`: it cannot be turned
   * off; otherwise the value of `thinking.type`.
   */
  thinkingOff: 'unasked' | 'disabled' | 'between_tools' | 'lowest_effort';
  /**
   * `one_of`: temperature or top_p, not both; `none`: the model refuses every sampling parameter.
   */
  sampling: 'free' | 'one_of' | 'none';
  /** The model's name for `xhigh`. */
  topEffort: 'xhigh' | 'max';
  /** Whether the conversation may end with the beginning of the answer. */
  prefill: boolean;
  /** Whether a tool may be forced. */
  forcedTools: boolean;
}

const version = (major: string, minor: string | undefined): number =>
  Number(major) * 100 + Number(minor ?? 0);
const newest = version('99', '0');

// claude-3-5-sonnet-20240620, claude-opus-4-1-20250805, claude-sonnet-4@20250514,
// anthropic.claude-opus-4-6-v1, claude-4.6-opus
const claudeName =
  /claude[-.](?:(\d)(?:[-.](\d))?[-.])?(opus|sonnet|haiku|fable|mythos)(?:[-.](\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?)?/;

function maxOutputOf(family: string, release: number): number {
  if (release >= version('4', '6')) return 128_000;
  if (family === 'opus' && release >= version('4', '0') && release < version('4', '5'))
    return 32_000;
  if (release >= version('3', '7')) return 64_000;
  return release >= version('3', '5') ? 8_192 : 4_096;
}

function thinkingOffOf(family: string, release: number): ClaudeRules['thinkingOff'] {
  if (family === 'fable' || family === 'mythos') return 'lowest_effort';
  if (release >= version('5', '5') && family === 'opus') return 'lowest_effort';
  if (release >= version('5', '5') && family === 'sonnet') return 'between_tools';
  return release >= version('5', '0') ? 'disabled' : 'unasked';
}

function partsOf(name: string): { family: string; release: number } {
  const [, oldMajor, oldMinor, family = '', major, minor] = claudeName.exec(name) ?? [];
  if (major !== undefined) return { family, release: version(major, minor) };
  return { family, release: oldMajor === undefined ? newest : version(oldMajor, oldMinor) };
}

/** Whether two names are those of one Claude; dates and providers' forms do not count. */
export const isSameClaude = (one: string, other: string): boolean =>
  JSON.stringify(partsOf(one.toLowerCase())) === JSON.stringify(partsOf(other.toLowerCase()));

/**
 * The release of a Claude, as 405 for 4.5; a Claude of unknown release counts as the newest. 0 for
 * another vendor's model.
 */
export function releaseOf(model: string): number {
  const name = model.toLowerCase();
  return name.includes('claude') ? partsOf(name).release : 0;
}

/**
 * The rules of a model (as documented in November 2026), by its name as Anthropic, Bedrock or Vertex
 * writes it. A Claude of unknown release counts as the newest; for another vendor's model behind
 * the same API, the request stays as the caller wrote it.
 */
export function rulesOf(model: string): ClaudeRules {
  const name = model.toLowerCase();
  if (!name.includes('claude')) {
    return {
      maxOutput: Number.MAX_SAFE_INTEGER,
      defaultOutput: 8_192,
      thinking: 'budget',
      thinkingOff: 'unasked',
      sampling: 'free',
      topEffort: 'max',
      prefill: true,
      forcedTools: true,
    };
  }
  const { family, release } = partsOf(name);
  const adaptiveOnly = release >= version('4', '7');
  const maxOutput = maxOutputOf(family, release);
  return {
    maxOutput,
    // models before 4.5 refuse a prompt and a limit that together exceed the context, so leave room
    defaultOutput: release < version('4', '5') ? Math.min(maxOutput, 32_000) : maxOutput,
    thinking:
      release >= version('4', '6') ? 'adaptive' : release >= version('3', '7') ? 'budget' : 'none',
    thinkingOff: thinkingOffOf(family, release),
    sampling: adaptiveOnly ? 'none' : 'one_of',
    topEffort: adaptiveOnly ? 'xhigh' : 'max',
    prefill: release < version('4', '6'),
    forcedTools:
      family === 'haiku' || release < version('5', /fable|mythos/.test(family) ? '1' : '5'),
  };
}

/** Thinking tokens for each effort, for models that take a number. */
const thinkingBudgets: Record<string, number> = table({
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_000,
  max: 32_000,
});
const minThinkingBudget = 1024;

/** How a Claude is asked for an effort: the fields `thinking` and `output_config.effort`. */
export interface ClaudeThinking {
  readonly thinking?: { readonly type?: unknown };
  readonly effort?: string;
}

/**
 * Translates an effort.
 * @param maxTokens the output limit of the request; null: it has none
 * @param obstacle `forced`: a tool must be called, so the model cannot think; `unthought`: the last
 *   turn of the model began without thinking, which Claude refuses with a budget
 */
export function claudeThinking(
  effort: string,
  rules: ClaudeRules,
  maxTokens: number | null,
  obstacle: 'forced' | 'unthought' | null,
): ClaudeThinking {
  if (effort === 'none') return thinkingOff(rules);
  if (rules.thinking === 'adaptive') {
    if (obstacle === 'forced') return { ...thinkingOff(rules), effort: levelOf(effort, rules) };
    // from 4.7 on, the model withholds the text of its thinking unless asked for it
    const display = rules.sampling === 'none' ? { display: 'summarized' } : {};
    return { thinking: { type: 'adaptive', ...display }, effort: levelOf(effort, rules) };
  }
  const budget = Math.min(
    thinkingBudgets[effort] ?? minThinkingBudget,
    Math.floor((maxTokens ?? Infinity) * 0.8),
  );
  const thinking = { type: 'enabled', budget_tokens: budget };
  return obstacle === null && budget >= minThinkingBudget ? { thinking } : {};
}

function thinkingOff({ thinkingOff: type }: ClaudeRules): ClaudeThinking {
  if (type === 'unasked') return {};
  return type === 'lowest_effort' ? { effort: 'low' } : { thinking: { type } };
}

function levelOf(effort: string, { topEffort }: ClaudeRules): string {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' ? topEffort : effort;
}
