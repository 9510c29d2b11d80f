import type { ChatMessage } from '../../completion.js';
import { invalidField } from '../../errors.js';
import { BudgetLedger, type BudgetLimit } from './budget-ledger.js';
import { checkQuestions } from './check-questions.js';
import { questionOf, turnsBefore } from './conversation.js';
import { Fence } from './fence.js';
import { NotesSaver } from './notes-saver.js';
import { planQuestions } from './plan-questions.js';
import { noteWaiting, readPages } from './read-pages.js';
import { type ResearchClock, systemClock, TimedSignal, TimeIsUp } from './research-clock.js';
import { type ResearchBudget, type ResearchEffort, researchWidths } from './research-effort.js';
import type { ResearchModel } from './research-model.js';
import {
  cutNoted,
  notedLengths,
  type NotedSpending,
  type ResearchNotes,
} from './research-notes.js';
import { type ResearchProgress, ResearchRun } from './research-run.js';
import { ResearchState } from './research-state.js';
import type { ResearchWeb } from './research-web.js';
import { searchQuestions } from './search-questions.js';
import { setWritingAside } from './size-writing.js';
import { type AnswerSink, type WrittenAnswer, writeAnswer } from './write-answer.js';

/** How a run reaches the world. */
export interface ResearchDependencies {
  readonly model: ResearchModel;
  readonly web: ResearchWeb;
  /** Default: the system's. */
  readonly clock?: ResearchClock;
}

/** What one run is given. */
export interface ResearchOptions extends Partial<AnswerSink> {
  /** Of this run alone, whatever earlier runs used. */
  readonly budget: ResearchBudget;
  readonly effort: ResearchEffort;
  /** The notes from which the run continues. */
  readonly resume?: ResearchNotes | null;
  /** Ends the run at once; its notes are saved. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ResearchProgress) => void;
  /**
   * Stores the notes, each time in place of the ones before; one call at a time, the last one before
   * the run is over. A failure does not end the run.
   */
  readonly saveNotes?: (notes: ResearchNotes) => Promise<void>;
}

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
  { model, web, clock = systemClock }: ResearchDependencies,
  options: ResearchOptions,
): Promise<ResearchOutcome> {
  const { budget, effort, resume = null, signal, onProgress, saveNotes } = options;
  if (budget.maxCostUsd !== null) requirePrices(model, web);
  const state = new ResearchState(questionOf(messages), resume);
  const ledger = new BudgetLedger(budget, clock);
  const saver = new NotesSaver(async () => saveNotes?.(state.notes(spentOf(ledger))), clock);
  const run = new ResearchRun({
    model,
    web,
    state,
    ledger,
    saver,
    width: researchWidths[effort],
    context: contextOf(state, messages, clock),
    onProgress: onProgress ?? (() => undefined),
  });
  try {
    setWritingAside(run, messages);
    await withinTime(run, clock, signal, (timed) => gather(run, timed));
    const answer = await write(run, clock, messages, options);
    return { ...answer, ...outcomeOf(run) };
  } finally {
    saver.save();
    await saver.flush();
  }
}

/** Of the conversation, for the planner. */
const plannedTurnTokens = 1_500;

function contextOf(
  state: ResearchState,
  messages: readonly ChatMessage[],
  clock: ResearchClock,
): ResearchRun['context'] {
  return {
    topic: state.topic,
    message: cutNoted(questionOf(messages), notedLengths.asked),
    before: turnsBefore(messages, plannedTurnTokens),
    today: new Date(clock.wallClock()).toISOString().slice(0, 10),
    fence: new Fence(),
  };
}

function requirePrices(model: ResearchModel, web: ResearchWeb): void {
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

/** Does the work until the time for it is over. */
async function withinTime(
  { ledger }: ResearchRun,
  clock: ResearchClock,
  signal: AbortSignal,
  work: (timed: AbortSignal) => Promise<void>,
): Promise<void> {
  const timed = new TimedSignal(clock, ledger.msLeft, signal);
  try {
    await work(timed.signal);
  } catch (error) {
    if (!(timed.signal.reason instanceof TimeIsUp)) throw error;
    ledger.stop('time');
  } finally {
    timed.end();
  }
}

/** After so many rounds without a new fact, more of them would find nothing either. */
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

async function write(
  run: ResearchRun,
  clock: ResearchClock,
  messages: readonly ChatMessage[],
  { signal, onSources = () => undefined, onText = () => undefined }: ResearchOptions,
): Promise<WrittenAnswer> {
  const { state, ledger } = run;
  const isEmpty = state.sources.length === 0 && state.unread.length === 0;
  if (isEmpty && !run.hasSearched && run.searchError !== null) throw run.searchError;
  ledger.release();
  const timed = new TimedSignal(clock, ledger.msLeft, signal);
  try {
    const answer = await writeAnswer(run, messages, { onSources, onText }, timed.signal);
    state.phase = 'done';
    run.report('The answer is written.');
    return answer;
  } finally {
    timed.end();
  }
}

function spentOf(ledger: BudgetLedger): NotedSpending {
  const { ms, ...spent } = ledger.spent;
  return { ...spent, seconds: ms / 1_000 };
}

function outcomeOf(run: ResearchRun): Omit<ResearchOutcome, keyof WrittenAnswer> {
  const { ledger, state, modelCalls, pagesRead, queries } = run;
  const spent = spentOf(ledger);
  return {
    stoppedBy: ledger.stoppedBy,
    spent: { ...spent, modelCalls, pagesRead, queries },
    notes: state.notes(spent),
  };
}
