import type { Candidate } from '../../../chooser/plan.js';
import { type CompletionChunk, type EventsEnd, makeUsage } from '../../../completion.js';
import type { BrokenAnswer, FinishedAnswer } from '../../../pipeline/completion-call.js';
import type {
  AnswerGrounding,
  GroundingProgress,
} from '../../../pipeline/grounding/grounding-call.js';
import type { EventStream } from '../../connections/event-stream.js';
import { byteJson, StreamedAnswer } from '../streamed-answer.js';
import type { AnsweredCall } from '../surface.js';
import { AnswerBlocks } from './answer-blocks.js';
import { messagesErrorBody } from './errors.js';
import { messagesUsage, newMessage, notStopped, sendDropped, stopOf } from './message.js';

/**
 * An answer as Anthropic's events: those of a provider that speaks Messages as they come, of any
 * other made from what it says.
 */
export class MessagesStream extends StreamedAnswer {
  override readonly dialect = 'messages';
  private readonly blocks = new AnswerBlocks({
    start: (index, block) => this.send('content_block_start', { index, content_block: block }),
    text: (index, escaped) => this.sendText(index, escaped),
    delta: (index, delta) => this.send('content_block_delta', { index, delta }),
    stop: (index) => this.send('content_block_stop', { index }),
  });
  private model: string;
  private isStarted = false;
  private candidate: Candidate | undefined;
  private textIndex = -1;
  private textHead = '';
  private stopSequence: string | null = null;
  private searches = 0;

  constructor(
    private readonly answered: AnsweredCall,
    stream: EventStream,
  ) {
    super(stream);
    this.model = answered.request.plan?.candidates[0].model ?? '';
  }

  begin(candidate: Candidate): void {
    this.candidate = candidate;
    this.model = candidate.model;
  }

  event(name: string | undefined, data: string | EventsEnd): void {
    if (typeof data !== 'string') {
      this.goOn(data);
      return;
    }
    this.isForwarded = true;
    this.stream.event(name ?? /"type"\s*:\s*"(\w+)"/.exec(data)?.[1] ?? 'message', data);
  }

  private goOn(end: EventsEnd): void {
    const unended = this.blocks.follow(end);
    this.isForwarded = false;
    this.isStarted ||= end.hasBegun;
    if (unended !== null) this.send('content_block_stop', { index: unended });
  }

  text(escaped: string): void {
    this.open();
    this.blocks.text(escaped);
  }

  chunk(chunk: CompletionChunk): void {
    if (chunk.model && !this.isStarted) this.model = chunk.model;
    this.stopSequence ??= stopSequenceOf(chunk);
    // a role alone opens nothing
    if (!this.isForwarded && !this.isStarted && chunk.choices.every(({ delta }) => isEmpty(delta)))
      return;
    this.open();
    this.blocks.chunk(chunk);
  }

  progress(progress: GroundingProgress): void {
    if (progress.type === 'tool' || progress.type === 'source') return;
    this.open();
    this.blocks.progress(progress);
    this.stream.flush();
  }

  grounded(grounding: AnswerGrounding): void {
    this.searches = grounding.report.searches;
  }

  finish({ finishReason, usage }: FinishedAnswer): void {
    if (!this.isForwarded) {
      this.open();
      this.blocks.end();
      this.send('message_delta', {
        delta: stopOf(finishReason, this.blocks.hasCalls, this.stopSequence),
        usage: messagesUsage(usage, this.searches),
      });
      this.send('message_stop', {});
    }
    this.stream.end();
  }

  /** Anthropic's clients raise an error for this event; `message_stop` must not follow. */
  breakOff({ error, requestId }: BrokenAnswer): void {
    this.stream.event('error', byteJson(messagesErrorBody(error, requestId)));
    this.stream.end();
  }

  private open(): void {
    if (this.isStarted || this.isForwarded) return;
    this.isStarted = true;
    sendDropped(this.answered, this.candidate);
    const message = {
      ...newMessage(this.model),
      content: [],
      ...notStopped,
      // about: the true figure is in `message_delta`; and some clients add the output to that there
      usage: messagesUsage(
        makeUsage({ promptTokens: this.answered.request.plan?.promptTokens }),
        0,
      ),
    };
    this.send('message_start', { message });
    this.send('ping', {});
  }

  private send(type: string, fields: object): void {
    if (this.isForwarded) return;
    this.stream.event(type, byteJson({ type, ...fields }));
  }

  private sendText(index: number, escaped: string): void {
    if (this.isForwarded) return;
    if (this.textIndex !== index) {
      this.textIndex = index;
      this.textHead = `{"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":"`;
    }
    this.stream.event('content_block_delta', `${this.textHead}${escaped}"}}`);
  }
}

const isEmpty = ({ role: _role, ...delta }: Readonly<Record<string, unknown>>): boolean =>
  Object.values(delta).every((value) => !value);

interface EndedChoice {
  readonly finish_reason?: string | null;
  readonly [field: string]: unknown;
}

/** vLLM, SGLang, Anthropic and Claude at Bedrock name the text at which they stopped. */
export function stopSequenceOf({
  choices: [choice],
}: {
  readonly choices: readonly EndedChoice[];
}): string | null {
  if (choice?.finish_reason !== 'stop') return null;
  const reason = choice['stop_reason'] ?? choice['matched_stop'];
  return typeof reason === 'string' && reason !== '' ? reason : null;
}
