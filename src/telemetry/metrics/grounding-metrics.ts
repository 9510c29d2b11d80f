import type { Instruments } from './instruments.js';

/** The metrics of searching, reading and tools. Durations in ms. */
export class GroundingMetrics {
  constructor(private readonly instruments: Instruments) {}

  /** @param outcome `ok`, `cached`, or the code of the failure */
  search(engine: string, outcome: string, ms: number): void {
    this.instruments.searches.series(engine, outcome).inc();
    this.instruments.searchDurations.series(engine, outcome).observe(ms / 1000);
  }

  /** Searches of a model's own, of which nobody tells how long they took. */
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
