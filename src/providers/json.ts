import { jsonBounds, jsonExcess } from '../text/json-size.js';

/** A shorter text cannot contain enough to stop the process for long. */
const maxUncountedLength = 64 * 1024;
/**
 * Of an answer: far more than any model writes. Embeddings are the longest, as lists of numbers.
 */
const bounds = jsonBounds(1_000_000, 10);

/**
 * Whether a provider's JSON has more values or levels than an answer can have, so that parsing it
 * would stop the process for seconds.
 */
export const isExcessive = (json: Buffer): boolean =>
  json.length > maxUncountedLength && jsonExcess(json, bounds) !== null;

/** Parses JSON. @returns null if the text is not JSON, or far more than an answer */
export function parseJson(text: string): unknown {
  if (text.length > maxUncountedLength && isExcessive(Buffer.from(text))) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** The fields that are neither undefined nor null: providers refuse nulls. */
export function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
