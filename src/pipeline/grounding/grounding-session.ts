import {
  type ChatMessage,
  type ChatRequest,
  functionName,
  type ToolCall,
  type UrlCitation,
} from '../../completion.js';
import { inTurns } from '../../async/turns.js';
import { untilAborted } from '../../async/until-aborted.js';
import { GatewayError } from '../../errors.js';
import type { GatewayTool } from '../../grounding/tools/gateway-tool.js';
import { lastWords } from '../../grounding/tools/material.js';
import { RequestSources } from '../../grounding/tools/request-sources.js';
import { WebAccess } from '../../grounding/tools/web-access.js';
import { webTools } from '../../grounding/tools/web-tools.js';
import type { Candidate } from '../../chooser/plan.js';
import { measureRequest } from '../../models/tokens.js';
import { CompletionUses } from '../completion-uses.js';
import { ownSearchOf, withoutOwnSearch } from '../own-searches.js';
import type { AnswerGrounding, SearchMode } from './grounding-call.js';
import { AnswerChecks, citedAnnotations } from './answer-checks.js';
import { GroundingEvents, payFor } from './grounding-events.js';
import { searchPrice } from './grounding-terms.js';
import { searchOnce } from './search-web.js';
import { roundChat } from './round-chat.js';
import type { TextFilter } from './joined-answer.js';
import type { ToolCallRules } from './run-tool-calls.js';
import type { GroundedInput } from './grounded-run.js';

/** The bounds of one result in tokens: fewer are not worth having. */
const maxResultTokens = 8_000;
const minResultTokens = 300;
/** For a model whose context length is not known, in tokens. */
const defaultContext = 32_000;
/** The share of a context that results may fill: the rest is for the answer. */
const resultShare = 0.7;

/** What one completion has found and read, and the tools that it may call. */
export class GroundingSession {
  readonly tools: ReadonlyMap<string, GatewayTool>;
  readonly events: GroundingEvents;
  /** Set where a model ignores that it must call the search tool: then the gateway searches. */
  searchesFirst = false;
  private readonly sources = new RequestSources();
  private readonly checks: AnswerChecks;
  private readonly access: WebAccess | null;
  private readonly ownTools: readonly GatewayTool[];
  private readonly calls = new Map<string, number>();
  private readonly modes = new Map<Candidate, SearchMode | null>();
  private readonly today = new Date();
  /** How often models searched by themselves, as far as is known. */
  private ownSearches = 0;
  private found: Promise<string> | null = null;
  private promptTokens: number;
  private contextLength = defaultContext;
  private readonly closing = new AbortController();

  constructor(private readonly input: GroundedInput) {
    const { parts, request, planned, grounding } = input;
    this.promptTokens = planned.plan.promptTokens;
    this.events = new GroundingEvents(parts.metrics, request.trace, input.tell);
    this.checks = new AnswerChecks(this.sources);
    const { search: engines, reader } = request.snapshot.grounding;
    const { search } = grounding.terms;
    this.access =
      search && engines
        ? new WebAccess({ search: engines, reader }, this.sources, search, this.events)
        : null;
    this.ownTools = this.access ? this.webToolsOf(this.access) : [];
    const all = [...this.ownTools, ...grounding.tools];
    this.tools = new Map(all.map((tool) => [tool.name, tool]));
  }

  /** Reads the conversation's addresses. Must be called once, before anything else. */
  async begin(): Promise<void> {
    for (const { role, content } of this.input.planned.call.chat.messages)
      await inTurns(takeAddresses(this.sources, role, content));
  }

  /**
   * The request for a candidate, and the admission of its attempt (null: at once).
   * @throws GatewayError where a search that is required fails, or as `reserveLimits`
   */
  async prepare(
    candidate: Candidate,
    history: readonly ChatMessage[],
    isLast: boolean,
  ): Promise<{ chat: ChatRequest; admitted: Promise<void> | null }> {
    const { planned, grounding, request, figures } = this.input;
    const { catalog } = request.snapshot;
    const facts = catalog.lookup(candidate.provider, candidate.model);
    this.contextLength = facts.contextLength ?? defaultContext;
    const mode = this.modeFor(candidate, history, facts.tools !== false);
    const hasTools = grounding.tools.length + grounding.terms.clientTools.length > 0;
    const takesTools = facts.tools !== false && (mode !== 'once' || hasTools);
    const material =
      mode === 'once' && history.length === 0 ? await (this.found ??= this.searchNow()) : '';
    const built = roundChat({
      chat: planned.call.chat,
      terms: grounding.terms,
      // at least 1, because a paused turn can continue only if it may search
      ownSearches: Math.max(1, (grounding.terms.search?.maxUses ?? 0) - this.ownSearches),
      mode,
      takesTools,
      webTools: this.ownTools,
      toolkitTools: grounding.tools,
      history,
      material,
      isLast,
      today: this.today,
    });
    const isGateways = mode === 'tools' || mode === 'once';
    const chat = isGateways ? withoutOwnSearch(built, candidate, request.snapshot) : built;
    this.promptTokens = measureRequest(chat.messages, chat.tools ?? []).tokens;
    figures.addedPromptTokens = Math.max(0, this.promptTokens - planned.plan.promptTokens);
    return { chat, admitted: this.admit(candidate, chat) };
  }

  /** Whether the candidate must call a search first. */
  hasToSearch(candidate: Candidate): boolean {
    const { search } = this.input.grounding.terms;
    return search?.required === true && this.modes.get(candidate) === 'tools';
  }

