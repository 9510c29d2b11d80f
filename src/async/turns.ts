import { setImmediate as nextIteration } from 'node:timers/promises';

/** How long work on large inputs may hold the event loop, of all requests together. */
const maxTurnMs = 8;
/** When the turn ends, by `performance.now()`; null: none has begun since others proceeded. */
let endsAt: number | null = null;
let lastInLine: Promise<unknown> = Promise.resolve();

/** Whether work on a large input should wait for `nextTurn`, so that other requests proceed. */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (endsAt === null) {
    endsAt = now + maxTurnMs;
    setImmediate(() => (endsAt = null));
  }
  return now >= endsAt;
}

/** Waits for a turn. Callers get one turn each, first come, first served. */
export async function nextTurn(): Promise<void> {
  lastInLine = lastInLine.then(() => nextIteration());
  await lastInLine;
  endsAt = performance.now() + maxTurnMs;
}

/** Does long work in turns. @param work yields where it may be interrupted: about every ms */
export async function inTurns<T>(work: Generator<unknown, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (isTurnOver()) await nextTurn();
  }
}

/** Does the work without interruption: for inputs that are known to be short. */
export function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Splits a text into pieces of about `length`, never within a surrogate pair. */
export function* piecesOf(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = start + length;
    const splits = /[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(end - 1, end + 1));
    yield text.slice(start, splits ? end + 1 : end);
    start = splits ? end + 1 : end;
  }
}
