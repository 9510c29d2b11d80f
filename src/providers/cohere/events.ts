import { StringDecoder } from 'node:string_decoder';
import {
  type ChunkDelta,
  type CompletionSink,
  type EventReader,
  escapeJson,
} from '../../completion.js';
import { cutShort, providerFailure, unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import { sseReader } from '../sse-reader.js';
import {
  citationFields,
  cohereArguments,
  type CohereContent,
  type CohereEvent,
  cohereFinishReason,
  type CohereLogprob,
  cohereLogprobs,
  type CohereToolCall,
  cohereUsage,
} from './answer.js';
import { type CohereV1Event, CohereV1Events } from './v1.js';

const firstOf = <T>(value: T | T[] | undefined): T | undefined =>
  Array.isArray(value) ? value[0] : value;

/**
 * Reads a stream of Cohere's: server-sent events, or the older API's lines of JSON. The first
 * character tells which.
 */
export function cohereEvents(sink: CompletionSink, provider: string, model: string): EventReader {
  const events = new CohereEventReader(sink, provider, model);
  let reader: EventReader | null = null;
  const open = (lines: boolean): EventReader =>
    lines
      ? lineReader(
          (line) => events.read(line),
          () => events.close(),
        )
      : sseReader(
          (_name, payload) => events.read(payload),
          () => events.close(),
        );
  return {
    push(bytes) {
      if (reader === null) {
        const first = bytes.toString('latin1').trimStart()[0];
        if (first === undefined) return;
        reader = open(first === '{');
      }
      reader.push(bytes);
    },
    close: () => (reader ?? open(false)).close(),
  };
}

function lineReader(onLine: (line: string) => void, onClose: () => void): EventReader {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    push(bytes) {
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    },
    close() {
      onLine(rest + decoder.end());
      onClose();
    },
  };
}

class CohereEventReader {
  private isEnded = false;
  private id: string | undefined;
  private readonly created = Math.floor(Date.now() / 1000);
  private readonly v1Events = new CohereV1Events();
  /** For each open call, whether arguments have arrived. */
  private readonly hasArguments = new Map<number, boolean>();

  constructor(
    private readonly sink: CompletionSink,
    private readonly provider: string,
    private readonly model: string,
  ) {}

  read(payload: string): void {
    if (this.isEnded || payload.trim() === '' || payload === '[DONE]') return;
    const event = parseJson(payload) as CohereEvent | CohereV1Event | { message?: unknown } | null;
    if (typeof event !== 'object' || event === null)
      throw unreadable(this.provider, 'an event is not JSON');
    if ('event_type' in event) for (const newer of this.v1Events.read(event)) this.event(newer);
    else if ('type' in event) this.event(event);
    else if (typeof event.message === 'string')
      throw providerFailure({ provider: this.provider, status: 500, reason: event.message });
  }

  close(): void {
    if (!this.isEnded) throw cutShort(this.provider);
  }

  private event(event: CohereEvent): void {
    const message = event.delta?.message;
    switch (event.type) {
      case 'message-start':
        this.id = event.id;
        this.pass({ role: 'assistant', content: '' });
        break;
      case 'content-start':
      case 'content-delta':
        this.content(message?.content ?? {}, event.logprobs);
        break;
      case 'tool-plan-delta':
        if (message?.tool_plan) this.pass({ reasoning_content: message.tool_plan });
        break;
      case 'tool-call-start':
        this.callStart(event.index ?? 0, firstOf(message?.tool_calls) ?? {});
        break;
      case 'tool-call-delta':
        this.callPiece(event.index ?? 0, firstOf(message?.tool_calls)?.function?.arguments ?? '');
        break;
      case 'tool-call-end':
        // clients parse the arguments as JSON, which an empty text is not
        if (this.hasArguments.get(event.index ?? 0) === false)
          this.callPiece(event.index ?? 0, '{}');
        break;
      case 'citation-start': {
        const citation = firstOf(message?.citations);
        if (citation) this.pass(citationFields([citation]));
        break;
      }
      case 'message-end':
        this.end(event.delta ?? {});
    }
  }

  private content(content: CohereContent, logprobs: CohereLogprob | null | undefined): void {
    if (content.thinking) this.pass({ reasoning_content: content.thinking });
    if (!content.text) return;
    if (logprobs) this.pass({ content: content.text }, { logprobs: cohereLogprobs([logprobs]) });
    else this.sink.text(escapeJson(content.text), null);
  }

  private callStart(index: number, call: CohereToolCall): void {
    const given = call.function?.arguments ?? '';
    const args = given === '' ? '' : cohereArguments(given);
    this.hasArguments.set(index, args !== '');
    this.pass({
      tool_calls: [
        {
          index,
          id: call.id ?? `call_${index}`,
          type: 'function',
          function: { name: call.function?.name ?? '', arguments: args },
        },
      ],
    });
  }

  private callPiece(index: number, args: string): void {
    if (args === '') return;
    const piece = this.hasArguments.get(index) === false ? cohereArguments(args) : args;
    this.hasArguments.set(index, true);
    this.pass({ tool_calls: [{ index, function: { arguments: piece } }] });
  }

  private end(delta: NonNullable<CohereEvent['delta']>): void {
    const finishReason = cohereFinishReason(this.provider, delta.finish_reason, delta.error);
    this.isEnded = true;
    this.pass({}, { finish_reason: finishReason });
    this.sink.end(finishReason, cohereUsage(delta.usage));
  }

  private pass(
    delta: ChunkDelta,
    more: { logprobs?: unknown; finish_reason?: string | null } = {},
  ): void {
    this.sink.chunk(
      {
        id: this.id,
        object: 'chat.completion.chunk',
        created: this.created,
        model: this.model,
        choices: [{ index: 0, delta, finish_reason: null, ...more }],
      },
      null,
    );
  }
}
