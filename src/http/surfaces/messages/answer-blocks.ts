import { randomUUID } from 'node:crypto';
import {
  type ChunkDelta,
  type CompletionChunk,
  escapeJson,
  type EventsEnd,
  reasoningOf,
  searchDetailType,
  type ToolCallDelta,
  type UrlCitation,
} from '../../../completion.js';
import type { GroundingProgress, SearchFound } from '../../../pipeline/grounding/grounding-call.js';
import { isObject, textIn } from '../../../text/is-object.js';
import { parsedJson } from '../../../text/json-values.js';
import { sealReasoning } from '../foreign-reasoning.js';
import { callDetail } from './chat-messages.js';
import { ownSearchId, ownSearchMark } from './forwarded-body.js';

/** Where the blocks of an answer go. At most one block is open at a time. */
export interface BlockSink {
  start(index: number, block: object): void;
  /** @param escaped text as it is escaped in JSON, without the quotes (byte string) */
  text(index: number, escaped: string): void;
  delta(index: number, delta: Readonly<Record<string, unknown>>): void;
  stop(index: number): void;
}

/** A call of a tool, as far as it has come. */
interface Call {
  readonly index: number;
  id: string;
  name: string;
  json: string;
  /** The arguments that were last found whole or not. */
  read: { readonly json: string; readonly isWhole: boolean } | null;
  extra: unknown;
}

type OpenBlock = 'text' | 'thinking' | 'call';

/** Makes Anthropic's content blocks of an answer in the internal dialect. */
export class AnswerBlocks {
  private index = -1;
  private open: OpenBlock | null = null;
  private lastType: string | null = null;
  /** Reasoning of other makers that waits for the block that it belongs into. */
  private foreign: unknown[] = [];
  private readonly calls = new Map<number, Call>();
  private current: Call | null = null;
  private lateText = '';
  /** Whether the next block that comes redacted has been written by others. */
  private hasRedacted = false;
  private readonly waiting: Call[] = [];
  /** Searches that have begun, by their block's id. */
  private readonly searches = new Map<string, string>();

  constructor(private readonly sink: BlockSink) {}

  /** Whether the answer has calls of the client's tools. */
  get hasCalls(): boolean {
    return this.calls.size > 0;
  }

  /** As CompletionSink has it. Text in the middle of a call follows it. */
  text(escaped: string): void {
    if (this.isWithinCall) {
      this.lateText += escaped;
      return;
    }
    if (this.open !== 'text') {
      this.close();
      this.sealAlone();
      this.start('text', { type: 'text', text: '' });
    }
    this.sink.text(this.index, escaped);
  }

  chunk({ choices }: CompletionChunk): void {
    for (const { index, delta } of choices) {
      if (index !== 0) continue;
      this.reasoning(delta);
      const text = delta.content || delta.refusal;
      if (text) this.text(escapeJson(text));
      for (const call of delta.tool_calls ?? []) this.call(call);
      for (const annotation of delta.annotations ?? []) this.cite(annotation);
    }
  }

  /** The gateway or the model searches: a block for each search and one for what it found. */
  progress(progress: GroundingProgress): void {
    if (progress.type === 'found') this.searched(progress);
    else if (progress.type === 'progress' && progress.phase === 'search')
      this.searching(progress.detail);
  }

  private searching(query: string): string {
    this.close();
    const id = `${ownSearchId}${randomUUID().replaceAll('-', '')}`;
    this.start(null, { type: 'server_tool_use', id, name: 'web_search', input: {} });
    this.sink.delta(this.index, {
      type: 'input_json_delta',
      partial_json: JSON.stringify({ query }),
    });
    this.sink.stop(this.index);
    this.searches.set(id, query);
    return id;
  }

  private searched({ query, sources }: Omit<SearchFound, 'type'>): void {
    const [known] = [...this.searches].find(([, begun]) => begun === query) ?? [];
    const id = known ?? this.searching(query);
    this.searches.delete(id);
    const pages = sources?.map(({ url, title, publishedAt }) => ({
      type: 'web_search_result',
      url,
      title,
      encrypted_content: ownSearchMark,
      page_age: publishedAt,
    }));
    const content = pages ?? { type: 'web_search_tool_result_error', error_code: 'unavailable' };
    this.close();
    this.start(null, { type: 'web_search_tool_result', tool_use_id: id, content });
    this.sink.stop(this.index);
  }

  /**
   * Others have written what these blocks were told so far, and these go on behind.
   * @returns the index of the last block, if it has to end first; null: it is one to go on with, or
   *   has ended
   */
  follow({ count, open: [last] }: EventsEnd): number | null {
    const type = last?.type === 'tool_use' ? 'call' : last?.type;
    if (this.open !== type) this.close();
    this.index = count - 1;
    // nothing has come of it yet
    if (type === 'text' || type === 'thinking') this.open = this.lastType = type;
    this.hasRedacted = type === 'redacted_thinking';
    return last && this.open !== type ? last.index : null;
  }

  /** Nothing more comes. */
  end(): void {
    this.close();
    for (const query of this.searches.values()) this.searched({ query, sources: [] });
    if (this.lateText !== '') this.addLateText();
    this.close();
    // sent back without a call, it has no use; and the answer ends with its text
    if (this.lastType !== 'text') this.sealAlone();
  }

