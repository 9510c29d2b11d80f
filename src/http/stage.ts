import type { Request, RequestHandler, Response } from 'express';

type Outcome = 'answered' | undefined | void;

/**
 * Makes a stage of a function that may be asynchronous. Express 4 ignores a rejected handler, so a stage catches its own failure and
 * hands it to `next`. A stage that has answered returns `'answered'`; any other goes on to the next one.
 */
export function stage(run: (req: Request, res: Response) => Outcome | Promise<Outcome>): RequestHandler {
  return (req, res, next) => {
    try {
      const result = run(req, res);
      if (result instanceof Promise) result.then((end) => { if (end !== 'answered') next(); }, next);
      else if (result !== 'answered') next();
    } catch (error) {
      next(error);
    }
  };
}
