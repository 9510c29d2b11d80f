import {
  type CompletionChunk,
  type CompletionSink,
  type FoundPage,
  unescapeJson,
  type UrlCitation,
  type Usage,
} from '../../completion.js';
import { urlCitation } from '../answer-chunks.js';
import type { CompletionAnswer } from '../adapter.js';
import { parseJson } from '../json.js';
import { SearchFindings, type FoundFields, isFound } from '../web-search/search-findings.js';
import { asList, isObject, type Json } from '../../text/is-object.js';

/** What one chunk or body says of the model's searches. */
export interface FoundInAnswer {
  pages?: readonly FoundPage[];
  queries?: readonly string[];
  /** The pages in the order in which the text numbers them; absent: it has no such numbers. */
  numbered?: readonly FoundPage[];
}

/** Reads what a provider adds to OpenAI's dialect for its searches. */
export interface SearchReader {
  /** A field of chunks of text that `read` wants to see; absent: there is none. */
  readonly field?: string;
  /** Whether texts refer to pages by their number. */
  readonly marks?: boolean;
  /**
   * @param holder a chunk or a whole body
   * @param part its delta or message
   */
  read(holder: Json, part: Json): FoundInAnswer;
}

/** `[2]` in a text, but not the text of a link. */
const marker = /\[(\d{1,3})\](?!\()/g;

/** The places where a text refers to a page by its number. */
const markedPlaces = (text: string, pages: readonly FoundPage[]): UrlCitation[] =>
  [...text.matchAll(marker)].flatMap(({ 0: mark, 1: number, index }) => {
    const page = pages[Number(number) - 1];
    if (!page) return [];
    const { url, title, snippet: content } = page;
    return [urlCitation({ url, title, content }, index, index + mark.length)];
  });

/** Removes the offsets of citations that span nothing. @returns whether there were any */
function dropEmptySpans(annotations: unknown): boolean {
  let dropped = false;
  for (const annotation of asList(annotations)) {
    const citation = isObject(annotation) ? annotation['url_citation'] : undefined;
    if (!isObject(citation) || citation['start_index'] !== citation['end_index']) continue;
    if (citation['start_index'] === undefined) continue;
    delete citation['start_index'];
    delete citation['end_index'];
    dropped = true;
  }
  return dropped;
}

/** Adds what the model's searches found to a whole answer. */
export function withFound(answer: CompletionAnswer, reader: SearchReader): CompletionAnswer {
  const { completion } = answer;
  const message = completion.choices[0]?.message;
  if (!message) return answer;
  const { pages = [], queries = [], numbered } = reader.read(completion, message);
  const found = new SearchFindings().add(pages, queries);
  let rewritten = dropEmptySpans(message.annotations) || isFound(found);
  Object.assign(message, found);
  if (numbered && !message.annotations?.length && typeof message.content === 'string') {
    const places = markedPlaces(message.content, numbered);
    if (places.length > 0) message.annotations = places;
    rewritten ||= places.length > 0;
  }
  return rewritten ? { ...answer, rewritten: true } : answer;
}

/**
 * Adds what the model's searches found to a stream, in chunks of its own: pages as soon as they are
 * known, the places that name them where the text is complete. Other chunks pass unchanged.
 */
export class SearchSink implements CompletionSink {
  private readonly findings = new SearchFindings();
  private numbered: readonly FoundPage[] | null = null;
  private fullText = '';
  private head: CompletionChunk = { choices: [] };
  private isCited = false;
  private hasSeen = false;

  constructor(
    private readonly sink: CompletionSink,
    private readonly reader: SearchReader,
  ) {}

  text(escaped: string, frame: string | null): void {
    const { field, marks } = this.reader;
    if (marks) this.fullText += unescapeJson(escaped);
    if (field !== undefined && !this.hasSeen && frame?.includes(`"${field}"`)) this.look(frame);
    this.sink.text(escaped, frame);
  }

  chunk(chunk: CompletionChunk, frame: string | null): void {
    const choice = chunk.choices.find(({ index }) => index === 0);
    const delta: Json = choice?.delta ?? {};
    this.find(chunk, delta);
    if (this.reader.marks && typeof delta['content'] === 'string')
      this.fullText += delta['content'];
    if (Array.isArray(delta['annotations'])) this.isCited = true;
    const isRepaired = dropEmptySpans(delta['annotations']);
    // citations come before the end that clients may stop at, but never before their text
    if (choice?.finish_reason && !delta['content']) this.cite();
    this.sink.chunk(chunk, isRepaired ? null : frame);
  }

  counted(usage: Usage): void {
    this.sink.counted?.(usage);
  }

  end(finishReason: string | null, usage: Usage | null, unknownFinish?: string): void {
    this.cite();
    this.sink.end(finishReason, usage, unknownFinish);
  }

  private look(frame: string): void {
    const chunk = parseJson(Buffer.from(frame, 'latin1').toString('utf8'));
    if (isObject(chunk)) this.find(chunk, {});
  }

  private find(chunk: Json, delta: Json): void {
    const { id, object, created, model } = chunk as Partial<CompletionChunk>;
    this.head = { id, object, created, model, choices: [] };
    const { pages = [], queries = [], numbered } = this.reader.read(chunk, delta);
    if (numbered) this.numbered = numbered;
    const found = this.findings.add(pages, queries);
    if (!isFound(found)) return;
    this.hasSeen = true;
    this.add(found);
  }

  private cite(): void {
    if (this.isCited || !this.numbered) return;
    this.isCited = true;
    const places = markedPlaces(this.fullText, this.numbered);
    if (places.length > 0) this.add({ annotations: places });
  }

  private add(delta: FoundFields & { annotations?: UrlCitation[] }): void {
    this.sink.chunk({ ...this.head, choices: [{ index: 0, delta, finish_reason: null }] }, null);
  }
}
