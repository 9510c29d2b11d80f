import type { CompletionSink, EventReader } from '../../completion.js';
import type { ModelCall } from '../adapter.js';
import { AnswerChunks, partsIn, textOf } from '../answer-chunks.js';
import { cutShort } from '../failure.js';
import { parseObject } from '../json.js';
import { sseReader } from '../sse-reader.js';
import { objectsIn } from '../../text/is-object.js';
import { isFound } from '../web-search/search-findings.js';
import {
  checkEvent,
  isCall,
  isSearch,
  reasoningDetails,
  reasoningText,
  type ResponsesAnnotation,
  type ResponsesAnswer,
  responsesCitation,
  responsesFinishReason,
  type ResponsesItem,
  type ResponsesPart,
  responsesUsage,
} from './answer.js';
import { OwnResponseEvents, type ResponsesEvent } from './own-events.js';
import { SearchCalls } from './web-search.js';

/** An item between its first event and its last. */
interface OpenItem {
  /** The offset of the current content part in the answer's text. */
  start: number;
  /** The type of event that brought its text or reasoning; some servers repeat it in another. */
  source: string | null;
  hasCitations: boolean;
  /** Its index among the calls; -1 for other items. */
  callIndex: number;
  readonly id: string | undefined;
  type: string | undefined;
  /** Whether it was closed. */
  isDone: boolean;
}

/** Reads a Responses stream. What deltas omit is taken from the events that close an item. */
export function responsesEvents(
  sink: CompletionSink,
  provider: string,
  call: ModelCall,
): EventReader {
  const own = new OwnResponseEvents(sink, call.original !== undefined);
  const events = new ResponsesEventReader(sink, provider, call, own);
  return sseReader(
    (name, payload) => events.read(payload, name),
    () => events.close(),
    {
      field: 'delta',
      varying: /"sequence_number":\s*\d+|"(?:obfuscation|item_id)":\s*"[^"\\]*"/,
      onText: (escaped, name, data) => events.text(escaped, name, data),
    },
  );
}

/** Reads the events of a stream, or a whole answer by `end` alone. */
export class ResponsesEventReader {
  private readonly chunks: AnswerChunks;
  private readonly wantsLogprobs: boolean;
  private readonly items = new Map<number | string, OpenItem>();
  private readonly begun: OpenItem[] = [];
  private readonly searches = new SearchCalls();
  private isStarted = false;
  private isEnded = false;
  private hasReasoning = false;

  constructor(
    sink: CompletionSink,
    private readonly provider: string,
    private readonly call: Pick<ModelCall, 'model' | 'original'> & Partial<ModelCall>,
    private readonly own?: OwnResponseEvents,
  ) {
    this.chunks = new AnswerChunks(sink, undefined, call.model);
    this.wantsLogprobs = !call.request || call.request['logprobs'] === true;
  }

  /** More text of the item whose text came before; the rest as for `read`. */
  text(escaped: string, name: string | undefined, data: string): void {
    if (this.isEnded) return;
    const last = this.begun.at(-1);
    if (last) last.source ??= 'response.output_text.delta';
    this.own?.passText(name, data);
    this.chunks.escapedText(escaped);
  }

  /**
   * @param name of the event, which says its type where the event itself does not
   * @returns whether the event has text and nothing else
   */
  read(payload: string, name: string | undefined): boolean {
    if (this.isEnded || payload === '[DONE]') return false;
    const event = parseObject(this.provider, payload, 'an event') as ResponsesEvent;
    const { type = name ?? '' } = event;
    checkEvent(this.provider, { ...event, type });
    // clients refuse events of no response that they do not know (`codex.rate_limits`)
    if (/^response\.|^keepalive$/.test(type)) this.own?.pass(event, name, payload);
    event.type = type;
    this.event(event);
    return event.type === 'response.output_text.delta' && !event.logprobs?.length;
  }

  close(): void {
    if (!this.isEnded) throw cutShort(this.provider);
  }

