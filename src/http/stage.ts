import type { Request, RequestHandler, Response } from 'express';

/** What a stage returns: `'answered'` if it has answered the request, else nothing. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a stage that returns nothing is the rule
export type StageEnd = 'answered' | void;

/**
 * Makes an Express handler of a synchronous or asynchronous function. Errors are passed to `next`,
 * because Express 4 ignores rejected promises. If the function does not return `'answered'`, the
 * next handler is called. A synchronous function stays synchronous, which saves an await per stage.
 */
export const stage =
  (run: (req: Request, res: Response) => StageEnd | Promise<StageEnd>): RequestHandler =>
  (req, res, next) => {
    try {
      const result = run(req, res);
      if (result instanceof Promise)
        result.then((end) => {
          if (end !== 'answered') next();
        }, next);
      else if (result !== 'answered') next();
    } catch (error) {
      next(error);
    }
  };

/** Makes a handler of a function that always answers. */
export function answer(run: (req: Request, res: Response) => void | Promise<void>): RequestHandler {
  return stage((req, res) => {
    const result = run(req, res);
    return result instanceof Promise ? result.then((): StageEnd => 'answered') : 'answered';
  });
}

/**
 * Combines handlers into one, which calls them in order; an error skips the rest. An Express
 * `Router` would do the same, but takes about 90 µs for three handlers, a fifth of the time of a
 * plan of 40 candidates (measured 2026-11-22).
 */
export function inOrder(...handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    const callFrom = (index: number): void => {
      const handler = handlers[index];
      if (!handler) {
        next();
        return;
      }
      void handler(req, res, (error?: unknown) => {
        if (error) next(error);
        else callFrom(index + 1);
      });
    };
    callFrom(0);
  };
}
