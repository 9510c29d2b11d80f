import { randomBytes } from 'node:crypto';

/** 128 bits, which nobody guesses. */
const nonceBytes = 16;

/** The nonce of one answer, by which its content security policy knows its own scripts. */
export const newNonce = (): string => randomBytes(nonceBytes).toString('base64');