  private event(event: ResponsesEvent): void {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.output_text.done':
      case 'response.content_part.done':
        this.said(
          this.open(event),
          event.type,
          event.delta ?? event.text ?? event.part,
          event.logprobs,
        );
        break;
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        this.reasoning(this.open(event), event.type, textOf(event.delta));
        break;
      case 'response.reasoning_summary_part.added':
        if (event.summary_index)
          this.reasoning(this.open(event), 'response.reasoning_summary_text.delta', '\n\n');
        break;
      case 'response.refusal.delta':
        Object.assign(this.open(event), { source: 'refusal', type: 'message' });
        this.chunks.write({ refusal: textOf(event.delta) });
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.callPiece(this.open(event), event.delta);
        break;
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        if (event.arguments || event.input)
          this.chunks.endCall(this.open(event).callIndex, event.arguments || event.input);
        break;
      case 'response.output_text.annotation.added':
        this.cite(this.open(event), [event.annotation ?? {}]);
        break;
      case 'response.content_part.added':
        this.open(event).start = this.chunks.textLength;
        break;
      default:
        this.lifecycle(event);
    }
  }

  /** The events that open and close items and the answer. */
  private lifecycle(event: ResponsesEvent): void {
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
        this.start(event.response ?? {});
        break;
      case 'response.output_item.added':
        this.callStart(this.open(event), event.item ?? {});
        break;
      case 'response.output_item.done':
        this.itemDone(this.open(event), event.item ?? {});
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.done':
        this.end(event.response ?? {}, event.type);
    }
  }

  private open(event: ResponsesEvent): OpenItem {
    const { item } = event;
    const key = event.output_index ?? event.item_id ?? item?.id ?? '';
    const known = this.items.get(key);
    // some servers have one index for all items, others begin or close one twice
    const isOther =
      item &&
      (known?.isDone || event.type === 'response.output_item.added') &&
      (!item.id || item.id !== known?.id);
    if (known && !isOther) return known;
    // not by spreads, which cost several µs
    const open: OpenItem = {
      start: this.chunks.textLength,
      source: null,
      hasCitations: false,
      callIndex: -1,
      id: item?.id ?? event.item_id,
      type: item?.type,
      isDone: false,
    };
    this.items.set(key, open);
    this.begun.push(open);
    return open;
  }

  private start(response: ResponsesAnswer): void {
    if (this.isStarted) return;
    this.isStarted = true;
    const { chunks } = this;
    chunks.id = response.id;
    chunks.model = response.model ?? chunks.model;
    chunks.created = Math.floor(response.created_at ?? chunks.created);
    chunks.write({ role: 'assistant', content: '' });
  }

  /** @param speaker the type of event that says it; what others say again is passed over */
  private said(open: OpenItem, speaker: string, given: unknown, logprobs?: unknown[] | null): void {
    const text = textOf(given);
    if (text === '' || (open.source ?? speaker) !== speaker) return;
    open.source = speaker;
    open.type ??= 'message';
    const isWanted = this.wantsLogprobs && logprobs?.length;
    this.chunks.text(text, isWanted ? { content: logprobs } : undefined);
  }

  private reasoning(open: OpenItem, speaker: string, text: string): void {
    if (text === '' || (open.source ?? speaker) !== speaker) return;
    // each item of reasoning is a separate paragraph
    const gap = open.source === null && this.hasReasoning ? '\n\n' : '';
    open.source = speaker;
    open.type ??= 'reasoning';
    this.hasReasoning = true;
    this.chunks.write({ reasoning_content: gap + text });
  }

  private callStart(open: OpenItem, item: ResponsesItem): void {
    if (!isCall(item) || open.callIndex !== -1) return;
    const { call_id: id, id: itemId, namespace, name, arguments: args, input } = item;
    const isCustom = item.type === 'custom_tool_call';
    const kind = this.call.original ? { namespace: namespace ?? null, isCustom } : undefined;
    open.callIndex = this.chunks.startCall(id || itemId, name, args ?? input, undefined, kind);
    if (this.chunks.hasArguments(open.callIndex)) open.source = 'start';
  }

  private callPiece(open: OpenItem, piece: unknown): void {
    if (open.source !== 'start') this.chunks.addArguments(open.callIndex, piece);
  }

  private cite(
    open: OpenItem,
    annotations: readonly ResponsesAnnotation[],
    start = open.start,
  ): void {
    const citations = objectsIn(annotations).flatMap((one) => responsesCitation(one, start));
    open.hasCitations ||= annotations.length > 0;
    if (citations.length > 0) this.chunks.write({ annotations: citations });
  }

  private itemDone(open: OpenItem, item: ResponsesItem): void {
    if (open.isDone) return;
    open.isDone = true;
    if (isCall(item)) {
      if (open.callIndex === -1) this.callStart(open, item);
      else this.chunks.nameCall(open.callIndex, item.name);
      this.chunks.endCall(open.callIndex, item.arguments || item.input);
    } else if (item.type === 'reasoning') {
      if (open.source === null) this.reasoning(open, 'done', reasoningText(item));
      const details = reasoningDetails(this.provider, item);
      if (details.length > 0) this.chunks.write({ reasoning_details: details });
    } else if (item.type === 'message') {
      this.messageDone(open, item);
    } else if (isSearch(item)) {
      const found = this.searches.read(item.action);
      if (isFound(found)) this.chunks.write(found);
    }
  }

  private messageDone(open: OpenItem, item: ResponsesItem): void {
    const silent = open.source === null;
    const uncited = !open.hasCitations;
    const parts = partsIn<ResponsesPart>(item.content);
    const length = silent ? 0 : parts.reduce((sum, part) => sum + textOf(part).length, 0);
    let start = this.chunks.textLength - length;
    for (const part of parts) {
      if (silent) this.said(open, 'done', part, part.logprobs);
      if (silent && part.refusal) this.chunks.write({ refusal: part.refusal });
      if (uncited) this.cite(open, part.annotations ?? [], start);
      start += textOf(part).length;
    }
  }

  /** Reads the end of a stream, or a body that was not streamed. */
  end(response: ResponsesAnswer, type?: string): void {
    this.start(response);
    // some servers send their output, or some of it, only here
    const left = new Map<string | undefined, OpenItem[]>();
    for (const open of this.begun.toReversed())
      if (!left.get(open.type)?.push(open)) left.set(open.type, [open]);
    for (const [index, item] of objectsIn(response.output).entries())
      this.itemDone(left.get(item.type)?.pop() ?? this.open({ item_id: `unread ${index}` }), item);
    this.isEnded = true;
    const usage = this.searches.counted(responsesUsage(response.usage), response);
    this.chunks.end(this.provider, responsesFinishReason(response, type), usage);
  }
}
