import type { ChatMessage } from '../../src/completion.js';
import type { ResearchNotes } from '../../src/grounding/research/research-notes.js';
import { type ResearchOutcome, runResearch } from '../../src/grounding/research/run-research.js';
import type { ResearchBudget } from '../../src/grounding/research/research-effort.js';
import type {
  ResearchAnswer,
  ResearchCall,
  PlannedCall,
  ResearchModel,
  ResearchOptions,
  ResearchWeb,
} from '../../src/grounding/research/research-dependencies.js';
import type { ResearchClock } from '../../src/grounding/research/research-clock.js';
import { measureRequest, estimateTokens } from '../../src/models/tokens.js';
import type { SearchResult } from '../../src/grounding/search/search-engine.js';

/** A clock that goes on when nothing else happens. */
export class VirtualClock implements ResearchClock {
  private time = 0;
  private readonly timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.time;
  }

  wallClock(): number {
    return Date.UTC(2026, 10, 22) + this.time;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.time + ms, run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Rejects as soon as the signal is aborted, unless `isDeaf`. */
  wait(ms: number, signal: AbortSignal, isDeaf = false): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        stop();
        reject(signal.reason as Error);
      };
      const stop = this.after(ms, () => {
        signal.removeEventListener('abort', abort);
        resolve();
      });
      if (isDeaf) return;
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
  }

  /** Lets time pass until the work is over. */
  async drive<T>(work: Promise<T>): Promise<T> {
    const state = { isOver: false };
    const over = work.finally(() => (state.isOver = true));
    over.catch(() => undefined);
    for (;;) {
      // work that is done in turns goes on before the time does
      for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (state.isOver) return over;
      const next = [...this.timers].sort((a, b) => a.at - b.at)[0];
      if (!next) throw new Error('nothing will happen any more');
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
    }
  }
}

/** What a call is for. */
export type CallKind = 'plan' | 'notes' | 'check' | 'support' | 'answer';

/** By how the instructions begin. */
const kinds: readonly (readonly [string, CallKind])[] = [
  ['You plan research', 'plan'],
  ['You take notes', 'notes'],
  ['You check how far', 'check'],
  ['You check an answer', 'support'],
];

export const textOf = ({ messages }: ResearchCall): string =>
  messages
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n');

const kindOf = (call: ResearchCall): CallKind =>
  kinds.find(([beginning]) => textOf(call).startsWith(beginning))?.[1] ?? 'answer';

/** What is between the marks of a prompt. */
function materialOf(call: ResearchCall): string {
  const all = [...textOf(call).matchAll(/<<<([0-9a-f]{24})\n([^]*?)\n\1>>>/g)];
  return all.map(([, , text]) => text).join('\n');
}

/** Answers by the kind of call; without one, as a diligent model would. */
export type Script = Partial<Record<CallKind, (call: ResearchCall, nth: number) => string | Error>>;

const diligent: Required<Script> = {
  plan: () =>
    JSON.stringify({
      questions: ['height', 'builder', 'year'].map((what) => ({
        question: `What is the ${what} of the tower?`,
        queries: [`tower ${what}`, `tower ${what} history`],
      })),
    }),
  notes: (call) => {
    const text = materialOf(call);
    const facts = [...text.matchAll(/^FACT (.+)$/gm)].map(([, fact]) => fact!);
    const ids = [...textOf(call).matchAll(/^(\d+)\. /gm)].map(([, id]) => Number(id));
    const notes = facts.map((fact, n) => ({ question: ids[n % ids.length], fact, quote: fact }));
    return JSON.stringify({ notes });
  },
  check: (call) => {
    const ids = [...textOf(call).matchAll(/^(\d+)\. /gm)].map(([, id]) => Number(id));
    const count = [...materialOf(call).matchAll(/^- /gm)].length;
    const questions = ids.map((id) => ({
      id,
      answered: count >= 20,
      queries: [`tower part ${id} after ${count} facts`],
    }));
    return JSON.stringify({ questions });
  },
  support: () => '{"claims": []}',
  answer: (call) => {
    const ids = new Set([...materialOf(call).matchAll(/^\[(\d+)\] /gm)].map(([, id]) => id!));
    return (
      [...ids].map((id) => `The tower is described by a source [${id}].`).join('\n') ||
      'I know nothing.'
    );
  },
};

/** What was used, by what the world itself counted. */
export interface Used {
  steps: number;
  tokens: number;
  costUsd: number;
}

