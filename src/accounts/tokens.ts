import { hash, randomBytes } from 'node:crypto';

/** A new secret for a cookie or a link: 256 random bits as 43 characters that are safe in URLs. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** The hash that is stored of a token, which is random enough for a fast hash without salt. */
export const hashToken = (token: string): string => hash('sha256', token);
