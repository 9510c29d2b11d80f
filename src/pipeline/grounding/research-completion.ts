import type { AnswerWriter } from '../../dispatch/answer-writer.js';
import type { ChatOutcome } from '../../dispatch/execute-plan.js';
import { GatewayError } from '../../errors.js';
import type { ResearchBudget } from '../../grounding/research/research-effort.js';
import { readStoredNotes, type ResearchNotes } from '../../grounding/research/research-notes.js';
import { runResearch } from '../../grounding/research/run-research.js';
import { RequestSources } from '../../grounding/tools/request-sources.js';
import type { Candidate } from '../../chooser/plan.js';
import { makeUsage } from '../../usage.js';
import type { FinishedAnswer } from '../completion-call.js';
import { AnswerChecks, citedAnnotations } from './answer-checks.js';
import type { AnswerGrounding, ResearchTerms } from './grounding-call.js';
import type { GroundedInput, GroundedRun } from './grounded-run.js';
import { GroundingEvents, payFor } from './grounding-events.js';
import { FilteredText, JoinedAnswer } from './joined-answer.js';
import { ResearchCalls } from './research-calls.js';
import type {
  ResearchOptions,
  ResearchWeb,
  WebFindings,
} from '../../grounding/research/research-dependencies.js';
import { ObservedWeb } from '../../grounding/tools/observed-web.js';
import { SearchCost } from '../../grounding/tools/web-tools.js';
import { searchPrice } from './grounding-terms.js';

/** A completion whose answer is written from the findings of a research run. */
export class ResearchCompletion implements GroundedRun {
  private readonly events: GroundingEvents;
  private readonly sources = new RequestSources();
  private readonly checks = new AnswerChecks(this.sources);
  private readonly answer: JoinedAnswer;
  private readonly controller = new AbortController();

  constructor(
    private readonly input: GroundedInput,
    private readonly terms: ResearchTerms,
    out: AnswerWriter,
  ) {
    this.events = new GroundingEvents(input.parts.metrics, input.request.trace, input.tell);
    this.answer = new JoinedAnswer(out);
  }

  async run(): Promise<ChatOutcome> {
    const { request, planned } = this.input;
    const { cancellation, record } = request;
    if (cancellation.reason) throw cancellation.reason;
    cancellation.onCancel((reason) => this.controller.abort(reason));
    const startedAt = performance.now();
    try {
      await this.research(planned.plan.candidates[0]);
    } finally {
      cancellation.onCancel(null);
      this.events.busy(performance.now() - startedAt);
      record.grounding = this.events.record();
    }
    return {
      candidate: planned.plan.candidates[0],
      attempts: record.attempts.length,
      errorTrace: planned.passedOver,
      finishReason: 'stop',
      // all calls are in the figures
      usage: makeUsage({}),
      contentLength: 0,
      firstContentAt: this.answer.firstAt ?? performance.now(),
    };
  }

  end(answer: FinishedAnswer): AnswerGrounding {
    const grounding = this.checks.grounding(this.events, this.input);
    const annotations = citedAnnotations(grounding.citations, this.sources);
    this.answer.end({ toolCalls: [], annotations, reasoningDetails: [] }, answer);
    return grounding;
  }

  private async research(candidate: Candidate): Promise<void> {
    const { input, events } = this;
    const { chat } = input.planned.call;
    const model = new ResearchCalls(input);
    const web = new ResearchPages(input, events);
    const filter = this.checks.begin(false, events);
    const text = new FilteredText(filter, (part) => void this.answer.add(part, candidate));
    const outcome = await runResearch(
      chat.messages,
      { model, web },
      {
        budget: this.budgetFor(model, web),
        effort: this.terms.effort,
        resume: await this.notesToResume(),
        signal: this.controller.signal,
        onProgress: ({ phase, step, message, questions }) =>
          input.tell({
            type: 'progress',
            phase,
            detail: message,
            step,
            ...(questions && { questions }),
          }),
        onSources: (found) => {
          this.sources.restore(found);
          for (const source of found) events.found(source);
        },
        onText: (delta) => void text.push(delta),
        ...this.notesPlace(),
      },
    );
    await text.end();
    await this.checks.keep(0);
    events.stoppedBy = outcome.stoppedBy;
  }

  /** Lifts the cost limit if the request states none and a price is unknown, with a warning. */
  private budgetFor(model: ResearchCalls, web: ResearchPages): ResearchBudget {
    const { isCostStated } = this.terms;
    const { sharedReservation } = this.input.request;
    const maxCostUsd = sharedReservation?.totalUsd ?? this.terms.budget.maxCostUsd;
    const budget = { ...this.terms.budget, maxCostUsd };
    if (isCostStated || (model.isPriced && web.searchPriceUsd !== null)) return budget;
    this.warn('a price is not known, so this run has no limit of cost');
    return { ...budget, maxCostUsd: null };
  }

  private async notesToResume(): Promise<ResearchNotes | null> {
    const { resume } = this.terms;
    if (resume === null) return null;
    const { parts, request } = this.input;
    const json = await parts.state.notes.find(request.caller.accountId, resume);
    const notes = json === null ? null : readStoredNotes(json);
    if (!notes)
      throw new GatewayError('not_found', 'research[resume]: not found', {
        field: 'research[resume]',
      });
    return notes;
  }

  /** Where notes are stored: nowhere if the conversation is not stored either. */
  private notesPlace(): Pick<ResearchOptions, 'saveNotes'> {
    const { parts, request } = this.input;
    if (!request.conversation?.stores) return {};
    const { accountId, answerId } = request.conversation;
    const store = parts.state.notes.placeOf(accountId, answerId);
    let isFull = false;
    const saveNotes = async (notes: ResearchNotes): Promise<void> => {
      if (isFull || (await store(JSON.stringify(notes)))) return;
      isFull = true;
      this.warn('the storage of this account is full: later notes of this run are not kept');
    };
    return { saveNotes };
  }

  private warn(message: string): void {
    this.input.request.warnings.push({ field: 'research', message });
  }
}

const anyPages = {
  engine: null,
  maxResults: 8,
  recency: null,
  country: null,
  allowedDomains: [],
  blockedDomains: [],
};

/** The web as a research run reaches it, within the request's wishes for search. */
class ResearchPages implements ResearchWeb {
  readonly searchPriceUsd: number | null;
  private readonly web: ObservedWeb;

  constructor(
    private readonly input: GroundedInput,
    private readonly events: GroundingEvents,
  ) {
    const { request, grounding } = input;
    const { search: terms } = grounding.terms;
    const { grounding: parts } = request.snapshot;
    const { search, reader } = parts;
    if (!search) throw new GatewayError('not_configured', 'no search engine is configured');
    this.searchPriceUsd = searchPrice(parts, terms?.engine ?? null);
    this.web = new ObservedWeb({ search, reader }, terms ?? anyPages, events);
  }

  async search(query: string, signal: AbortSignal): Promise<WebFindings> {
    const { events } = this;
    events.searching(query);
    const settle = await payFor(this.input, this.searchPriceUsd);
    const cost = new SearchCost();
    try {
      const results = await this.web.search(query, null, signal, cost.add);
      return { results, costUsd: cost.usd };
    } finally {
      settle(cost.usd);
      events.charge(cost.usd);
    }
  }

  read(url: string, signal: AbortSignal): ReturnType<ResearchWeb['read']> {
    return this.web.read(url, signal);
  }
}
