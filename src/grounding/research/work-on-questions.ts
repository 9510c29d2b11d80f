import { asError } from '../../errors.js';
import { untilAborted } from '../../async/until-aborted.js';
import { packFacts } from './gather-material.js';
import { checkMessages, planMessages } from './prompts.js';
import { type CheckedQuestion, type PlannedQuestion, readCheck, readPlan } from './read-answers.js';
import { inParallel, type ResearchRun } from './research-run.js';

const planTokens = 3_000;
/** With fewer steps left, no plan is made: searching uses them better. */
const minPlannedSteps = 4;

/**
 * Finds the questions of what the client asked. Where the planner cannot be asked, fails, or
 * answers without a plan, what the client asked is the question.
 */
export async function planQuestions(run: ResearchRun, signal: AbortSignal): Promise<void> {
  const { state, width, context } = run;
  if (state.phase !== 'plan') return;
  run.report('Planning the research.');
  const plan = await askPlanner(run, signal);
  const added = state.addQuestions(plan ?? [], width.maxQuestions);
  const hasNone = state.questions.length === 0;
  if (hasNone || (plan === null && added === 0))
    state.addQuestions([{ question: context.message, queries: [] }], 1);
  state.phase = 'gather';
  const questions = state.openQuestions.map(({ text }) => text);
  run.report('The research is planned.', { questions });
}

async function askPlanner(
  run: ResearchRun,
  signal: AbortSignal,
): Promise<PlannedQuestion[] | null> {
  const { state, width, context, ledger } = run;
  if (ledger.left.steps < minPlannedSteps) return null;
  const messages = planMessages(context, state.questions, width.maxQuestions);
  const call = { role: 'planner', messages, maxTokens: planTokens } as const;
  // a plan that is too expensive leaves room for searches without one
  if (ledger.shortOf(run.maxOf(call)) !== null) return null;
  try {
    const answer = await run.ask(call, signal);
    return answer === null ? null : readPlan(answer);
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}

/** How many searches a round makes: a third of the steps at most, so that pages can be read. */
function searchesOf({ width, ledger, roundsLeft }: ResearchRun): number {
  const { steps } = ledger.left;
  const wide = Math.max(width.searches, Math.floor(steps / (4 * roundsLeft)));
  return Math.min(wide, Math.max(1, Math.floor(steps / 3)));
}

/** Searches for what open questions need. A search that fails is left out. */
export async function searchQuestions(run: ResearchRun, signal: AbortSignal): Promise<void> {
  const queries = run.state.nextQueries(searchesOf(run));
  await inParallel(queries, async (asked) => {
    const { ledger, state, web } = run;
    if (ledger.stoppedBy !== null) return;
    const price = { steps: 1, tokens: 0, costUsd: web.searchPriceUsd };
    const reservation = await run.reserve(price, signal);
    if (reservation === null) return;
    try {
      const { results, costUsd } = await untilAborted(web.search(asked.query, signal), signal);
      reservation.settle({ steps: 1, tokens: 0, costUsd });
      state.addResults(asked, results);
      run.hasSearched = true;
      run.report(`Searched for “${asked.query}”: ${results.length} results.`);
    } catch (error) {
      reservation.settleAtMost();
      if (signal.aborted) throw error;
      state.failQuery(asked.query);
      run.searchError = asError(error);
      run.report(`The search for “${asked.query}” failed.`);
    } finally {
      run.queries.push(asked.query);
    }
  });
}

const checkTokens = 2_000;
const maxMaterialTokens = 6_000;
/** With notes from this many sources a question counts as answered where the check fails. */
const enoughSources = 3;

/** Finds answered questions and the next searches. @returns false: the budget does not allow it */
export async function checkQuestions(run: ResearchRun, signal: AbortSignal): Promise<boolean> {
  const { state, context } = run;
  const room = Math.floor(run.contextOf('planner') / 2) - checkTokens;
  const maxTokens = Math.max(0, Math.min(maxMaterialTokens, room));
  const open = state.openQuestions;
  const { text } = packFacts(state, open, maxTokens);
  const messages = checkMessages(context, open, text, state.searched);
  const call = { role: 'planner', messages, maxTokens: checkTokens } as const;
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

const judged = ({ state }: ResearchRun): CheckedQuestion[] =>
  state.openQuestions.map(({ id }) => {
    const facts = state.facts.filter(({ question }) => question === id);
    const sources = new Set(facts.map(({ source }) => source));
    return { id, answered: sources.size >= enoughSources, queries: [] };
  });
