import { exactJson } from '../../text/exact-json.js';
import type { CohereAnswer, CohereCitation, CohereEvent, CohereUsage } from './answer.js';

interface V1ToolCall {
  name?: string;
  parameters?: Record<string, unknown>;
}

/** The body of an answer of the older `/v1/chat`; its streams end with one. */
export interface CohereV1Answer {
  text?: string;
  generation_id?: string;
  finish_reason?: string;
  tool_calls?: V1ToolCall[] | null;
  citations?: { document_ids?: string[]; [field: string]: unknown }[] | null;
  documents?: { id?: string; [field: string]: unknown }[] | null;
  meta?: CohereUsage;
}

/** One event of a stream of `/v1/chat`. */
export interface CohereV1Event {
  event_type: string;
  generation_id?: string;
  text?: string;
  tool_call_delta?: { index?: number; name?: string; parameters?: string };
  tool_calls?: V1ToolCall[];
  finish_reason?: string;
  response?: CohereV1Answer;
}

/**
 * Translates an answer of the older API into the newer format. Its calls have no ids; they get the
 * answer's id with a number.
 */
export function answerFromV1(answer: CohereV1Answer): CohereAnswer {
  const calls = answer.tool_calls ?? [];
  return {
    id: answer.generation_id,
    message: {
      // text beside calls is the plan for them
      ...(calls.length > 0
        ? { tool_plan: answer.text }
        : { content: [{ type: 'text', text: answer.text ?? '' }] }),
      tool_calls: calls.map((call, index) => ({
        id: callId(answer.generation_id, index),
        function: { name: call.name ?? '', arguments: exactJson(call.parameters ?? {}) },
      })),
      citations: citationsFromV1(answer),
    },
    finish_reason: endReason(answer.finish_reason, calls.length),
    usage: answer.meta,
  };
}

/** The older API sends COMPLETE after calls too. */
const endReason = (reason: string | undefined, calls: number): string =>
  reason === undefined || reason === 'COMPLETE' ? (calls > 0 ? 'TOOL_CALL' : 'COMPLETE') : reason;

const callId = (generationId: string | undefined, index: number): string =>
  `call_${generationId ?? 'cohere'}_${index}`;

function citationsFromV1(answer: CohereV1Answer): CohereCitation[] {
  const documents = new Map((answer.documents ?? []).map((document) => [document.id, document]));
  return (answer.citations ?? []).map(({ document_ids: ids, ...citation }) => ({
    ...citation,
    sources: (ids ?? []).map((id) => ({ id, document: documents.get(id) })),
  }));
}

/** Translates the events of one stream of the older API into the newer format. */
export class CohereV1Events {
  private generationId: string | undefined;
  private readonly started = new Set<number>();

  read(event: CohereV1Event): CohereEvent[] {
    switch (event.event_type) {
      case 'stream-start':
        this.generationId = event.generation_id;
        return [{ type: 'message-start', id: event.generation_id }];
      case 'text-generation':
        return [{ type: 'content-delta', delta: { message: { content: { text: event.text } } } }];
      case 'tool-calls-chunk':
        return this.callPiece(event);
      case 'tool-calls-generation':
        return (event.tool_calls ?? []).flatMap((call, index) => this.wholeCall(call, index));
      case 'stream-end':
        return this.end(event);
      default:
        return [];
    }
  }

  private callPiece(event: CohereV1Event): CohereEvent[] {
    if (event.text)
      return [{ type: 'tool-plan-delta', delta: { message: { tool_plan: event.text } } }];
    const { index = 0, name, parameters } = event.tool_call_delta ?? {};
    if (name !== undefined) return [this.start(index, name, '')];
    return parameters === undefined
      ? []
      : [
          {
            type: 'tool-call-delta',
            index,
            delta: { message: { tool_calls: { function: { arguments: parameters } } } },
          },
        ];
  }

  /** Whole calls follow their pieces, or arrive without pieces. */
  private wholeCall(call: V1ToolCall, index: number): CohereEvent[] {
    const opening = this.started.has(index)
      ? []
      : [this.start(index, call.name ?? '', exactJson(call.parameters ?? {}))];
    return [...opening, { type: 'tool-call-end', index }];
  }

  private start(index: number, name: string, args: string): CohereEvent {
    this.started.add(index);
    return {
      type: 'tool-call-start',
      index,
      delta: {
        message: {
          tool_calls: { id: callId(this.generationId, index), function: { name, arguments: args } },
        },
      },
    };
  }

  private end(event: CohereV1Event): CohereEvent[] {
    const response = event.response ?? {};
    const reason = event.finish_reason ?? response.finish_reason;
    return [
      ...citationsFromV1(response).map((citation): CohereEvent => ({
        type: 'citation-start',
        delta: { message: { citations: citation } },
      })),
      {
        type: 'message-end',
        delta: { finish_reason: endReason(reason, this.started.size), usage: response.meta },
      },
    ];
  }
}
