import { fill, texts } from '../texts/texts.js';
import type { RequestDetails } from '../api/schema.js';
import { unknownValue } from './numbers.js';

const wordsIn = (words: Readonly<Record<string, string>>) => (name: string) => words[name] ?? name;

/** What a code of a failure means, in words; a code without words stands for itself. */
export const reasonOf = wordsIn(texts.codes);

/** What a failed request failed of, in words: of one that all attempts failed, what the last did. */
export const causeOf = ({ attempts }: Pick<RequestDetails, 'attempts'>, code: string): string =>
  reasonOf((code === 'all_failed' && attempts?.at(-1)?.outcome) || code);

/** The API by which a request came in, in words; one without words stands for itself. */
export const apiOf = wordsIn(texts.surfaces);

export interface Named {
  provider: string | null;
  model: string | null;
}

/** `<provider>/<model>`, as far as it is known. */
export const modelOf = ({ provider, model }: Named): string =>
  [provider, model].filter((name) => name !== null).join('/') || unknownValue;

/** Labels without their providers where that leaves them different, as legends and plots show them. */
export function shortNames(labels: readonly string[]): string[] {
  const short = labels.map((label) => label.slice(label.lastIndexOf('/') + 1));
  return short.map((name, at) =>
    short.indexOf(name) === short.lastIndexOf(name) ? name : (labels[at] ?? name),
  );
}

export interface Ended {
  /** Null: there was no answer. */
  status: number | null;
  code: string | null;
}

/** The status; of a stream that broke off after 200, also that it was cut. */
export const statusOf = ({ status, code }: Ended): string =>
  code !== null && status !== null && status < 400
    ? fill(texts.requests.cut, { status })
    : String(status);

/** The status, and why it failed. */
export const outcomeOf = ({ status, code }: Ended): string => {
  if (code === null) return String(status);
  return status === null ? reasonOf(code) : `${statusOf({ status, code })} · ${reasonOf(code)}`;
};

/** A share of calls that failed; null: there were none. */
export const errorShare = (health: { attempts: number; failures: number } | null): number | null =>
  health === null || health.attempts === 0 ? null : health.failures / health.attempts;
