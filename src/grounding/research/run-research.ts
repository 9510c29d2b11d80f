import type { ChatMessage } from '../../completion.js';
import { invalidField } from '../../errors.js';
import type { BudgetLimit } from './budget-ledger.js';
import { noteWaiting, readPages } from './read-pages.js';
import { timedSignal, TimeIsUp } from './research-clock.js';
import type { ResearchDependencies, ResearchOptions } from './research-dependencies.js';
import type { NotedSpending, ResearchNotes } from './research-notes.js';
import { ResearchRun } from './research-run.js';
import { setWritingAside } from './size-writing.js';
import { checkQuestions, planQuestions, searchQuestions } from './work-on-questions.js';
import { type WrittenAnswer, writeAnswer } from './write-answer.js';

/** What this run used, and did. */
export interface ResearchSpending extends NotedSpending {
  readonly modelCalls: number;
  readonly pagesRead: number;
  readonly queries: readonly string[];
}

/** How a run ended. */
export interface ResearchOutcome extends WrittenAnswer {
  /** The budget that ended it; null: it was done. */
  readonly stoppedBy: BudgetLimit | null;
  /** Without what earlier runs used; the notes have the sum. */
  readonly spent: ResearchSpending;
  readonly notes: ResearchNotes;
}

/**
 * Researches what the user's last message asks: plans questions, searches, reads pages and takes
 * notes in rounds until the questions are answered or the budget is used, and writes the answer
 * with the numbers of its sources, such as `[1]`. Never uses more than the budget, as far as no call
 * uses more than `ResearchModel.most` said. With `resume` it goes on from the notes of another run;
 * a question that those do not have is planned for.
 * @throws GatewayError if the writer fails, if no search succeeded, or if `maxCostUsd` is given and
 * a price is unknown; the reason of the signal. The notes are saved in every case.
 */
export async function runResearch(
  messages: readonly ChatMessage[],
  dependencies: ResearchDependencies,
  options: ResearchOptions,
): Promise<ResearchOutcome> {
  if (options.budget.maxCostUsd !== null) requirePrices(dependencies);
  const run = new ResearchRun(messages, dependencies, options);
  try {
    setWritingAside(run);
    await gatherInTime(run);
    const answer = await write(run);
    return { ...answer, ...outcomeOf(run) };
  } finally {
    await run.saveNotes();
  }
}

function requirePrices({ model, web }: ResearchDependencies): void {
  const calls = (['planner', 'reader', 'writer'] as const).map((role) => ({
    role,
    price: model.most({ role, promptTokens: 1, maxTokens: 1 }).costUsd,
  }));
  const unknown = calls.find(({ price }) => price === null)?.role;
  if (unknown !== undefined)
    throw invalidField('research[maxCostUsd]', `the price of the ${unknown} model is not known`);
  if (web.searchPriceUsd === null)
    throw invalidField('research[maxCostUsd]', 'the price of a search is not known');
}

/** Gathers facts until the questions are answered, or the time for it is over. */
async function gatherInTime(run: ResearchRun): Promise<void> {
  const { ledger, clock, options } = run;
  const timed = timedSignal(clock, ledger.msLeft, options.signal);
  try {
    await gather(run, timed.signal);
  } catch (error) {
    if (!(timed.signal.reason instanceof TimeIsUp)) throw error;
    ledger.stop('time');
  } finally {
    timed.end();
  }
}

/** The most rounds in a row without a new fact. */
const maxFruitlessRounds = 2;

async function gather(run: ResearchRun, signal: AbortSignal): Promise<void> {
  const { state, ledger, width } = run;
  await planQuestions(run, signal);
  await noteWaiting(run, signal);
  let fruitless = 0;
  for (let round = 1; state.openQuestions.length > 0; round++) {
    const before = state.facts.length;
    run.roundsLeft = Math.max(1, width.maxRounds - round + 1);
    await searchQuestions(run, signal);
    await readPages(run, signal);
    if (ledger.stoppedBy !== null) return;
    fruitless = state.facts.length > before ? 0 : fruitless + 1;
    if (round >= width.maxRounds || fruitless >= maxFruitlessRounds) return;
    if (!(await checkQuestions(run, signal))) return;
  }
}

async function write(run: ResearchRun): Promise<WrittenAnswer> {
  const { state, ledger, clock, options } = run;
  const isEmpty = state.sources.length === 0 && state.unread.length === 0;
  if (isEmpty && !run.hasSearched && run.searchError !== null) throw run.searchError;
  ledger.release();
  const timed = timedSignal(clock, ledger.msLeft, options.signal);
  try {
    const answer = await writeAnswer(run, timed.signal);
    state.phase = 'done';
    run.report('The answer is written.');
    return answer;
  } finally {
    timed.end();
  }
}

function outcomeOf(run: ResearchRun): Omit<ResearchOutcome, keyof WrittenAnswer> {
  const { ledger, state, spent, modelCalls, pagesRead, queries } = run;
  return {
    stoppedBy: ledger.stoppedBy,
    spent: { ...spent, modelCalls, pagesRead, queries },
    notes: state.notes(spent),
  };
}
