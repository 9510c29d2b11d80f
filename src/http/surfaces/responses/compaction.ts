import { randomUUID } from 'node:crypto';
import {
  type ChatRequest,
  type CompletionChunk,
  escapeJson,
  unescapeJson,
} from '../../../completion.js';
import { type Json, present } from '../../../text/is-object.js';
import type { EventSink } from './output-items.js';

const task = `Write a detailed summary of this conversation for the assistant that will go on with it and will see nothing else of it. Keep what was asked, each requirement and decision, what was done and found, names of files, commands and values exactly as they are, what is still open, and the next step. Answer with the summary alone.`;

/** The request for a summary in place of an answer. */
export const compactionChat = ({ messages, ...chat }: ChatRequest): ChatRequest => ({
  messages: [...messages, { role: 'user', content: task }],
  ...present({ max_completion_tokens: chat.max_completion_tokens, user: chat['user'] }),
});

/** A summary as an item of input. */
export const summaryMessage = (summary: string): Json => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: `Summary of the conversation so far:\n\n${summary}` }],
});

/** Makes one output item of a summary: sealed, so that it comes back unchanged. */
export class CompactionItem {
  readonly output: Json[] = [];
  private escaped = '';

  constructor(
    private readonly sink: EventSink,
    private readonly seal: (summary: string) => string,
  ) {}

  text(escaped: string): void {
    this.escaped += escaped;
  }

  chunk({ choices }: CompletionChunk): void {
    for (const { index, delta } of choices)
      if (index === 0) this.text(escapeJson(delta.content ?? ''));
  }

  end(): void {
    const item = { id: `cmp_${randomUUID().replaceAll('-', '')}`, type: 'compaction' };
    const whole = { ...item, encrypted_content: this.seal(unescapeJson(this.escaped)) };
    this.sink.emit('response.output_item.added', { output_index: 0, item: whole });
    this.sink.emit('response.output_item.done', { output_index: 0, item: whole });
    this.output.push(whole);
  }
}