  /** The filter that checks the text of one attempt. */
  filterFor(candidate: Candidate): TextFilter {
    const mode = this.modes.get(candidate);
    // a model that always searches numbers its own pages
    const { snapshot } = this.input.request;
    const isNative = mode ? mode === 'native' : ownSearchOf(candidate, snapshot)?.always === true;
    return this.checks.begin(isNative, this.events);
  }

  /**
   * Keeps the attempt's text, which begins at `startedAt` in the answer.
   * @param searches the provider's count of its own searches; absent: it does not tell
   */
  async endRound(startedAt: number, searches: number | undefined): Promise<void> {
    await this.checks.keep(startedAt, searches);
    this.ownSearches += searches ?? 0;
  }

  toolRules(signal: AbortSignal): ToolCallRules {
    const { tools, calls, events, sources } = this;
    return {
      tools,
      signal,
      calls,
      events,
      sources,
      pay: (priceUsd) => payFor(this.input, priceUsd),
    };
  }

  /** Runs work that is aborted when the client leaves or the request's time is over. */
  async whileTools<T>(leftMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const late = new GatewayError('deadline_exceeded', 'no answer within the time of the request');
    const timer = setTimeout(() => ending.abort(late), leftMs);
    try {
      return await this.input.request.cancellation.withSignal((left) => {
        const signal = AbortSignal.any([left, ending.signal, this.closing.signal]);
        // work that ignores its signal must not delay the end
        return untilAborted(run(signal), signal);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Keeps results of the gateway's tools until the client sends the results of its own calls. */
  keepBeside(
    calls: readonly ToolCall[],
    results: readonly ChatMessage[],
    others: readonly ToolCall[],
  ): void {
    const { parts, request } = this.input;
    parts.state.toolResults.keep(request.caller.accountId, { calls, results, others });
  }

  grounding(): AnswerGrounding {
    return this.checks.grounding(this.events, this.input);
  }

  /** The citations as OpenAI's dialect has them. */
  annotations({ citations }: AnswerGrounding): UrlCitation[] {
    return citedAnnotations(citations, this.sources);
  }

  close(): void {
    this.closing.abort(new GatewayError('client_closed', 'the request is over'));
  }

  /**
   * How a candidate searches now. A candidate that takes over after searches of the gateway keeps
   * using those: providers refuse a second tool of that name.
   */
  private modeFor(
    candidate: Candidate,
    history: readonly ChatMessage[],
    callsTools: boolean,
  ): SearchMode | null {
    const { grounding, request } = this.input;
    const planned = grounding.modeOf(candidate);
    const own = new Set(this.ownTools.map(({ name }) => name));
    const hasOwnCalls = history.some(({ tool_calls: calls }) =>
      calls?.some((call) => own.has(functionName(call))),
    );
    const called = planned === 'native' && hasOwnCalls && callsTools ? 'tools' : planned;
    const mode = called === 'tools' && this.searchesFirst ? 'once' : called;
    if (mode === 'native' && !this.modes.has(candidate) && grounding.isUnforced(candidate)) {
      const message = `${candidate.label} decides by itself whether to search`;
      request.warnings.push({ field: 'search[required]', message });
    }
    this.modes.set(candidate, mode);
    return mode;
  }

  private webToolsOf(access: WebAccess): GatewayTool[] {
    const { request, planned, grounding } = this.input;
    const { search } = grounding.terms;
    return webTools({
      access,
      resultTokens: () => this.resultTokens(access.searchesLeft + 1),
      question: lastWords(planned.call.chat.messages),
      searchPriceUsd: searchPrice(request.snapshot.grounding, search?.engine ?? null),
      required: search?.required ?? false,
    });
  }

  private resultTokens(calls: number): number {
    const room = (this.contextLength * resultShare - this.promptTokens) / Math.max(1, calls);
    return Math.round(Math.min(maxResultTokens, Math.max(minResultTokens, room)));
  }

  private async searchNow(): Promise<string> {
    const { access, input } = this;
    const { search } = input.grounding.terms;
    if (!access || !search) return '';
    const { planned, request } = input;
    const startedAt = performance.now();
    const priceUsd = searchPrice(request.snapshot.grounding, search.engine);
    const settle = await payFor(input, priceUsd);
    try {
      const question = lastWords(planned.call.chat.messages);
      const { material, costUsd } = await this.whileTools(
        planned.plan.limits.totalTimeoutMs,
        (signal) => searchOnce(access, question, this.resultTokens(1), signal),
      );
      settle(costUsd);
      this.events.charge(costUsd);
      return material;
    } catch (error) {
      settle(null);
      if (!(error instanceof GatewayError) || search.required || request.cancellation.reason)
        throw error;
      request.warnings.push({ field: 'search', message: `the search failed: ${error.message}` });
      return '';
    } finally {
      this.events.busy(performance.now() - startedAt);
    }
  }

  private admit(candidate: Candidate, chat: ChatRequest): Promise<void> | null {
    const { request, planned } = this.input;
    const { reservation, snapshot, caller } = request;
    if (!reservation) return null;
    const { call, plan } = planned;
    const sent = {
      ...planned,
      call: { ...call, chat },
      plan: { ...plan, promptTokens: this.promptTokens },
    };
    reservation.continueWith(new CompletionUses(sent, snapshot, caller));
    return reservation.admit(candidate);
  }
}

/** Addresses from models and tools may only be repeated; those from people may also be opened. */
function* takeAddresses(
  sources: RequestSources,
  role: string,
  content: ChatMessage['content'],
): Generator<unknown, void> {
  const texts = typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => text);
  const isOfPeople = role === 'user' || role === 'system' || role === 'developer';
  for (const text of texts)
    if (text && isOfPeople) yield* sources.mention(text);
    else if (text) yield* sources.know(text);
}
