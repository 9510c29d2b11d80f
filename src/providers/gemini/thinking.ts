/**
 * Thinking budgets of Gemini 2.5 in tokens, as Google's own OpenAI-compatible endpoint sets them.
 */
const budgets: Record<string, number> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/**
 * True for Gemini 3 and later, whose thinking has levels and whose calls need signatures. Unknown
 * Gemini models count as new.
 */
export function thinksInLevels(model: string): boolean {
  return /gemini/i.test(model) && !/gemini-(1|2)[.-]/i.test(model) && !/embedding/i.test(model);
}

/**
 * Translates a reasoning effort, and requests the thoughts. Null if no effort is given or the
 * model does not think.
 */
export function thinkingConfig(
  effort: string | null | undefined,
  model: string,
): Record<string, unknown> | null {
  if (effort === null || effort === undefined) return null;
  const pro = /pro/i.test(model);
  if (/gemini-2\.5/i.test(model)) {
    const budget = budgets[effort];
    if (budget === undefined) return null;
    // 2.5 Pro always thinks; 128 tokens is its minimum
    return {
      thinkingBudget: budget === 0 && pro ? 128 : budget,
      includeThoughts: effort !== 'none',
    };
  }
  if (!thinksInLevels(model)) return null;
  return { thinkingLevel: levelOf(effort, model, pro), includeThoughts: effort !== 'none' };
}

function levelOf(effort: string, model: string, pro: boolean): string {
  if (effort === 'none' || effort === 'minimal') return pro ? 'low' : 'minimal';
  if (effort === 'xhigh' || effort === 'max') return 'high';
  // the first Gemini 3 Pro has only low and high
  return effort === 'medium' && /gemini-3-pro/i.test(model) ? 'high' : effort;
}
