import { checkMessages, checkSchema } from './prompts.js';
import { packFacts } from './pack-facts.js';
import { type CheckedQuestion, readCheck } from './read-answers.js';
import type { ResearchRun } from './research-run.js';

const checkTokens = 2_000;
const maxMaterialTokens = 6_000;
/** With notes from so many sources a question counts as answered where no model says so. */
const enoughSources = 3;

/**
 * Finds which questions are answered, and what to search for next.
 * @returns false if the budget does not allow it
 */
export async function checkQuestions(run: ResearchRun, signal: AbortSignal): Promise<boolean> {
  const { state, context } = run;
  const room = Math.floor(run.contextOf('planner') / 2) - checkTokens;
  const maxTokens = Math.max(0, Math.min(maxMaterialTokens, room));
  const open = state.openQuestions;
  const { text } = packFacts(state, open, maxTokens);
  const messages = checkMessages(context, open, text, state.queriesSearched);
  const call = { role: 'planner', messages, maxTokens: checkTokens, json: checkSchema } as const;
  const answer = await run.ask(call, signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return '';
  });
  if (answer === null) return false;
  apply(run, readCheck(answer) ?? judged(run));
  const left = state.openQuestions.map((question) => question.text);
  run.report(left.length === 0 ? 'All questions are answered.' : 'Some questions are open.', {
    questions: left,
  });
  return true;
}

function apply({ state }: ResearchRun, checked: readonly CheckedQuestion[]): void {
  const noted = new Set(state.facts.map(({ question }) => question));
  for (const { id, answered, queries } of checked) {
    // nothing is answered without a source, whatever the model knows
    state.setAnswered(id, answered && noted.has(id));
    if (!answered) state.addQueries(id, queries);
  }
}

function judged({ state }: ResearchRun): CheckedQuestion[] {
  return state.openQuestions.map(({ id }) => {
    const facts = state.facts.filter(({ question }) => question === id);
    const sources = new Set(facts.map(({ source }) => source));
    return { id, answered: sources.size >= enoughSources, queries: [] };
  });
}
