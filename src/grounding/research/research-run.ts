import type { ChatMessage } from '../../completion.js';
import { measureRequest } from '../../models/tokens.js';
import type { BudgetLedger, BudgetReservation, Spending } from './budget-ledger.js';
import type { NotesSaver } from './notes-saver.js';
import type { PromptContext } from './prompts.js';
import { untilAborted } from './research-clock.js';
import type { ResearchWidth } from './research-effort.js';
import type { ResearchCall, ResearchModel, ResearchRole } from './research-model.js';
import type { ResearchPhase } from './research-notes.js';
import type { ResearchState } from './research-state.js';
import type { ResearchWeb } from './research-web.js';

/** What a run is doing, for people who wait for it. */
export interface ResearchProgress {
  readonly phase: ResearchPhase;
  /** How many steps are over. */
  readonly step: number;
  /** A short sentence. */
  readonly message: string;
  readonly questions?: readonly string[];
  readonly source?: { readonly id: number; readonly url: string; readonly title: string };
}

/** A call of a model, without who is asked how. */
export type RunCall = Pick<ResearchCall, 'role' | 'messages' | 'maxTokens' | 'json' | 'onText'>;

/** A database that is slow holds no run up for longer, at each step. */
const maxSavingMs = 1_000;
/** A model whose context is unknown. */
const defaultContextTokens = 16_000;
/** How much of a context estimated tokens may fill. */
const contextShare = 0.9;

/** What a run is made of. */
type RunParts = Pick<
  ResearchRun,
  'model' | 'web' | 'state' | 'ledger' | 'width' | 'context' | 'saver' | 'onProgress'
>;

/** One run: what its phases share, and its calls within the budget. */
export class ResearchRun {
  readonly model: ResearchModel;
  readonly web: ResearchWeb;
  readonly state: ResearchState;
  readonly ledger: BudgetLedger;
  readonly width: ResearchWidth;
  readonly context: PromptContext;
  readonly saver: NotesSaver;
  readonly onProgress: (progress: ResearchProgress) => void;
  /** What was searched for, in order. */
  readonly queries: string[] = [];
  pagesRead = 0;
  modelCalls = 0;
  /** With the one that is under way. */
  roundsLeft = 1;
  /** Whether a search succeeded. */
  hasSearched = false;
  /** The failure of the last search that failed. */
  searchError: Error | null = null;

  constructor(parts: RunParts) {
    this.model = parts.model;
    this.web = parts.web;
    this.state = parts.state;
    this.ledger = parts.ledger;
    this.width = parts.width;
    this.context = parts.context;
    this.saver = parts.saver;
    this.onProgress = parts.onProgress;
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

  /**
   * Makes a call where the budget allows it.
   * @returns the answer; null if the budget does not allow it
   */
  async ask(call: RunCall, signal: AbortSignal): Promise<string | null> {
    const reservation = await this.reserve(this.maxOf(call), signal);
    return reservation && this.askWith(reservation, call, signal);
  }

  /**
   * Reserves for a step, as `BudgetLedger.reserve`. What the step before has found is saved first, so
   * that a run that is killed has paid in vain only for what was under way.
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
    this.onProgress({ phase: this.state.phase, step: steps, message, ...more });
  }
}

/** Estimated tokens of a prompt. */
export const promptTokens = (messages: readonly ChatMessage[]): number =>
  measureRequest(messages).tokens;
