import { GatewayError } from '../../errors.js';

/**
 * Accepts only what both databases store unchanged: null, finite numbers (whole ones up to 2^53),
 * bytes, and well-formed texts without NUL. The embedded database crashes the process at a boolean,
 * cuts a text at NUL, and silently alters other values.
 * @throws GatewayError `internal` with the position and the kind of the parameter, never its
 * content
 */
export function checkParameters(parameters: readonly unknown[]): void {
  // not `entries()`, which makes a list for each of thousands
  for (let index = 0; index < parameters.length; index++) {
    const kind = invalidKind(parameters[index]);
    if (kind !== null)
      throw new GatewayError(
        'internal',
        `parameter ${index + 1} of a statement is ${kind}, which the database does not accept`,
      );
  }
}

function invalidKind(parameter: unknown): string | null {
  if (typeof parameter === 'string') return invalidText(parameter);
  if (typeof parameter === 'number') return invalidNumber(parameter);
  if (parameter === null || parameter instanceof Uint8Array) return null;
  return typeof parameter === 'object' ? nameOf(parameter) : `of type ${typeof parameter}`;
}

function invalidText(text: string): string | null {
  if (text.includes('\0')) return 'a text with NUL';
  return !text.isWellFormed() ? 'a text with half a surrogate pair' : null;
}

function invalidNumber(number: number): string | null {
  if (!Number.isFinite(number)) return 'a number that is not finite';
  return Number.isInteger(number) && !Number.isSafeInteger(number)
    ? 'a whole number beyond 2^53'
    : null;
}

const nameOf = (object: object): string =>
  Array.isArray(object) ? 'an array' : object instanceof Date ? 'a date' : 'an object';
