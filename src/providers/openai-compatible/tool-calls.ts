import { randomUUID } from 'node:crypto';
import type { ChunkChoice } from '../../completion.js';
import { isObject } from '../../text/is-object.js';
import { parseJson } from '../json.js';

interface KnownCall {
  /** The provider's index, or the position in the chunk where it sent none. */
  readonly key: number;
  /** The provider's own id; '' if it sent none. */
  id: string;
  name: string;
  arguments: string;
}

/** The pieces of a call as servers send them: any of it may be missing or null. */
interface Piece {
  index?: unknown;
  id?: unknown;
  type?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
  [field: string]: unknown;
}

/**
 * Corrects the tool calls of a stream, so that every client can join them. Clients join the pieces
 * of a call by `index`, some add up texts that are repeated, and results are matched by `id`. Some
 * servers send no index, or 0 for every call; no id, or one with each piece; the name with each
 * piece; arguments as an object.
 */
export class StreamedCalls {
  private readonly choices = new Map<number, KnownCall[]>();

  /** Whether the choice has calls. */
  has(choice: number): boolean {
    return this.choices.has(choice);
  }

  /** Whether there are calls and the arguments of each are JSON. */
  get areWhole(): boolean {
    const calls = [...this.choices.values()].flat();
    return calls.length > 0 && calls.every(isWhole);
  }

  /** Corrects the tool calls of a choice in place. @returns whether anything was changed */
  mend({ index, delta }: Pick<ChunkChoice, 'index' | 'delta'>): boolean {
    const { calls: pieces, isMended } = mendList(delta);
    if (pieces.length === 0) return isMended;
    const calls = this.choices.get(index) ?? [];
    this.choices.set(index, calls);
    return pieces.map((piece, at) => mendPiece(calls, piece, at)).some(Boolean) || isMended;
  }
}

/** Corrects the calls of a whole message in place. @returns whether anything was changed */
export function mendCalls(message: { tool_calls?: unknown }): boolean {
  const { calls, isMended } = mendList(message);
  // each is a call of its own
  return calls.map(completeCall).some(Boolean) || isMended;
}

/** Makes a list of objects of what some servers send in its place. */
function mendList(holder: { tool_calls?: unknown }): { calls: Piece[]; isMended: boolean } {
  const { tool_calls: given } = holder;
  if (given === undefined || given === null) return { calls: [], isMended: false };
  const calls = [given].flat().filter(isObject) as Piece[];
  const isMended = !Array.isArray(given) || calls.length < given.length;
  if (isMended) holder.tool_calls = calls;
  return { calls, isMended };
}

function mendPiece(calls: KnownCall[], piece: Piece, position: number): boolean {
  const key = typeof piece.index === 'number' ? piece.index : position;
  const id = idOf(piece);
  const place = placeOf(calls, piece, key);
  const isFirst = place === -1;
  const index = isFirst ? calls.push({ key, id, name: '', arguments: '' }) - 1 : place;
  const call = calls[index]!;
  let changed = isFirst ? completeCall(piece) : leaveOutRepeated(call, piece);
  if (piece.index !== index) {
    piece.index = index;
    changed = true;
  }
  call.id ||= id;
  call.name += textOf(piece.function?.name);
  call.arguments += textOf(piece.function?.arguments);
  return changed;
}

const idOf = ({ id }: Piece): string => (typeof id === 'number' ? String(id) : textOf(id));
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

// most pieces of arguments end otherwise, and need not be parsed again and again
const isWhole = ({ arguments: json }: KnownCall): boolean =>
  /[}\]]\s*$/.test(json.slice(-8)) && parseJson(json) !== null;

/** Which of the known calls a piece belongs to; -1: it begins one. */
function placeOf(calls: readonly KnownCall[], piece: Piece, key: number): number {
  const id = idOf(piece);
  const at = calls.findLastIndex((call) => call.key === key);
  const known = calls[at];
  if (!known) return -1;
  if (id !== '' && known.id !== '') return known.id === id ? at : -1;
  // without ids, a name and arguments after whole arguments are another call
  const { name, arguments: args } = piece.function ?? {};
  const isAnother = name && args && textOf(args).trim() !== '' && isWhole(known);
  return isAnother ? -1 : at;
}

/** Gives the first piece of a call what clients read of it. @returns whether that was missing */
function completeCall(piece: Piece): boolean {
  let changed = stringifyArguments(piece);
  if (typeof piece.id !== 'string' || piece.id === '') {
    piece.id = idOf(piece) || `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
    changed = true;
  }
  // a custom tool's call has no function
  if (piece['custom'] !== undefined) return changed;
  if (!piece.type) {
    piece.type = 'function';
    changed = true;
  }
  const { name, arguments: args } = piece.function ?? {};
  if (typeof name === 'string' && typeof args === 'string') return changed;
  piece.function = { ...piece.function, name: textOf(name), arguments: textOf(args) };
  return true;
}

/** Takes out of a later piece what the client has already. @returns whether there was any */
function leaveOutRepeated(call: KnownCall, piece: Piece): boolean {
  let changed = stringifyArguments(piece);
  if (piece.id) {
    delete piece.id;
    changed = true;
  }
  const { function: called } = piece;
  if (called?.name && called.name === call.name) {
    delete called.name;
    changed = true;
  }
  return changed;
}

/** Makes text of arguments that a server sent as an object. @returns whether it did */
function stringifyArguments({ function: called }: Piece): boolean {
  const given = called?.arguments;
  if (!called || given === undefined || typeof given === 'string') return false;
  called.arguments = given === null ? '' : JSON.stringify(given);
  return true;
}
