import { invalidField } from '../errors.js';

/** Exactly one address: no blanks, quotes and brackets, which mail programs read as lists. */
const form = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@[\p{L}\p{N}\p{M}]+(?:(?:-+|\.)[\p{L}\p{N}\p{M}]+)*$/u;
const maxLength = 254;

/**
 * A mail address in the form by which accounts are found: composed, in lower case.
 * @throws GatewayError `validation_failed`
 */
export function mailAddressOf(text: string, field = 'email'): string {
  // composed again, because some letters have a composed form only in lower case
  const address = text.normalize('NFC').toLowerCase().normalize('NFC');
  if (address.length > maxLength || !form.test(address))
    throw invalidField(field, 'must be a mail address');
  return address;
}

/** The part after the `@`. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
