import type { ChatMessage } from '../../completion.js';
import { untilAborted } from '../../async/until-aborted.js';
import { measureRequest } from '../../models/tokens.js';
import { BudgetLedger, type BudgetReservation, type Spending } from './budget-ledger.js';
import { questionOf, turnsBefore } from './conversation.js';
import { Fence, type PromptContext } from './prompts.js';
import { type ResearchClock, systemClock } from './research-clock.js';
import type {
  ResearchCall,
  ResearchDependencies,
  ResearchModel,
  ResearchOptions,
  ResearchProgress,
  ResearchRole,
  ResearchWeb,
} from './research-dependencies.js';
import { researchWidths, type ResearchWidth } from './research-effort.js';
import { cutNoted, notedLengths, type NotedSpending } from './research-notes.js';
import { ResearchState } from './research-state.js';

/** A call of a model without its signal. */
export type RunCall = Omit<ResearchCall, 'signal'>;

/** How long each step waits for a slow database at most. */
const maxSavingMs = 1_000;
/** A model whose context is unknown. */
const defaultContextTokens = 16_000;
/** How much of a context estimated tokens may fill. */
const contextShare = 0.9;

/** Of the conversation, for the planner. */
const plannedTurnTokens = 1_500;

/** One run: what its phases share, and its calls within the budget. */
export class ResearchRun {
  readonly model: ResearchModel;
  readonly web: ResearchWeb;
  readonly clock: ResearchClock;
  readonly state: ResearchState;
  readonly ledger: BudgetLedger;
  readonly width: ResearchWidth;
  readonly context: PromptContext;
  private readonly saver: NotesSaver;
  /** What was searched for, in order. */
  readonly queries: string[] = [];
  pagesRead = 0;
  modelCalls = 0;
  /** With the one that is under way. */
  roundsLeft = 1;
  hasSearched = false;
  /** The failure of the last search that failed. */
  searchError: Error | null = null;

  /** @throws GatewayError if the messages ask nothing */
  constructor(
    readonly messages: readonly ChatMessage[],
    { model, web, clock = systemClock }: ResearchDependencies,
    readonly options: ResearchOptions,
  ) {
    const question = questionOf(messages);
    this.model = model;
    this.web = web;
    this.clock = clock;
    this.state = new ResearchState(question, options.resume ?? null);
    this.ledger = new BudgetLedger(options.budget, clock);
    this.width = researchWidths[options.effort];
    this.context = {
      topic: this.state.topic,
      message: cutNoted(question, notedLengths.asked),
      before: turnsBefore(messages, plannedTurnTokens),
      today: new Date(clock.wallClock()).toISOString().slice(0, 10),
      fence: new Fence(),
    };
    const saveNow = async () => options.saveNotes?.(this.state.notes(this.spent));
    this.saver = new NotesSaver(saveNow, clock);
  }

  /** What this run used so far. */
  get spent(): NotedSpending {
    const { ms, ...spent } = this.ledger.spent;
    return { ...spent, seconds: ms / 1_000 };
  }

  /** Saves the notes, and waits until they are saved. */
  async saveNotes(): Promise<void> {
    this.saver.save();
    await this.saver.flush();
  }

  /** What a model's prompt and answer may have together. */
  contextOf(role: ResearchRole): number {
    const tokens = this.model.contextTokens(role) ?? defaultContextTokens;
    return Math.floor(tokens * contextShare);
  }

  /** What a call uses at most, as a step. */
  most(role: ResearchRole, promptTokens: number, maxTokens: number): Spending {
    return { steps: 1, ...this.model.most({ role, promptTokens, maxTokens }) };
  }

  /** The same for a call that is written already. */
  maxOf({ role, messages, maxTokens }: RunCall): Spending {
    return this.most(role, promptTokens(messages), maxTokens);
  }

  /** Makes a call where the budget allows it. @returns the answer; null: it does not allow it */
  async ask(call: RunCall, signal: AbortSignal): Promise<string | null> {
    const reservation = await this.reserve(this.maxOf(call), signal);
    return reservation && this.askWith(reservation, call, signal);
  }

  /**
   * Reserves for a step, as `BudgetLedger.reserve`. Saves first what the last step found, so that a
   * run that is killed loses only the step in progress.
   */
  async reserve(most: Spending, signal: AbortSignal): Promise<BudgetReservation | null> {
    await this.saver.flushWithin(maxSavingMs);
    return this.ledger.reserve(most, signal);
  }

  /** Makes a call with a reservation, which is settled in every case. */
  async askWith(
    reservation: BudgetReservation,
    call: RunCall,
    signal: AbortSignal,
  ): Promise<string> {
    try {
      signal.throwIfAborted();
      this.modelCalls++;
      const asked = this.model.ask({ ...call, signal });
      const { text, ...used } = await untilAborted(asked, signal);
      const tokens = used.promptTokens + used.completionTokens;
      reservation.settle({ steps: 1, tokens, costUsd: used.costUsd });
      return text;
    } finally {
      reservation.settleAtMost();
    }
  }

  /** Says what happens, and saves what is known now. */
  report(message: string, more: Pick<ResearchProgress, 'questions' | 'source'> = {}): void {
    this.saver.save();
    const { steps } = this.ledger.spent;
    this.options.onProgress?.({ phase: this.state.phase, step: steps, message, ...more });
  }
}

/** Estimated tokens of a prompt. */
export const promptTokens = (messages: readonly ChatMessage[]): number =>
  measureRequest(messages).tokens;

/** How many searches, or pages, a run works on at once. */
const maxParallel = 4;

/**
 * Does some work for each item, four at a time. Waits for all of them, also where some fail.
 * @throws what the first one that failed threw
 */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  const workers = Array.from({ length: Math.min(maxParallel, items.length) }, worker);
  for (const outcome of await Promise.allSettled(workers))
    if (outcome.status === 'rejected') throw outcome.reason;
}

/**
 * Saves what is newest, one save at a time: what changes during a save is saved after it. A save
 * that fails ends nothing; the next one has all that it had.
 */
class NotesSaver {
  private isWanted = false;
  private saving: Promise<void> | null = null;

  /** @param saveNow reads what is to be saved before it returns */
  constructor(
    private readonly saveNow: () => Promise<void>,
    private readonly clock: ResearchClock,
  ) {}

  save(): void {
    this.isWanted = true;
    this.saving ??= this.run();
  }

  /** Waits until all is saved. */
  async flush(): Promise<void> {
    while (this.saving) await this.saving;
  }

  /** The same, but not for longer. */
  flushWithin(maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = this.clock.after(maxMs, resolve);
      void this.flush().then(() => {
        stopTimer();
        resolve();
      });
    });
  }

  private async run(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      try {
        await this.saveNow();
      } catch {
        // the run goes on without it
      }
    }
    this.saving = null;
  }
}