export interface WorldOptions {
  readonly script?: Script;
  /** USD for a token of a prompt or an answer. */
  readonly tokenPrice?: number | null;
  readonly searchPrice?: number | null;
  readonly contextTokens?: number | null;
  readonly resultsPerSearch?: number;
  /** Of each thing that happens, in ms. */
  readonly duration?: (what: string) => number;
  /** Whether something fails. */
  readonly fails?: (what: string) => boolean;
  /** Whether something ignores that it is aborted. */
  readonly isDeaf?: (what: string) => boolean;
  readonly page?: (url: string) => { title: string; text: string };
  readonly results?: (query: string) => SearchResult[];
  /** How much of the allowed answer a model uses beyond its text, from 0 to 1. */
  readonly wasted?: () => number;
}

/** A model and a web that follow a script, and count what they are used for. */
export class ScriptedWorld {
  readonly clock = new VirtualClock();
  readonly calls: ResearchCall[] = [];
  readonly searches: string[] = [];
  readonly reads: string[] = [];
  /** With what is in progress at its most. */
  readonly used: Used = { steps: 0, tokens: 0, costUsd: 0 };
  readonly peak: Used = { steps: 0, tokens: 0, costUsd: 0 };
  /** Calls with a longer prompt than the run asked the price of. */
  readonly unreserved: ResearchCall[] = [];
  maxAtOnce = 0;
  private readonly planned = new Map<string, number>();
  private atOnce = 0;
  private readonly counts = new Map<CallKind, number>();

  constructor(private readonly options: WorldOptions = {}) {}

  readonly model: ResearchModel = {
    ask: (call) => this.ask(call),
    most: ({ role, promptTokens, maxTokens }: PlannedCall) => {
      const key = `${role} ${maxTokens}`;
      this.planned.set(key, Math.max(promptTokens, this.planned.get(key) ?? 0));
      const { tokenPrice = 1e-6 } = this.options;
      const tokens = promptTokens + maxTokens;
      return { tokens, costUsd: tokenPrice === null ? null : tokens * tokenPrice };
    },
    contextTokens: () => this.options.contextTokens ?? 128_000,
  };

  get web(): ResearchWeb {
    const { searchPrice = 0.005 } = this.options;
    return {
      searchPriceUsd: searchPrice,
      search: (query, signal) => this.search(query, signal),
      read: (url, signal) => this.read(url, signal),
    };
  }

  /** Calls of one kind. */
  callsOf(kind: CallKind): ResearchCall[] {
    return this.calls.filter((call) => kindOf(call) === kind);
  }

  private async ask(call: ResearchCall): Promise<ResearchAnswer> {
    const kind = kindOf(call);
    const nth = this.counts.get(kind) ?? 0;
    this.counts.set(kind, nth + 1);
    this.calls.push(call);
    const promptTokens = measureRequest(call.messages).tokens;
    if (promptTokens > (this.planned.get(`${call.role} ${call.maxTokens}`) ?? 0))
      this.unreserved.push(call);
    const most = this.model.most({ role: call.role, promptTokens, maxTokens: call.maxTokens });
    // a page and its notes are one step
    const steps = kind === 'notes' ? 0 : 1;
    return this.during(kind, call.signal, { ...most, steps }, async () => {
      const answer = (this.options.script?.[kind] ?? diligent[kind])(call, nth);
      if (answer instanceof Error) throw answer;
      if (call.onText) await this.stream(answer, call);
      const text = estimateTokens(answer);
      const wasted = (this.options.wasted?.() ?? 0) * Math.max(0, call.maxTokens - text);
      const completionTokens = Math.floor(Math.min(call.maxTokens, text + wasted));
      const tokens = promptTokens + completionTokens;
      const { costUsd } = this.model.most({
        role: call.role,
        promptTokens,
        maxTokens: completionTokens,
      });
      return [
        { text: answer, promptTokens, completionTokens, costUsd },
        { tokens, costUsd, steps },
      ];
    });
  }

  private async stream(text: string, { onText, signal }: ResearchCall): Promise<void> {
    for (const part of text.match(/[^]{1,40}/g) ?? []) {
      await this.clock.wait(
        this.options.duration?.('delta') ?? 1,
        signal,
        this.options.isDeaf?.('answer'),
      );
      onText?.(part);
    }
  }

  private search(query: string, signal: AbortSignal): ReturnType<ResearchWeb['search']> {
    this.searches.push(query);
    const costUsd = this.web.searchPriceUsd;
    const use = { steps: 1, tokens: 0, costUsd };
    const found = (): SearchResult[] =>
      this.options.results?.(query) ??
      Array.from({ length: this.options.resultsPerSearch ?? 5 }, (_, index) =>
        resultOf(query, index),
      );
    return this.during('search', signal, use, async () => [{ results: found(), costUsd }, use]);
  }

