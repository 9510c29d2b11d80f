import type { Request, RequestHandler, Response } from 'express';

/** What a stage comes back with: nothing, or word that the request has been answered. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a stage that returns nothing is the rule
export type StageEnd = 'answered' | void;

/**
 * Makes a stage of a function that may be asynchronous. Express 4 ignores a rejected handler, so a stage catches its own failure and
 * hands it to `next`. A stage that has answered returns `'answered'`; any other goes on to the next one.
 */
export function stage(
  run: (req: Request, res: Response) => StageEnd | Promise<StageEnd>,
): RequestHandler {
  return (req, res, next) => {
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
}

/** Makes a last stage: one that always answers. */
export function answer(run: (req: Request, res: Response) => void | Promise<void>): RequestHandler {
  return stage((req, res) => {
    const result = run(req, res);
    return result instanceof Promise ? result.then((): StageEnd => 'answered') : 'answered';
  });
}
