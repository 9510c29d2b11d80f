import { GatewayError } from '../../errors.js';

/**
 * Lets through what both databases store as it is: null, finite numbers (whole ones up to 2^53), bytes, and well-formed texts without NUL.
 * The embedded database ends the process at a boolean, cuts a text at NUL, and alters other values without a word.
 * @throws GatewayError `internal`, which names the position and the kind of the parameter, never its content
 */
export function checkParameters(parameters: readonly unknown[]): void {
  for (const [index, parameter] of parameters.entries()) {
    const kind = unfitKind(parameter);
    if (kind !== null)
      throw new GatewayError(
        'internal',
        `parameter ${index + 1} of a statement is ${kind}, which the database does not take`,
      );
  }
}

function unfitKind(parameter: unknown): string | null {
  if (typeof parameter === 'string') return unfitText(parameter);
  if (typeof parameter === 'number') return unfitNumber(parameter);
  if (parameter === null || parameter instanceof Uint8Array) return null;
  return typeof parameter === 'object' ? nameOf(parameter) : `of type ${typeof parameter}`;
}

function unfitText(text: string): string | null {
  if (text.includes('\0')) return 'a text with NUL';
  return /\p{Surrogate}/u.test(text) ? 'a text with half a surrogate pair' : null;
}

function unfitNumber(number: number): string | null {
  if (!Number.isFinite(number)) return 'a number that is not finite';
  return Number.isInteger(number) && !Number.isSafeInteger(number)
    ? 'a whole number beyond 2^53'
    : null;
}

const nameOf = (object: object): string =>
  Array.isArray(object) ? 'an array' : object instanceof Date ? 'a date' : 'an object';
