import type { CompletionChunk, EventsEnd } from '../../../completion.js';
import type { ResponseTurn } from '../../../conversations/response-keeper.js';
import type { GatewayError } from '../../../errors.js';
import type { Candidate } from '../../../chooser/plan.js';
import type { BrokenAnswer, FinishedAnswer } from '../../../pipeline/completion-call.js';
import type { GroundingProgress } from '../../../pipeline/grounding/grounding-call.js';
import type { EventStream } from '../../connections/event-stream.js';
import { jsonFields, parsedJson } from '../../../text/json-values.js';
import { byteJson, StreamedAnswer } from '../streamed-answer.js';
import type { Json } from '../../../text/is-object.js';
import { type Envelope, itemStatus } from './envelope.js';
import type { EventSink } from './output-items.js';

/** Events that contain the whole response; one in a text would be escaped. */
const envelopeEvent =
  /"type"\s*:\s*"(response\.(?:created|queued|in_progress|completed|incomplete))"/;
const isEnd = (type: string): boolean =>
  type === 'response.completed' || type === 'response.incomplete';

/**
 * An answer as events of the Responses dialect. Those of a provider with this dialect are forwarded
 * as they are, but for the ids of a turn that the gateway keeps.
 */
export class ResponsesStream extends StreamedAnswer implements EventSink {
  override readonly dialect = 'responses';
  private readonly items: ReturnType<Envelope['items']>;
  private model: string;
  private sequence = 0;
  private hasStarted = false;
  /** The provider's own event that told the client of the response. */
  private begun: string | null = null;
  /** Its last event, held back until the turn is kept. */
  private last: { name: string; response: Json; bytes: string } | null = null;

  constructor(
    stream: EventStream,
    private readonly turn: ResponseTurn,
    private readonly envelope: Envelope,
    model: string,
  ) {
    super(stream);
    this.items = envelope.items(this);
    this.model = model;
  }

  begin(candidate: Candidate): void {
    this.envelope.candidate = candidate;
    if (!this.hasStarted) this.model = candidate.model;
  }

  emit(type: string, fields: object): void {
    if (this.isForwarded) return;
    this.send(type, byteJson({ type, sequence_number: this.sequence, ...fields }));
  }

  delta(type: string, head: string, escaped: string, logprobs?: readonly unknown[]): void {
    if (this.isForwarded) return;
    const tail = logprobs
      ? `","logprobs":${logprobs.length > 0 ? byteJson(logprobs) : '[]'}}`
      : '"}';
    this.send(
      type,
      `{"type":"${type}","sequence_number":${this.sequence},${head},"delta":"${escaped}${tail}`,
    );
  }

  text(escaped: string): void {
    this.start();
    this.items.text(escaped);
  }

  chunk(chunk: CompletionChunk): void {
    if (!this.hasStarted) this.model = chunk.model ?? this.model;
    this.start();
    this.items.chunk(chunk);
  }

  /** Searches are shown where the client asked for its tool. */
  progress(progress: GroundingProgress): void {
    const { type } = progress;
    if (type === 'tool' || type === 'source' || !this.envelope.hasSearchTool) return;
    this.start();
    if ('progress' in this.items) this.items.progress(progress);
    this.flush();
  }

  /** An agent repeats a request that fails with 5xx many times, but not one that fails in here. */
  failsInside({ status, code }: GatewayError): boolean {
    return status >= 500 || code === 'rate_limited' || code === 'quota_exhausted';
  }

  async storeTurn(answer: FinishedAnswer): Promise<boolean | null> {
    if (!this.isForwarded) {
      this.start();
      this.items.end(itemStatus(answer.finishReason));
      const response = this.envelope.ended(this.model, this.items.output, answer);
      const type = `response.${String(response['status'])}`;
      const bytes = byteJson({ type, sequence_number: this.sequence, response });
      this.last = { name: type, response, bytes };
    }
    // what has come of the answer need not wait for the database
    this.flush();
    return this.turn.stores && this.last ? this.turn.keep(this.last.response) : null;
  }

  finish(): void {
    const { last } = this;
    if (last) this.send(last.name, last.bytes);
    this.stream.end();
  }

  breakOff({ error }: BrokenAnswer): void {
    this.followBegun();
    this.start();
    // a summary that is not whole is none
    if (!this.turn.seal) this.items.end('incomplete');
    this.isForwarded = false;
    const response = this.envelope.failed(this.model, this.items.output, error);
    this.emit('response.failed', { response });
    this.stream.end();
  }

  private start(): void {
    if (this.hasStarted || this.isForwarded) return;
    this.hasStarted = true;
    const response = this.envelope.begun(this.model);
    this.emit('response.created', { response });
    this.emit('response.in_progress', { response });
  }

  /** A provider's own event. */
  event(name: string | undefined, data: string | EventsEnd): void {
    if (typeof data !== 'string') {
      this.followBegun();
      if ('follow' in this.items) this.items.follow(data);
      this.isForwarded = false;
      this.hasStarted ||= data.hasBegun;
      return;
    }
    this.isForwarded = true;
    const type = name?.endsWith('.delta') ? undefined : envelopeEvent.exec(data)?.[1];
    if (type === undefined) {
      this.send(name, data);
      return;
    }
    // what is not kept is sent as it came, and read only where others end it
    const { response, bytes } = this.turn.stores ? this.owned(data) : { response: {}, bytes: data };
    if (isEnd(type)) this.last = { name: type, response, bytes };
    else {
      this.begun = data;
      this.send(name, bytes);
    }
  }

  private owned(data: string): { response: Json; bytes: string } {
    const event = jsonFields(parsedJson(Buffer.from(data, 'latin1').toString('utf8')));
    const sent = jsonFields(event['response']);
    const response = this.turn.stores ? this.envelope.own(sent) : sent;
    return { response, bytes: byteJson({ ...event, response }) };
  }

  private followBegun(): void {
    if (this.begun !== null) this.envelope.follow(this.owned(this.begun).response);
  }

  private send(name: string | undefined, bytes: string): void {
    this.sequence++;
    if (name === undefined) this.stream.data(bytes);
    else this.stream.event(name, bytes);
  }
}
