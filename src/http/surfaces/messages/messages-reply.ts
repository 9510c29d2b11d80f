import { unescapeJson } from '../../../completion.js';
import { chunksOf } from '../../../completion-builder.js';
import type { FinishedAnswer } from '../../../pipeline/completion-call.js';
import type {
  AnswerGrounding,
  GroundingProgress,
} from '../../../pipeline/grounding/grounding-call.js';
import { WholeAnswer } from '../../../pipeline/whole-answer.js';
import { parseExactJson } from '../../../text/exact-json.js';
import { isObject } from '../../../text/is-object.js';
import { parsedJson } from '../../../text/json-values.js';
import { sendJson } from '../../send-json.js';
import type { AnsweredCall } from '../surface.js';
import { AnswerBlocks, type BlockSink } from './answer-blocks.js';
import { messagesUsage, newMessage, sendDropped, stopOf } from './message.js';
import { stopSequenceOf } from './messages-stream.js';

/**
 * An answer as Anthropic's message: that of a provider that speaks Messages as it comes, of any
 * other made from what it says.
 */
export class MessagesReply extends WholeAnswer {
  override readonly dialect = 'messages';
  private searches = 0;
  private readonly told: GroundingProgress[] = [];

  constructor(private readonly answered: AnsweredCall) {
    super();
  }

  progress(progress: GroundingProgress): void {
    this.told.push(progress);
  }

  grounded({ report }: AnswerGrounding): void {
    this.searches = report.searches;
  }

  finish(answer: FinishedAnswer): void {
    const { res } = this.answered;
    if (!this.body) sendDropped(this.answered, answer.candidate);
    sendJson(res, 200, this.body ?? this.translated(answer));
    this.release();
  }

  private translated(answer: FinishedAnswer): object {
    const completion = this.completion(answer);
    const list = new BlockList();
    const blocks = new AnswerBlocks(list);
    for (const progress of this.told) blocks.progress(progress);
    for (const chunk of chunksOf(completion)) blocks.chunk(chunk);
    blocks.end();
    return {
      ...newMessage(completion.model),
      content: list.blocks,
      ...stopOf(answer.finishReason, blocks.hasCalls, stopSequenceOf(completion)),
      usage: messagesUsage(answer.usage, this.searches),
    };
  }
}

type BlockDelta = Readonly<Record<string, unknown>>;

/** Puts the pieces of each block together. */
class BlockList implements BlockSink {
  readonly blocks: Record<string, unknown>[] = [];
  private json = '';

  start(_index: number, block: object): void {
    this.blocks.push({ ...block });
    this.json = '';
  }

  text(index: number, escaped: string): void {
    this.append(index, 'text', unescapeJson(escaped));
  }

  delta(index: number, delta: BlockDelta): void {
    const block = this.blocks[index];
    if (!block) return;
    if (delta['type'] === 'input_json_delta') this.json += String(delta['partial_json']);
    else if (delta['type'] === 'thinking_delta') this.append(index, 'thinking', delta['thinking']);
    else if (delta['type'] === 'signature_delta') block['signature'] = delta['signature'];
    else if (delta['type'] === 'citations_delta')
      block['citations'] = [
        ...((block['citations'] as unknown[] | undefined) ?? []),
        delta['citation'],
      ];
  }

  stop(index: number): void {
    const block = this.blocks[index];
    if (!block || this.json === '') return;
    const input = parsedJson(this.json, parseExactJson);
    // a call that was cut off
    block['input'] = isObject(input) ? input : { invalid_arguments: this.json };
    this.json = '';
  }

  private append(index: number, field: string, text: unknown): void {
    const block = this.blocks[index];
    if (block) block[field] = String(block[field]) + String(text);
  }
}
