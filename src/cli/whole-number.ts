import { InvalidArgumentError } from 'commander';

/** Reads the value of an option. @throws InvalidArgumentError unless it is a number of at least 1 */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(text);
}
