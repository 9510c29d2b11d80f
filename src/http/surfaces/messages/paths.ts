import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';

/** Where the dialect's paths are too, for clients whose base URL is another dialect's. */
export const messagesPrefix = '/anthropic';

/** By this header a client says that it speaks the dialect. */
const versionHeader = 'anthropic-version';

/** Has a request below the prefix go on as the same one without it. */
export const stripMessagesPrefix: RequestHandler = (req, _res, next) => {
  const { length } = messagesPrefix;
  if (req.url.slice(0, length + 4).toLowerCase() === `${messagesPrefix}/v1/`) {
    req.url = req.url.slice(length);
    req.headers[versionHeader] ??= '2023-06-01';
  }
  next();
};

/** Whether a client wants the list of models in the dialect's shape. */
export const speaksMessages = (headers: IncomingHttpHeaders): boolean => versionHeader in headers;
