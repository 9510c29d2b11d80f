import { shippedWeights } from '../predictor/weights-file.js';
import { decodeOutlook } from './outlook-weights.js';
import { OutlookReader, RequestKinds } from './read-outlook.js';

let shipped: OutlookReader | undefined;

/**
 * The shipped reader of requests, read once.
 * @throws Error if its file is missing, damaged or of another version
 */
export const shippedOutlook = (): OutlookReader =>
  (shipped ??= new OutlookReader(shippedWeights('config/router/outlook.bin', decodeOutlook)));

let router: string | undefined;

/** The name under which numbers of kinds of requests are stored. */
export const shippedRouter = (): string =>
  (router ??= new RequestKinds(shippedOutlook().weights).router);

/** The shipped name of a kind of request; null for a number that stands for none. */
export const kindName = (kind: number): string | null =>
  shippedOutlook().weights.kinds[kind]?.name ?? null;
