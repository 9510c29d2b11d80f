import { byteLine, type CompletionSink, type EventsEnd } from '../completion.js';
import { type Fields, isObject } from '../text/is-object.js';

type Check = (value: unknown) => boolean;
/** The fields that a client reads of an object, and what they have to be. */
export interface Shape {
  readonly [field: string]: Check;
}

/** Whether a value is an object whose fields are as they have to be. */
export function fits(value: unknown, shape: Shape): value is Fields {
  if (!isObject(value)) return false;
  // not by a list of entries, which costs several µs
  for (const field in shape) if (!shape[field]!(value[field])) return false;
  return true;
}

/** Whether a value is an object with a type, and has the shape of that type, if there is one. */
export const isTyped = (value: unknown, shapes: Readonly<Record<string, Shape>>): value is Fields =>
  isObject(value) && isFull(value['type']) && fits(value, shapes[String(value['type'])] ?? {});

/** A text, which may be empty. */
export const isString: Check = (value) => typeof value === 'string';
/** A text that is not empty. */
export const isFull: Check = (value) => isString(value) && value !== '';
/** A whole number, not below 0. */
export const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
/** Either the one or the other. */
export const either =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
/** Absent, or right. */
export const perhaps =
  (isRight: Check): Check =>
  (value) =>
    value === undefined || isRight(value);
/** Absent, null or right. */
export const nullable =
  (isRight: Check): Check =>
  (value) =>
    value === undefined || value === null || isRight(value);
/** A list of what is right. */
export const list =
  (isRight: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isRight);
/** As `fits`. */
export const object =
  (shape: Shape): Check =>
  (value) =>
    fits(value, shape);

/** A block or an item that has begun. */
export interface Begun extends Readonly<EventsEnd['open'][number]> {
  /** How many parts of it have begun. */
  parts: number;
  /** Whether some of its text has come. */
  hasSpoken: boolean;
}

/**
 * Passes on a provider's own events, for clients of its dialect, until one comes that a client could
 * not read: from there on the client gets what was read of them.
 */
export abstract class OwnEvents<Event extends { type?: string }> {
  protected hasBegun = false;
  protected count = 0;
  /** By their index; what has ended is not in it. */
  protected readonly open = new Map<unknown, Begun>();
  /** Items that have ended, by their index. */
  protected readonly ended: unknown[] = [];
  /** That of the last text: those that follow unread belong to it. */
  protected speaking: Begun | null = null;
  /** Of calls of the client's tools: results are matched by them. */
  protected readonly callIds = new Set<unknown>();

  /** @param goesOn whether the client gets any */
  constructor(
    private readonly sink: CompletionSink,
    private goesOn: boolean,
  ) {}

  pass(event: Event, name: string | undefined, text: string): void {
    if (!this.goesOn) return;
    if (this.isRight(event)) this.sink.event?.(name, byteLine(text));
    else this.end();
  }

  /** An event that differs from an earlier one in its text alone. @param data a byte string */
  passText(name: string | undefined, data: string): void {
    if (!this.goesOn) return;
    const { speaking } = this;
    // that of a block that has ended
    if (!speaking || this.open.get(speaking.index) !== speaking) this.end();
    else this.sink.event?.(name, data);
  }

  /** No more of them are passed on. */
  end(): void {
    if (!this.goesOn) return;
    this.goesOn = false;
    const { hasBegun, count, open, ended } = this;
    this.sink.event?.(undefined, { hasBegun, count, open: [...open.values()], ended });
  }

  /** Whether a client can read an event, after those before it. */
  protected abstract isRight(event: Event): boolean;

  protected isNew(id: unknown): boolean {
    const isNew = !this.callIds.has(id);
    this.callIds.add(id);
    return isNew;
  }

  protected begin(index: number, type: string, id = '', callId = ''): true {
    this.open.set(index, { index, type, id, callId, parts: 0, hasSpoken: false });
    this.count++;
    return true;
  }
}
