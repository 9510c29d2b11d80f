import type { Schema } from '../../api/schema.js';
import type { Citation, ShownSource } from './answer-parts.js';

/** A chunk of a streamed answer. */
export type Chunk = Schema<'CompletionsChunk'>;
/** Why a model was chosen, and what was predicted of each candidate. */
export type Decision = Schema<'CompletionsResponseDecision'>;
/** One failed attempt. */
export type TraceEntry = Schema<'CompletionsResponseErrorTrace'>[number];
/** A call of a tool that the client runs. */
export type ToolCall = Schema<'ChatCompletionsRequestFunctionCall'>;

/** Something that the gateway did before or between parts of an answer. */
export interface Work {
  /** Of tools, the call; otherwise what is done with what: equal ones are the same work. */
  readonly key: string;
  readonly kind: 'progress' | 'tool';
  /** `search`, `read`, a phase of research, or the status of a tool. */
  readonly phase: string;
  readonly detail: string;
  /** In ms, of tools that have ended. */
  readonly latency: number | null;
}

/** What went wrong, in the gateway's or the provider's words. */
export interface Failed {
  readonly message: string;
  readonly trace: readonly TraceEntry[];
}

/** How a rating ended: it teaches the router. */
export type Rating = 'good' | 'bad' | null;

/** An answer as far as it has come. */
export interface Answer {
  readonly state: 'waiting' | 'growing' | 'done' | 'stopped' | 'failed';
  readonly text: string;
  readonly reasoning: string;
  readonly provider: string;
  readonly model: string;
  /** By which it is rated and stored; null: not known yet, or never. */
  readonly responseId: string | null;
  readonly requestId: string | null;
  readonly decision: Decision | null;
  readonly work: readonly Work[];
  readonly sources: readonly ShownSource[];
  readonly citations: readonly Citation[];
  readonly toolCalls: readonly ToolCall[];
  readonly reasoningDetails: readonly unknown[];
  readonly figures: Figures | null;
  /** When a stored answer was written, in ms; null: it is of this visit. */
  readonly at: number | null;
  readonly trace: readonly TraceEntry[];
  readonly warnings: readonly string[];
  readonly failed: Failed | null;
  readonly rating: Rating;
}

/** What an answer came to. Times in ms; null: unknown. */
export interface Figures {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly costUsd: number | null;
  readonly latency: number | null;
  readonly ttft: number | null;
  readonly isEstimated: boolean;
  readonly grounding: Schema<'CompletionsResponseGrounding'> | null;
}

/** An answer of which nothing has come. */
export const emptyAnswer: Answer = {
  state: 'waiting',
  text: '',
  reasoning: '',
  provider: '',
  model: '',
  responseId: null,
  requestId: null,
  decision: null,
  work: [],
  sources: [],
  citations: [],
  toolCalls: [],
  reasoningDetails: [],
  figures: null,
  at: null,
  trace: [],
  warnings: [],
  failed: null,
  rating: null,
};

/** The answer with one more chunk. */
export function withChunk(answer: Answer, chunk: Chunk): Answer {
  const { provider, model } = chunk;
  const named = { ...answer, provider, model, responseId: chunk.responseMessageId };
  switch (chunk.type) {
    case 'plan':
      return { ...named, decision: chunk.decision ?? null };
    case 'progress':
    case 'tool':
      return { ...named, work: withWork(answer.work, workOf(chunk)) };
    case 'source':
      return { ...named, sources: withSource(answer.sources, chunk.source) };
    case 'reasoning':
      return { ...named, state: 'growing', reasoning: answer.reasoning + chunk.text };
    case 'text':
      if (chunk.usage) return withEnd(named, chunk);
      return { ...named, state: 'growing', text: answer.text + chunk.text };
    default:
      return named;
  }
}

function workOf({ type, phase, detail, tool, toolkit, callId, status, ...chunk }: Chunk): Work {
  if (type === 'tool')
    return {
      key: `tool ${callId ?? ''}`,
      kind: 'tool',
      phase: status ?? 'running',
      detail: `${toolkit ?? ''} · ${withoutPrefix(tool ?? '', toolkit ?? '')}`,
      latency: chunk.latency ?? null,
    };
  const questions = chunk.questions?.join(' · ');
  const shown = questions ? `${detail ?? ''} ${questions}` : (detail ?? '');
  return {
    key: `${phase ?? ''} ${shown}`,
    kind: 'progress',
    phase: phase ?? '',
    detail: shown,
    latency: null,
  };
}

/** Models know a toolkit's tools as `<toolkit>__<tool>`. */
const withoutPrefix = (tool: string, toolkit: string): string =>
  tool.startsWith(`${toolkit}__`) ? tool.slice(toolkit.length + 2) : tool;

/** The end of a tool's call takes the place of its beginning; ids of calls may come again. */
function withWork(work: readonly Work[], one: Work): readonly Work[] {
  const place = work.findLastIndex(
    ({ key, kind, phase }) => key === one.key && (kind === 'progress' || phase === 'running'),
  );
  return place < 0 ? [...work, one] : work.with(place, one);
}

function withSource(
  sources: readonly ShownSource[],
  found: Chunk['source'],
): readonly ShownSource[] {
  const source = found as ShownSource | undefined;
  return source && !sources.some(({ id }) => id === source.id) ? [...sources, source] : sources;
}

function withEnd(answer: Answer, chunk: Chunk): Answer {
  const { message, usage, errorTrace, warnings, decision } = chunk;
  return {
    ...answer,
    state: 'done',
    text: answer.text + chunk.text,
    decision: decision ?? answer.decision,
    sources: message.sources ?? [],
    citations: message.citations ?? [],
    toolCalls: message.tool_calls ?? [],
    reasoningDetails: message.reasoning_details ?? [],
    trace: errorTrace ?? [],
    warnings: (warnings ?? []).map(({ field, message: said }) => `${field}: ${said}`),
    figures: {
      promptTokens: usage?.promptTokens ?? null,
      completionTokens: usage?.completionTokens ?? null,
      costUsd: usage?.costs.total_tokens_cost ?? null,
      latency: chunk.latency ?? null,
      ttft: chunk.ttft ?? null,
      isEstimated: usage?.estimated === true,
      grounding: chunk.grounding ?? null,
    },
  };
}

/** The answer as it ends when its reader stops it, or it fails. */
export const withFailure = (answer: Answer, failed: Failed): Answer => ({
  ...answer,
  state: 'failed',
  failed,
});

/** Whether something may still come. */
export const isOpen = ({ state }: Answer): boolean => state === 'waiting' || state === 'growing';

/** Whether the answer can stand in the history of the next request. */
export const isUsable = ({ state, text, toolCalls }: Answer): boolean =>
  (state === 'done' || state === 'stopped') && (text !== '' || toolCalls.length > 0);

/** An answer, and the results that its reader gave to its calls of tools. */
export interface Step {
  readonly answer: Answer;
  /** By the call's id; null: not given. */
  readonly results: Readonly<Record<string, string>> | null;
}

/** What a person asked, and what each lane made of it. */
export interface Turn {
  readonly text: string;
  /** As `data:` addresses. */
  readonly pictures: readonly string[];
  /** By lane: the answers, each after the results of the tools that the one before called. */
  readonly lanes: readonly (readonly Step[])[];
}
