import { exactJson } from '../../text/exact-json.js';
import type { PartialArgument } from './wire.js';

type Container = Record<string, unknown> | unknown[];

const pathStep = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]/g;
const maxListLength = 10_000;

/** Assembles a function call's arguments from pieces with a path each (`$.items[0].name`). */
export class PartialArguments {
  /** Without a prototype: a path may contain `__proto__`. */
  private readonly root = Object.create(null) as Record<string, unknown>;

  /** Adds pieces in the order of their arrival; a string continues the one at the same path. */
  add(pieces: readonly PartialArgument[]): void {
    for (const piece of pieces) this.put(piece);
  }

  /** Adds arguments that arrived whole. */
  merge(args: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(args)) this.root[name] = value;
  }

  /** The arguments as JSON text. */
  toJson(): string {
    return exactJson(this.root);
  }

  private put(piece: PartialArgument): void {
    const steps = stepsOf(piece.jsonPath ?? '');
    const last = steps.pop();
    if (last === undefined) return;
    let at: Container = this.root;
    for (const [position, step] of steps.entries()) {
      const next: string | number = steps[position + 1] ?? last;
      const inner: unknown = read(at, step);
      const container: Container =
        typeof inner === 'object' && inner !== null ? (inner as Container) : emptyFor(next);
      if (container !== inner) write(at, step, container);
      at = container;
    }
    const before = read(at, last);
    const value = piece.stringValue ?? piece.numberValue ?? piece.boolValue ?? null;
    write(
      at,
      last,
      typeof before === 'string' && typeof value === 'string' ? before + value : value,
    );
  }
}

const stepsOf = (path: string): (string | number)[] =>
  [...path.matchAll(pathStep)].map(([, name, position, single, double]) =>
    position === undefined ? (name ?? single ?? double ?? '') : Number(position),
  );

const emptyFor = (step: string | number): Container =>
  typeof step === 'number' ? [] : (Object.create(null) as Record<string, unknown>);

const read = (container: Container, step: string | number): unknown =>
  Array.isArray(container) ? container[Number(step)] : container[String(step)];

function write(container: Container, step: string | number, value: unknown): void {
  if (!Array.isArray(container)) container[String(step)] = value;
  else if (typeof step === 'number' && step < maxListLength) container[step] = value;
}
