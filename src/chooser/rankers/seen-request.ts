import { type AskedAnswer, askedAnswer } from '../answer-length/asked-answer.js';
import type { KindsOfTask } from '../figures.js';
import {
  type Outlook,
  type OutlookReader,
  type RequestKinds,
  withLength,
} from '../outlook/read-outlook.js';
import { type Features, featuresOf } from '../predictor/features/features.js';
import type { QualityPredictor } from '../predictor/quality-predictor.js';
import type { Reading } from '../predictor/request-reader.js';
import type { TunedRequest } from '../predictor/tuning.js';
import type { RoutingRequest } from '../plan.js';

/** What requests are read with. */
export interface Readers {
  readonly predictor: () => QualityPredictor;
  readonly outlook: OutlookReader;
  readonly kinds: RequestKinds;
}

/** A request with all that was read of it. */
export class SeenRequest implements TunedRequest {
  readonly features: Features;
  readonly outlook: Outlook;
  readonly kinds: KindsOfTask;
  readonly answer: AskedAnswer;
  private read: Reading | undefined;

  constructor(
    request: RoutingRequest,
    private readonly readers: Readers,
  ) {
    this.features = featuresOf(request);
    const outlook = readers.outlook.read(this.features);
    this.answer = askedAnswer(request, this.features, outlook.difficulty);
    this.outlook =
      this.answer.kind === 'greeting'
        ? { ...outlook, ...greeting }
        : withLength(outlook, request.promptTokens ?? 0);
    this.kinds = readers.kinds.of(this.outlook);
  }

  /** Computed at first use: only models of 2024 and trained weights need it. */
  get reading(): Reading {
    return (this.read ??= this.readers.predictor().read(this.features));
  }

  /** 0..1: how clearly the request is of one kind. */
  get clarity(): number {
    let entropy = 0,
      whole = 0;
    for (const { share } of this.outlook.kinds) {
      entropy -= share * Math.log(share);
      whole += share;
    }
    // what was left out counts as one more kind
    if (whole < 1) entropy -= (1 - whole) * Math.log(1 - whole);
    return Math.max(0, 1 - entropy / Math.log(this.readers.outlook.weights.kinds.length));
  }
}

/**
 * Reads each request once: a plan asks again for the candidates that are left out. Plans are made
 * one after the other, so it remembers one request. A weak map kept what was read of every request
 * until the next full collection, which doubled the time of collecting garbage.
 */
export function createReader(readers: Readers): (request: RoutingRequest) => SeenRequest {
  let last: { readonly request: RoutingRequest; readonly seen: SeenRequest } | undefined;
  return (request) => {
    if (last?.request !== request) last = { request, seen: new SeenRequest(request, readers) };
    return last.seen;
  };
}

/**
 * Replaces what was read of a greeting: its few letters say little to the reader. Abilities were
 * not measured on greetings, so small differences do not count (docs/decisions/0068).
 */
const greeting: Pick<Outlook, 'kinds' | 'everyday' | 'difficulty' | 'minUncertainty'> = {
  kinds: [{ name: 'conversation', share: 1 }],
  everyday: 1,
  difficulty: -3.5,
  minUncertainty: 0.005,
};
