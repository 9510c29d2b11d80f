import { invalidField } from '../errors.js';

/** One address and nothing else: no blanks, quotes and brackets, of which mail programs make lists and names. */
const form = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@[\p{L}\p{N}\p{M}]+(?:(?:-+|\.)[\p{L}\p{N}\p{M}]+)*$/u;
const longest = 254;

/** A mail address as accounts are found by it: in lower case. @throws GatewayError `validation_failed` for what is none */
export function mailAddressOf(text: string, field = 'email'): string {
  // composed again: some letters have a composed form in lower case only
  const address = text.normalize('NFC').toLowerCase().normalize('NFC');
  if (address.length > longest || !form.test(address))
    throw invalidField(field, 'must be a mail address');
  return address;
}

/** What stands behind the `@`. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
