import { randomUUID } from 'node:crypto';
import {
  type CompletionChunk,
  escapeJson,
  type EventsEnd,
  reasoningOf,
  type ToolCallDelta,
  unescapeJson,
  type UrlCitation,
} from '../../../completion.js';
import { isObject, type Json, textIn } from '../../../text/is-object.js';
import { sealReasoning } from '../foreign-reasoning.js';
import { jsonList } from './body.js';
import type { GroundingProgress } from '../../../pipeline/grounding/grounding-call.js';
import type { FlatTool } from './flat-tools.js';
import {
  callItem,
  annotationOf,
  callEnds,
  headOf,
  type Open,
  type BegunCall,
  type OpenMessage,
  type OpenPart,
  type OpenReasoning,
  partOf,
  partPlace,
  summary,
} from './open-items.js';
import { SearchItems } from './search-items.js';

/** Receives the events of an answer, in order; without a sequence number. */
export interface EventSink {
  emit(type: string, fields: object): void;
  /** A delta of text. @param head its other fields as JSON, open at the end (byte strings) */
  delta(type: string, head: string, escaped: string, logprobs?: readonly unknown[]): void;
}

/** Ids of reasoning that no provider has: it is taken out before a request is forwarded. */
export const ownReasoningId = 'rs_sbx';
const isMessage = (item: unknown): item is Json => isObject(item) && item['type'] === 'message';
const newId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;

/** Makes the output items of an answer, and their events, from chunks of the internal dialect. */
export class OutputItems {
  /** By their places; what is not whole yet is a hole. */
  private readonly items: Json[] = [];
  private count = 0;
  private message: OpenMessage | null = null;
  private reasoning: OpenReasoning | null = null;
  private readonly calls = new Map<number, BegunCall>();
  /** Characters of the answer's text before the open part. */
  private textLength = 0;
  private readonly searches: SearchItems;

  /** @param toolOf the tool with a flat name; undefined: the client has none of that name */
  constructor(
    readonly sink: EventSink,
    private readonly toolOf: (name: string) => FlatTool | undefined,
    namesPages = false,
  ) {
    this.searches = new SearchItems(this, namesPages);
  }

  /** The gateway or the model searches. */
  progress(progress: GroundingProgress): void {
    this.endReasoning();
    this.endMessage('completed');
    this.searches.progress(progress);
  }

  /** The items that are whole. */
  get output(): Json[] {
    return this.items.filter(Boolean);
  }

  text(escaped: string, logprobs: readonly unknown[] = []): void {
    const part = this.openPart('output_text');
    part.escaped += escaped;
    part.logprobs.push(...logprobs);
    this.sink.delta('response.output_text.delta', part.head, escaped, logprobs);
  }

  chunk({ choices }: CompletionChunk): void {
    for (const { index, delta, logprobs } of choices) {
      // this dialect has one answer; a second one is never requested
      if (index !== 0) continue;
      const reasoning = reasoningOf(delta);
      if (reasoning) this.reason(reasoning);
      for (const detail of delta.reasoning_details ?? []) this.openReasoning().details.push(detail);
      const { content: ofTokens } = (logprobs ?? {}) as { content?: unknown[] | null };
      if (delta.content) this.text(escapeJson(delta.content), ofTokens ?? []);
      if (delta.refusal) this.refuse(escapeJson(delta.refusal));
      for (const annotation of delta.annotations ?? []) this.cite(annotation);
      for (const call of delta.tool_calls ?? []) this.call(call);
    }
  }

  /** Others have written what these items were told so far, and these go on behind. */
  follow({ count, open, ended }: EventsEnd): void {
    const [thought, message] = ['reasoning', 'message'].map((kind) =>
      open.find(({ type }) => type === kind),
    );
    if (!thought) this.endReasoning();
    else this.reasoning = { text: '', ...this.reasoning, details: [], ...thought };
    if (!message) this.endMessage('completed');
    else this.followMessage(message, ended.filter(isMessage));
    for (const [key, call] of this.calls) {
      const same = open.find(({ callId }) => callId === call.callId);
      const told = call.args.length;
      if (same) this.calls.set(key, { ...call, index: same.index, id: same.id, told });
      else {
        this.endCall(call, 'completed');
        this.calls.delete(key);
      }
    }
    this.count = count;
    this.items.splice(0, Infinity, ...(ended as Json[]));
  }

  /** The part that is open here may begin with the text of messages that have ended. */
  private followMessage({ index, id }: Open, ended: readonly Json[]): void {
    const { content = [], part = null } = this.message ?? {};
    const head = headOf({ index, id, content });
    const parts = ended.flatMap((item) => jsonList(item['content']));
    const start = parts.reduce((length, { text }) => length + textIn(text).length, 0);
    const escaped = escapeJson(
      unescapeJson(part?.escaped ?? '').slice(Math.max(0, start - this.textLength)),
    );
    this.textLength = Math.max(start, this.textLength);
    this.message = {
      index,
      id,
      content,
      part: part && escaped ? { ...part, escaped, head } : null,
    };
  }

  /** Closes what is open. @param status that of the items */
  end(status: 'completed' | 'incomplete' = 'completed'): void {
    this.endReasoning();
    this.endMessage(status);
    for (const call of this.calls.values()) this.endCall(call, status);
    this.calls.clear();
    this.searches.endAll();
  }

