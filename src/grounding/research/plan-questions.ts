import { planMessages, planSchema } from './prompts.js';
import { type PlannedQuestion, readPlan } from './read-answers.js';
import type { ResearchRun } from './research-run.js';

const planTokens = 3_000;
/** With fewer steps, the steps are better used for searching. */
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
  const call = { role: 'planner', messages, maxTokens: planTokens, json: planSchema } as const;
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
