import { StringDecoder } from 'node:string_decoder';
import type { CompletionSink, EventReader } from '../../completion.js';
import type { CompletionAnswer } from '../adapter.js';
import { AnswerChunks, collectAnswer, partsIn } from '../answer-chunks.js';
import { cutShort, providerFailure } from '../failure.js';
import { parseObject } from '../json.js';
import { objectsIn } from '../../text/is-object.js';
import { sseReader } from '../sse-reader.js';
import {
  citationFields,
  checkCohereReason,
  type CohereAnswer,
  type CohereContent,
  type CohereEvent,
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
          (name, payload) => events.read(payload, name),
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
  private readonly chunks: AnswerChunks;
  private readonly v1Events = new CohereV1Events();

  constructor(
    sink: CompletionSink,
    private readonly provider: string,
    model: string,
  ) {
    this.chunks = new AnswerChunks(sink, undefined, model);
  }

  /** Reads an answer that was not streamed. */
  whole({ id, message, finish_reason: reason, logprobs, usage }: CohereAnswer): void {
    const { content, tool_plan: plan, tool_calls: calls, citations } = message ?? {};
    this.chunks.id = id;
    if (plan) this.chunks.write({ reasoning_content: plan });
    for (const part of partsIn<CohereContent>(content)) this.content(part, null);
    if (logprobs?.length) this.chunks.write({}, { logprobs: cohereLogprobs(logprobs) });
    for (const [index, call] of objectsIn(calls).entries()) {
      this.callStart(index, call);
      this.chunks.endCall(index);
    }
    this.chunks.write(citationFields(objectsIn(citations)));
    this.end({ finish_reason: reason, usage });
  }

  /** @param name of the event, which says its type where the event itself does not */
  read(payload: string, name?: string): void {
    if (this.isEnded || payload.trim() === '' || payload === '[DONE]') return;
    const { provider } = this;
    const event = parseObject(provider, payload, 'an event') as {
      type?: string;
      message?: unknown;
    };
    if ('event_type' in event)
      for (const newer of this.v1Events.read(event as CohereV1Event)) this.event(newer);
    else if (/^(?:undefined|error)$/.test(String(event.type)) && typeof event.message === 'string')
      throw providerFailure({ provider, status: null, reason: event.message });
    else this.event({ ...event, type: event.type ?? name ?? '' });
  }

  close(): void {
    if (!this.isEnded) throw cutShort(this.provider);
  }

  private event(event: CohereEvent): void {
    const message = event.delta?.message;
    switch (event.type) {
      case 'message-start':
        this.chunks.id = event.id;
        this.chunks.write({ role: 'assistant', content: '' });
        break;
      case 'content-start':
      case 'content-delta':
        for (const part of partsIn<CohereContent>(message?.content))
          this.content(part, event.logprobs);
        break;
      case 'tool-plan-delta':
        if (message?.tool_plan) this.chunks.write({ reasoning_content: message.tool_plan });
        break;
      case 'tool-call-start':
        this.callStart(event.index ?? 0, firstOf(message?.tool_calls) ?? {});
        break;
      case 'tool-call-delta':
        this.chunks.addArguments(
          event.index ?? 0,
          firstOf(message?.tool_calls)?.function?.arguments,
        );
        break;
      case 'tool-call-end':
        this.chunks.endCall(event.index ?? 0);
        break;
      case 'citation-start': {
        const citation = firstOf(message?.citations);
        if (citation) this.chunks.write(citationFields([citation]));
        break;
      }
      case 'message-end':
        this.end(event.delta ?? {});
    }
  }

  private content(content: CohereContent, logprobs: CohereLogprob | null | undefined): void {
    if (content.thinking) this.chunks.write({ reasoning_content: content.thinking });
    this.chunks.text(content.text, logprobs ? cohereLogprobs([logprobs]) : undefined);
  }

  private callStart(index: number, { id, function: called }: CohereToolCall): void {
    this.chunks.startCall(id, called?.name, called?.arguments, index);
  }

  private end(delta: NonNullable<CohereEvent['delta']>): void {
    checkCohereReason(this.provider, delta.finish_reason, delta.error);
    this.isEnded = true;
    this.chunks.end(this.provider, delta.finish_reason, cohereUsage(delta.usage));
  }
}

/** Translates a whole answer. @throws GatewayError if it ended in an error */
export function cohereCompletion(
  provider: string,
  answer: CohereAnswer,
  model: string,
): CompletionAnswer {
  const read = collectAnswer(
    (sink) => new CohereEventReader(sink, provider, model).whole(answer),
    model,
  );
  for (const { message } of read.completion.choices)
    if (!message.tool_calls) message.content ??= '';
  return read;
}
