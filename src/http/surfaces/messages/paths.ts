import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';

/** Where the dialect's paths are too, for clients whose base URL is another dialect's. */
export const messagesPrefix = '/anthropic';

/** By this header a client says that it speaks the dialect. */
const versionHeader = 'anthropic-version';

const belowPrefix = new RegExp(`^${messagesPrefix}(?=$|[/?])`, 'i');

/** Has a request below the prefix go on as one of the dialect, and without it where it has `/v1`. */
export const stripMessagesPrefix: RequestHandler = (req, _res, next) => {
  if (belowPrefix.test(req.url)) {
    const stripped = req.url.slice(messagesPrefix.length);
    if (/^\/v1\//i.test(stripped)) req.url = stripped;
    req.headers[versionHeader] ??= '2023-06-01';
  }
  next();
};

/** Whether a path is a base URL of clients, who may ask with `HEAD` whether a server is there. */
export const isClientRoot = (path: string): boolean => /^\/?$/.test(path.replace(belowPrefix, ''));

/** Whether a client wants the list of models in the dialect's shape. */
export const speaksMessages = (headers: IncomingHttpHeaders): boolean => versionHeader in headers;
