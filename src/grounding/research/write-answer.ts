import type { ChatMessage } from '../../completion.js';
import type { BudgetReservation } from './budget-ledger.js';
import { ClaimGate } from './claim-gate.js';
import { writerMessages } from './conversation.js';
import { gatherMaterial, packFacts, toSources, type WritingMaterial } from './gather-material.js';
import { materialPart, supportMessages, writingRules } from './prompts.js';
import { readSupport } from './read-answers.js';
import { TimeIsUp } from './research-clock.js';
import { promptTokens, type ResearchRun, type RunCall } from './research-run.js';
import { sizeWriting, type WritingSize } from './size-writing.js';
import type { NotedSource, ResearchSource } from './research-notes.js';
import type { ResearchState } from './research-state.js';

/** An answer, and what it may cite. */
export interface WrittenAnswer {
  readonly text: string;
  readonly sources: readonly ResearchSource[];
  /** True: no model wrote it; it lists the notes. */
  readonly isPlain: boolean;
}

const cutShort = '\n\nThe answer ends here, because the time of this research is over.';
const supportTokens = 1_500;

/**
 * Writes the answer from the notes, with all that is left of the budget. Where that is not enough,
 * the answer lists the notes.
 * @throws GatewayError of the writer; the reason of the signal, but for `TimeIsUp`
 */
export async function writeAnswer(run: ResearchRun, signal: AbortSignal): Promise<WrittenAnswer> {
  const { ledger, state } = run;
  state.phase = 'write';
  ledger.release();
  run.report('Writing the answer.');
  const size = sizeWriting(run, ledger.left);
  const isSized = typeof size === 'object';
  const limit = isSized ? ledger.shortOf(size.most) : size;
  const reservation = isSized && limit === null ? ledger.take(size.most) : null;
  if (isSized && reservation) return new Writing(run, signal).write(size, reservation);
  if (limit !== null) ledger.stop(limit);
  return writePlainly(run);
}

function writePlainly(run: ResearchRun): WrittenAnswer {
  const { text, sources } = plainAnswer(run.state);
  const citable = toSources(run.state, sources);
  run.options.onSources?.(citable);
  run.options.onText?.(text);
  return { text, sources: citable, isPlain: true };
}

/** Notes are counted one by one; together they may be a little more. */
const shrinking = 0.9;

async function promptFor(
  run: ResearchRun,
  size: WritingSize,
): Promise<{ prompt: ChatMessage[]; material: WritingMaterial }> {
  const rules = writingRules(run.context);
  for (let maxTokens = size.materialTokens; ; maxTokens = Math.floor(maxTokens * shrinking)) {
    const material = await gatherMaterial(run, maxTokens);
    const part = materialPart(run.context, material.text);
    const prompt = writerMessages(run.messages, rules, part, size.historyTokens);
    const fits = promptTokens(prompt) <= size.promptTokens;
    if (fits || material.text === '') return { prompt, material };
  }
}

/** The writing of one answer. */
class Writing {
  private text = '';
  /** What came before the first visible character. */
  private opening = '';
  private isAnnounced = false;
  private isOver = false;

  constructor(
    private readonly run: ResearchRun,
    private readonly signal: AbortSignal,
  ) {}

  async write(size: WritingSize, reservation: BudgetReservation): Promise<WrittenAnswer> {
    const { run } = this;
    const { prompt, material } = await promptFor(run, size);
    const gate = this.gateFor(material.sources, material.text);
    const onText = (delta: string): void => this.receive(delta, gate, material.sources);
    const call = { role: 'writer', messages: prompt, maxTokens: size.answerTokens } as const;
    const isWhole = await this.ask({ ...call, onText }, reservation, gate);
    if (!this.isAnnounced) return writePlainly(run);
    this.emit(gate.end());
    this.emit(gate.rest(isWhole ? await this.support(gate.claims, material.text) : new Map()));
    if (!isWhole) this.emit(cutShort);
    return { text: this.text, sources: material.sources, isPlain: false };
  }

  /** A part of the answer; what comes after the end of the call is ignored. */
  private receive(delta: string, gate: ClaimGate, sources: readonly ResearchSource[]): void {
    if (this.isOver) return;
    if (this.isAnnounced) {
      this.emit(gate.push(delta));
      return;
    }
    this.opening += delta;
    if (this.opening.trim() === '') return;
    this.isAnnounced = true;
    this.run.options.onSources?.(sources);
    this.emit(gate.push(this.opening));
  }

  /** @returns false if the time was over before the answer was */
  private async ask(
    call: RunCall & { readonly onText: (delta: string) => void },
    reservation: BudgetReservation,
    gate: ClaimGate,
  ): Promise<boolean> {
    try {
      const text = await this.run.askWith(reservation, call, this.signal);
      if (!this.isAnnounced) call.onText(text);
      return true;
    } catch (error) {
      if (this.signal.reason instanceof TimeIsUp) {
        this.run.ledger.stop('time');
        return false;
      }
      // what the client may still see, before the failure
      this.emit(gate.end() + gate.rest(new Map()));
      throw error;
    } finally {
      this.isOver = true;
    }
  }

  private emit(text: string): void {
    if (text === '') return;
    this.text += text;
    this.run.options.onText?.(text);
  }

  private gateFor(sources: readonly ResearchSource[], material: string): ClaimGate {
    const { run } = this;
    const ids = new Set(sources.map(({ id }) => id));
    return new ClaimGate(ids, () => {
      if (!run.width.checksClaims || ids.size === 0) return false;
      // twenty claims of usual length
      const claims = Array.from({ length: 20 }, () => 'claim '.repeat(30));
      const call = this.supportCall(claims, material);
      return run.ledger.shortOf(run.maxOf(call)) === null && this.fits(call);
    });
  }

  private supportCall(claims: readonly string[], material: string): RunCall {
    const messages = supportMessages(this.run.context, claims, material);
    return { role: 'reader', messages, maxTokens: supportTokens };
  }

  private fits(call: RunCall): boolean {
    const { tokens } = this.run.maxOf(call);
    return tokens <= this.run.contextOf('reader');
  }

  /** The sources of claims that name none, by the claims' place. Nothing where it cannot be asked. */
  private async support(
    claims: readonly string[],
    material: string,
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    if (claims.length === 0) return new Map();
    this.run.report('Looking for the sources of what names none.');
    const call = this.supportCall(claims, material);
    const reservation = this.fits(call) ? this.run.ledger.take(this.run.maxOf(call)) : null;
    if (reservation === null) return new Map();
    try {
      const answer = await this.run.askWith(reservation, call, this.signal);
      return new Map([...readSupport(answer)].map(([claim, ids]) => [claim - 1, ids]));
    } catch (error) {
      if (this.signal.aborted && !(this.signal.reason instanceof TimeIsUp)) throw error;
      return new Map();
    }
  }
}

const maxTokens = 3_000;

/** An answer without a model: the notes, question by question. */
function plainAnswer(state: ResearchState): {
  text: string;
  sources: readonly NotedSource[];
} {
  const { text, sources, count } = packFacts(state, state.questions, maxTokens);
  if (count === 0)
    return {
      text: 'This research ended before anything was noted, and no answer was written.',
      sources: [],
    };
  const [notes = ''] = text.split('\n\nSources:');
  const listed = notes.replace(/^Question \d+: (.*)$/gm, '**$1**\n');
  const opening =
    'No answer could be written within the budget of this research. These are its notes.';
  return { text: `${opening}\n\n${listed}`, sources };
}
