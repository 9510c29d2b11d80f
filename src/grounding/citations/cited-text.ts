import { AnswerFilter } from './answer-filter.js';
import { CitationFinder, type ProviderSpan } from './citation-finder.js';
import type { AnswerSources, Citation } from '../source.js';

/**
 * The text of a model that was given numbered sources, on its way to the client: markers and links
 * that lead to no known page are taken out, the others become citations whose quotes are looked up
 * in what was read. However the text is cut into deltas, the result is the same. Takes time in
 * proportion to its length.
 */
export class CitedText extends AnswerFilter {
  private readonly finder: CitationFinder;
  private readonly spans: ProviderSpan[] = [];

  constructor(sources: AnswerSources) {
    super(sources);
    this.finder = new CitationFinder(sources);
  }

  /** Takes a provider's own annotation, also of text that is still to come. */
  cite(span: ProviderSpan): void {
    this.spans.push(span);
  }

  /** UTF-16 length of what was returned so far. */
  get length(): number {
    return this.text.output.finalLength;
  }

  /** Links whose text is left. */
  get droppedLinks(): number {
    return this.text.droppedLinks;
  }

  /** Numbers of sources that there are not. */
  get droppedMarkers(): number {
    return this.text.droppedMarkers;
  }

  /** The citations in what was returned so far, in its order, and at most 1,000. */
  citations(): Generator<unknown, Citation[]> {
    const { output, markers, links } = this.text;
    const spans = this.spans.map((span) => ({
      ...span,
      start: output.finalOffset(span.start, 'start'),
      end: output.finalOffset(span.end, 'end'),
    }));
    return this.finder.find(output.finalText(), { markers, links, spans });
  }
}