  private read(url: string, signal: AbortSignal): ReturnType<ResearchWeb['read']> {
    this.reads.push(url);
    const use = { steps: 1, tokens: 0, costUsd: 0 };
    return this.during('read', signal, use, async () => {
      const page = this.options.page?.(url) ?? pageOf(url);
      const fetchedAt = new Date(this.clock.wallClock()).toISOString();
      return [{ ...page, url, publishedAt: null, fetchedAt, isTruncated: false }, use];
    });
  }

  private async during<T>(
    what: string,
    signal: AbortSignal,
    most: { steps: number; tokens: number; costUsd: number | null },
    work: () => Promise<[T, typeof most]>,
  ): Promise<T> {
    this.add(most, 1);
    this.maxAtOnce = Math.max(this.maxAtOnce, ++this.atOnce);
    try {
      await this.clock.wait(
        this.options.duration?.(what) ?? 100,
        signal,
        this.options.isDeaf?.(what),
      );
      if (this.options.fails?.(what)) throw new Error(`the ${what} failed`);
      const [result, actual] = await work();
      this.add(most, -1);
      this.add(actual, 1);
      return result;
    } finally {
      this.atOnce--;
    }
  }

  private add(
    { steps, tokens, costUsd }: { steps: number; tokens: number; costUsd: number | null },
    sign: 1 | -1,
  ): void {
    this.used.steps += sign * steps;
    this.used.tokens += sign * tokens;
    this.used.costUsd += sign * (costUsd ?? 0);
    this.peak.steps = Math.max(this.peak.steps, this.used.steps);
    this.peak.tokens = Math.max(this.peak.tokens, this.used.tokens);
    this.peak.costUsd = Math.max(this.peak.costUsd, this.used.costUsd);
  }
}

const slugOf = (query: string): string => query.replace(/\W+/g, '-');

function resultOf(query: string, index: number): SearchResult {
  return {
    title: `${query} ${index}`,
    url: `https://site${index}.example/${slugOf(query)}`,
    snippet: `A page about ${query}.`,
    publishedAt: '2026-01-02',
    engine: 'searxng',
  };
}

/** A page with facts of its own. */
function pageOf(url: string): { title: string; text: string } {
  const about = url.replace(/^https:\/\//, '').replace(/\W+/g, ' ');
  const filler = 'People met at the market and talked about the weather of the week. '.repeat(20);
  const facts = ['height', 'builder', 'year'].map(
    (what) => `FACT The ${what} of the tower by ${about} is known`,
  );
  return { title: `About ${about}`, text: `${filler}\n\n${facts.join('\n\n')}\n\n${filler}` };
}

/** A page that fills what a reader may receive. */
export function longPageOf(url: string): { title: string; text: string } {
  const { title, text } = pageOf(url);
  const more = Array.from({ length: 400 }, (_, n) => `The tower has a history of ${n} builders.`);
  return { title, text: `${text}\n\n${more.join('\n\n')}` };
}

/** A budget that ends nothing. */
export const ample: ResearchBudget = {
  maxSteps: 500,
  maxSeconds: 10_000,
  maxCostUsd: 100,
  maxTokens: 50_000_000,
};

type RunWorld = Pick<ScriptedWorld, 'model' | 'web' | 'clock'>;

/** A run under way, and what it told. */
export interface StartedRun<W extends RunWorld = ScriptedWorld> {
  readonly world: W;
  readonly outcome: Promise<ResearchOutcome>;
  /** As they were stored, in order. */
  readonly saved: ResearchNotes[];
  readonly heard: string[];
  readonly progress: string[];
}

const question: ChatMessage[] = [
  { role: 'user', content: 'How high is the tower, and who built it when?' },
];

/** Starts a run in a world, whose time passes until the run is over. */
export function startRun<W extends RunWorld>(
  world: W,
  options: Partial<ResearchOptions> = {},
  messages: readonly ChatMessage[] = question,
): StartedRun<W> {
  const saved: ResearchNotes[] = [];
  const heard: string[] = [];
  const progress: string[] = [];
  const work = runResearch(
    messages,
    { model: world.model, web: world.web, clock: world.clock },
    {
      budget: ample,
      effort: 'medium',
      signal: new AbortController().signal,
      onText: (delta) => heard.push(delta),
      onProgress: ({ message }) => progress.push(message),
      saveNotes: async (notes) =>
        void saved.push(JSON.parse(JSON.stringify(notes)) as ResearchNotes),
      ...options,
    },
  );
  return { world, outcome: world.clock.drive(work), saved, heard, progress };
}
