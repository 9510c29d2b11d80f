import { type InstrumentMaker, requestBuckets } from './series.js';

/** Instruments of searching, reading and tools. */
export const groundingInstruments = ({ counter, histogram }: InstrumentMaker) => ({
  searches: counter(
    'signalbox_searches_total',
    "Web searches, by engine and outcome; `native`: a model's own.",
    'engine',
    'outcome',
  ),
  searchDurations: histogram(
    'signalbox_search_duration_seconds',
    "Duration of the gateway's web searches, by engine and outcome.",
    ['engine', 'outcome'],
    requestBuckets,
  ),
  pages: histogram(
    'signalbox_page_duration_seconds',
    'Duration of reading pages of the web, by outcome.',
    ['outcome'],
    requestBuckets,
  ),
  toolCalls: histogram(
    'signalbox_tool_call_duration_seconds',
    'Duration of the tool calls that the gateway ran, by toolkit and outcome.',
    ['toolkit', 'outcome'],
    requestBuckets,
  ),
  groundingCost: counter(
    'signalbox_grounding_cost_usd_total',
    'Cost of searches and tools in USD, where the price is known.',
  ),
  citations: counter('signalbox_citations_total', 'Citations in answers.').startingAtZero(),
  citationsDropped: counter(
    'signalbox_citations_dropped_total',
    'Links and citations removed from answers, because nothing was read at them.',
  ).startingAtZero(),
});

/** The metrics of searching, reading and tools. Durations in ms. */
export class GroundingMetrics {
  constructor(private readonly instruments: ReturnType<typeof groundingInstruments>) {}

  /** @param outcome `ok`, `cached`, or the code of the failure */
  search(engine: string, outcome: string, ms: number): void {
    this.instruments.searches.series(engine, outcome).inc();
    this.instruments.searchDurations.series(engine, outcome).observe(ms / 1000);
  }

  /** Searches that a model made itself. How long they took is not known. */
  nativeSearches(count: number): void {
    this.instruments.searches.series('native', 'ok').inc(count);
  }

  /** @param outcome `ok`, or why the page could not be read */
  page(outcome: string, ms: number): void {
    this.instruments.pages.series(outcome).observe(ms / 1000);
  }

  /** @param toolkit of the configuration; a closed set */
  toolCall(toolkit: string, outcome: string, ms: number): void {
    this.instruments.toolCalls.series(toolkit, outcome).observe(ms / 1000);
  }

  cost(usd: number): void {
    this.instruments.groundingCost.series().inc(usd);
  }

  citations(kept: number, dropped: number): void {
    this.instruments.citations.series().inc(kept);
    this.instruments.citationsDropped.series().inc(dropped);
  }
}
