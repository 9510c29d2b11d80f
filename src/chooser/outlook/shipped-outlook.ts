import { readFileSync } from 'node:fs';
import { packageFile } from '../../package-files.js';
import { denseNames } from '../predictor/features/features.js';
import { decodeOutlook } from './outlook-weights.js';
import { OutlookReader, RequestKinds } from './read-outlook.js';

/** The file of weights. */
const file = packageFile('config/router/outlook.bin');

let shipped: OutlookReader | undefined;

/**
 * The shipped reader of requests, read once.
 * @throws Error if its file is missing, damaged or of another version
 */
export const shippedOutlook = (): OutlookReader => (shipped ??= readOutlookFile());

function readOutlookFile(): OutlookReader {
  const weights = decodeOutlook(readFileSync(file));
  if (weights.denseNames.join() !== denseNames.join())
    throw new Error(`the weights in ${file} cannot be used: they are for other features`);
  return new OutlookReader(weights);
}

let router: string | undefined;

/** The name under which numbers of kinds of requests are stored. */
export const shippedRouter = (): string =>
  (router ??= new RequestKinds(shippedOutlook().weights).router);

/** The shipped name of a kind of request; null for a number that stands for none. */
export const kindName = (kind: number): string | null =>
  shippedOutlook().weights.kinds[kind]?.name ?? null;
