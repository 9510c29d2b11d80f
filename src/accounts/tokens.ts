import { hash, randomBytes } from 'node:crypto';

/** A new secret for a cookie or a link: 256 random bits, as 43 characters that an address may hold. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** What is kept of a token. It is random enough for a fast hash without salt. */
export const hashToken = (token: string): string => hash('sha256', token);
