import type { Instruments } from './instruments.js';
import type { CounterSeries, HistogramSeries } from './series.js';

/** The series of one operation of one model, looked up once. */
export class ModelSeries {
  readonly duration: HistogramSeries;
  readonly ttft: HistogramSeries;
  readonly perToken: HistogramSeries;
  readonly inputTokens: HistogramSeries;
  readonly outputTokens: HistogramSeries;
  readonly cost: CounterSeries;

  constructor(
    readonly instruments: Instruments,
    readonly labels: readonly [operation: string, provider: string, model: string],
  ) {
    const [, provider, model] = labels;
    this.duration = instruments.duration.series(...labels, '');
    this.ttft = instruments.ttft.series(...labels);
    this.perToken = instruments.perToken.series(...labels);
    this.inputTokens = instruments.tokens.series(...labels, 'input');
    this.outputTokens = instruments.tokens.series(...labels, 'output');
    this.cost = instruments.cost.series(provider, model);
  }
}
