import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import helmet from 'helmet';

/** 128 bits, which cannot be guessed. */
const nonceBytes = 16;

/** The nonce of one answer, by which its content security policy knows its own scripts. */
export const newNonce = (): string => randomBytes(nonceBytes).toString('base64');

/**
 * Sends a page with a content security policy, under which it loads nothing from other servers and
 * may not be framed.
 * @param directives what scripts and styles may run, and other exceptions
 */
export function sendPage(
  req: Request,
  res: Response,
  html: () => string,
  directives: Readonly<Record<string, readonly string[]>>,
): void {
  const none = ["'none'"];
  const closed = { defaultSrc: none, baseUri: none, formAction: none, frameAncestors: none };
  const protect = helmet({
    // not helmet's defaults, which upgrade links of a plain-HTTP gateway to https
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { ...closed, connectSrc: ["'self'"], ...directives },
    },
    // only the operator knows whether the whole domain supports TLS
    strictTransportSecurity: false,
  });
  protect(req, res, () => {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(html());
  });
}

/** Text as it stands in HTML. */
export const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A description as HTML: backquotes mark code, an empty line begins a paragraph. */
export const prose = (text: string): string =>
  escape(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '</p><p>');
