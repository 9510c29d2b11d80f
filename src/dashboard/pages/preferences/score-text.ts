/** Scores of a prompt as one line: `openai/gpt-4o: 1, openai/gpt-4o-mini: 0.5`. */
export const scoresText = (scores: Readonly<Record<string, number>>): string =>
  Object.entries(scores)
    .map(([model, score]) => `${model}: ${score}`)
    .join(', ');

/** The changes from one set of scores to another: what is gone becomes null. Null: the same. */
export function scoreChanges(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number | null> | null {
  const changes: Record<string, number | null> = {};
  for (const model of Object.keys(before)) if (!Object.hasOwn(after, model)) changes[model] = null;
  for (const [model, score] of Object.entries(after))
    if (before[model] !== score) changes[model] = score;
  return Object.keys(changes).length === 0 ? null : changes;
}