  private reasoning(delta: ChunkDelta): void {
    const details = (delta.reasoning_details ?? []).filter(isObject);
    const own = details.filter(({ format }) => String(format).startsWith('anthropic'));
    const text = reasoningOf(delta);
    const hasOwnText = own.some(({ type }) => type === 'reasoning.text');
    // the details of an answer that came whole have the same text again
    if (text && (!hasOwnText || this.open === 'thinking')) this.think(text);
    this.foreign.push(
      ...details.filter((one) => !own.includes(one) && one['type'] !== searchDetailType),
    );
    for (const detail of own) this.signed(detail);
  }

  private think(text: string): void {
    if (this.open !== 'thinking') {
      this.close();
      this.start('thinking', { type: 'thinking', thinking: '', signature: '' });
    }
    if (text !== '') this.sink.delta(this.index, { type: 'thinking_delta', thinking: text });
  }

  /** A block that Anthropic signed; its text may have been streamed already. */
  private signed({ type, text, signature, data }: Readonly<Record<string, unknown>>): void {
    if (type === 'reasoning.encrypted') {
      this.close();
      if (!this.hasRedacted) {
        this.start(null, { type: 'redacted_thinking', data });
        this.sink.stop(this.index);
      }
      this.hasRedacted = false;
      return;
    }
    if (this.open !== 'thinking') this.think(textIn(text));
    this.sink.delta(this.index, { type: 'signature_delta', signature: signature ?? '' });
    this.stop();
  }

  private cite({ url_citation: cited }: UrlCitation): void {
    // a provider may send an annotation of another kind
    const known = cited as UrlCitation['url_citation'] | undefined;
    if (this.open !== 'text' || !known || !/^https?:/i.test(known.url)) return;
    this.sink.delta(this.index, {
      type: 'citations_delta',
      citation: {
        type: 'web_search_result_location',
        url: known.url,
        title: known.title ?? '',
        cited_text: known.content ?? '',
        encrypted_index: ownSearchMark,
      },
    });
  }

  /** Calls follow one another; one that begins before the last is whole waits. */
  private call(delta: ToolCallDelta): void {
    const { index, id, function: called, extra_content: extra } = delta;
    let call = this.calls.get(index);
    if (!call) {
      call = { index, id: '', name: '', json: '', read: null, extra: undefined };
      this.calls.set(index, call);
      this.waiting.push(call);
    }
    const more = called?.arguments ?? '';
    call.id ||= id ?? '';
    call.name ||= called?.name ?? '';
    call.json += more;
    call.extra ??= extra;
    if (this.current === call) this.addArguments(more);
    else if (!this.isWithinCall) this.nextCall();
    if (this.lateText !== '' && !this.isWithinCall) this.addLateText();
  }

  /** Whether more of the current call's arguments has to come. */
  private get isWithinCall(): boolean {
    const { current } = this;
    if (!current) return false;
    const { json } = current;
    // a stream may ask with each of its pieces
    if (current.read?.json !== json)
      current.read = { json, isWhole: parsedJson(json) !== undefined };
    return !current.read.isWhole;
  }

  private addLateText(): void {
    const text = this.lateText;
    this.lateText = '';
    this.text(text);
  }

  private nextCall(): void {
    const call = this.waiting.shift();
    if (!call) return;
    const id = call.id.replace(/[^\w-]/g, '_') || `toolu_${randomUUID().replaceAll('-', '')}`;
    if (call.extra !== undefined)
      this.foreign.push({ type: callDetail, id, extra_content: call.extra });
    if (this.open === 'call') this.stop();
    else this.closeWithoutCalls();
    this.sealAlone();
    this.current = call;
    this.start('call', { type: 'tool_use', id, name: call.name, input: {} });
    this.addArguments(call.json);
  }

  private addArguments(json: string): void {
    if (json !== '') this.sink.delta(this.index, { type: 'input_json_delta', partial_json: json });
  }

  /** Reasoning that no text goes with, as a block of its own. */
  private sealAlone(): void {
    if (this.foreign.length === 0) return;
    this.start(null, { type: 'redacted_thinking', data: sealReasoning(this.foreign) });
    this.sink.stop(this.index);
    this.foreign = [];
  }

  private start(
    open: OpenBlock | null,
    block: { readonly type: string; readonly [field: string]: unknown },
  ): void {
    this.index++;
    this.open = open;
    this.lastType = block.type;
    this.sink.start(this.index, block);
  }

  private close(): void {
    this.closeWithoutCalls();
    while (this.waiting.length > 0) this.nextCall();
    if (this.open === 'call') this.stop();
    this.current = null;
  }

  private closeWithoutCalls(): void {
    if (this.open === 'thinking') {
      // some clients send back only thinking with a signature
      const signature = sealReasoning(this.foreign);
      this.foreign = [];
      this.sink.delta(this.index, { type: 'signature_delta', signature });
    }
    if (this.open === 'text' || this.open === 'thinking') this.stop();
  }

  private stop(): void {
    this.sink.stop(this.index);
    this.open = null;
  }
}