  /** Adds an item after all others. @returns its place */
  add(item: Json): number {
    const index = this.count++;
    this.sink.emit('response.output_item.added', { output_index: index, item });
    return index;
  }

  done(index: number, item: Json): void {
    this.items[index] = item;
    this.sink.emit('response.output_item.done', { output_index: index, item });
  }

  private openPart(type: OpenPart['type']): OpenPart {
    this.endReasoning();
    const message = (this.message ??= this.openMessage());
    if (message.part && message.part.type !== type) this.endPart(message);
    return (message.part ??= this.beginPart(message, type));
  }

  private openMessage(): OpenMessage {
    const id = newId('msg');
    const item = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    return { id, index: this.add(item), content: [], part: null };
  }

  private beginPart(message: OpenMessage, type: OpenPart['type']): OpenPart {
    const head = headOf(message);
    const part: OpenPart = { type, escaped: '', annotations: [], logprobs: [], head };
    this.sink.emit('response.content_part.added', { ...partPlace(message), part: partOf(part) });
    return part;
  }

  private endPart(message: OpenMessage): void {
    const { part, content } = message;
    if (!part) return;
    const place = partPlace(message);
    const whole = partOf(part);
    if (part.type === 'refusal')
      this.sink.emit('response.refusal.done', { ...place, refusal: whole['refusal'] });
    else {
      const { text, logprobs } = whole;
      this.sink.emit('response.output_text.done', { ...place, text, logprobs });
      this.textLength += String(text).length;
    }
    this.sink.emit('response.content_part.done', { ...place, part: whole });
    content.push(whole);
    message.part = null;
  }

  private endMessage(status: string): void {
    const { message } = this;
    if (!message) return;
    this.endPart(message);
    const { id, index, content } = message;
    this.done(index, { id, type: 'message', role: 'assistant', status, content });
    this.message = null;
  }

  private refuse(escaped: string): void {
    const part = this.openPart('refusal');
    part.escaped += escaped;
    this.sink.delta('response.refusal.delta', part.head, escaped);
  }

  private cite({ url_citation: cited }: UrlCitation): void {
    const part = this.openPart('output_text');
    const { message } = this;
    // a provider may send an annotation of another kind
    const known = cited as UrlCitation['url_citation'] | undefined;
    if (!message || !known?.url) return;
    const annotation = annotationOf(known, this.textLength);
    this.sink.emit('response.output_text.annotation.added', {
      ...partPlace(message),
      annotation_index: part.annotations.length,
      annotation,
    });
    part.annotations.push(annotation);
  }

  private openReasoning(): OpenReasoning {
    if (this.reasoning) return this.reasoning;
    this.endMessage('completed');
    const id = newId(ownReasoningId);
    const index = this.add({ id, type: 'reasoning', summary: [] });
    return (this.reasoning = { id, index, text: '', details: [] });
  }

  private reason(text: string): void {
    const open = this.openReasoning();
    const place = { item_id: open.id, output_index: open.index, summary_index: 0 };
    if (open.text === '')
      this.sink.emit('response.reasoning_summary_part.added', { ...place, part: summary('') });
    open.text += text;
    this.sink.emit('response.reasoning_summary_text.delta', { ...place, delta: text });
  }

  private endReasoning(): void {
    const { reasoning } = this;
    if (!reasoning) return;
    const { id, index, text, details } = reasoning;
    const [own] = details;
    // what the client has got the beginning of, it gets as the provider has it
    const isOwn = details.length === 1 && isObject(own) && own['id'] === id;
    if (text !== '') {
      const place = { item_id: id, output_index: index, summary_index: 0 };
      this.sink.emit('response.reasoning_summary_text.done', { ...place, text });
      this.sink.emit('response.reasoning_summary_part.done', { ...place, part: summary(text) });
    }
    this.done(index, {
      id,
      type: 'reasoning',
      summary: text === '' ? [] : [summary(text)],
      ...(details.length > 0
        ? { encrypted_content: isOwn ? own['data'] : sealReasoning(details) }
        : {}),
    });
    this.reasoning = null;
  }

  private call(delta: ToolCallDelta): void {
    const { index: place, id = '', function: called, kind } = delta;
    this.endReasoning();
    this.endMessage('completed');
    let call = this.calls.get(place);
    if (!call) {
      const name = called?.name ?? '';
      const sent = { name, namespace: null, isCustom: false, ...kind };
      const tool = kind ? sent : (this.toolOf(name) ?? sent);
      const begun = { callId: id, tool, args: '', isText: kind?.isCustom === true, told: 0 };
      const own = { id: newId(tool.isCustom ? 'ctc' : 'fc'), ...begun };
      const index = this.add(callItem(own, 'in_progress'));
      this.calls.set(place, (call = { ...own, index }));
    }
    const args = called?.arguments ?? '';
    if (args === '') return;
    call.args += args;
    // the text of a custom tool is known when its JSON is whole
    if (!call.tool.isCustom)
      this.sink.emit('response.function_call_arguments.delta', {
        item_id: call.id,
        output_index: call.index,
        delta: args,
      });
  }

  private endCall(call: BegunCall, status: string): void {
    const place = { item_id: call.id, output_index: call.index };
    const item = callItem(call, status);
    for (const [type, fields] of callEnds(call, item))
      this.sink.emit(type, { ...place, ...fields });
    this.done(call.index, item);
  }
}
