import { argumentsJson, exactJson } from '../../text/exact-json.js';
import { isObject, textIn } from '../../text/is-object.js';
import { madeCallId } from '../answer-chunks.js';
import { parseJson } from '../json.js';

interface KnownCall {
  /** The provider's index, or the position in the chunk where it sent none. */
  readonly key: number;
  /** The provider's own id; '' if it sent none. */
  id: string;
  name: string;
  arguments: string;
  /** Whether the client does not know of its arguments `{}`, or of text: others may follow. */
  isHeld: boolean;
  /** Its place among the calls that the client knows; null: it does not know this one yet. */
  index: number | null;
  /** False: a custom tool's, which has no arguments. */
  readonly isFunction: boolean;
}

/** The pieces of a call as servers send them: any of it may be missing or null. */
interface Piece {
  index?: unknown;
  id?: unknown;
  type?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
  [field: string]: unknown;
}

interface Holder {
  tool_calls?: unknown;
}

/**
 * Corrects the tool calls of a choice, so that every client can join them. Clients join the pieces
 * of a call by `index`, some add up texts that are repeated, results are matched by `id`, and the
 * arguments are parsed. Some servers send no index, or 0 for every call; no id, another one with each
 * piece, or one for several calls; the name late, or with each piece; arguments as an object, none,
 * `{}` before others, or all of them again at the end.
 */
export class MendedCalls {
  private readonly calls: KnownCall[] = [];
  private readonly ids = new Set<string>();
  private count = 0;

  /** @param isWhole whether each call comes in one piece */
  constructor(private readonly isWhole: boolean) {}

  /** Whether the client knows of calls. */
  get hasAny(): boolean {
    return this.count > 0;
  }

  /** Whether there are calls and the arguments of each are JSON. */
  get areWhole(): boolean {
    return this.hasAny && this.calls.every((call) => call.index === null || isComplete(call));
  }

  /** Corrects the calls of a delta or a message in place. @returns whether anything was changed */
  mend(holder: Holder): boolean {
    const { tool_calls: given } = holder;
    if (given === undefined || given === null) return false;
    const pieces = [given].flat().filter(isObject) as Piece[];
    const told: Piece[] = [];
    let changed = false;
    for (const [position, piece] of pieces.entries()) {
      if (normalize(piece)) changed = true;
      const call = this.callOf(piece, position);
      const isNew = call.index === null;
      // clients read the name of the first piece
      if (isNew && nameOf(piece) === '') hold(call, piece);
      else {
        if (isNew ? this.begin(call, piece) : goOn(call, piece)) changed = true;
        told.push(piece);
      }
    }
    if (!changed && Array.isArray(given) && told.length === given.length) return false;
    holder.tool_calls = told;
    return true;
  }

  /** Adds the arguments of calls that have none. @returns whether there are any */
  complete(holder: Holder): boolean {
    const bare = this.calls.filter(
      (call) => call.index !== null && call.isFunction && (call.isHeld || call.arguments === ''),
    );
    const list = (holder.tool_calls ?? []) as Piece[];
    for (const call of bare) {
      const args = isTwice(call) ? argumentsJson(call.arguments) : '{}';
      Object.assign(call, { arguments: args, isHeld: false });
      if (this.isWhole) Object.assign(list[call.index!]?.function ?? {}, { arguments: args });
      else list.push({ index: call.index, function: { arguments: args } });
    }
    if (bare.length > 0) holder.tool_calls = list;
    return bare.length > 0;
  }

  private callOf(piece: Piece, position: number): KnownCall {
    const key = typeof piece.index === 'number' ? piece.index : position;
    const known = this.isWhole ? undefined : knownCall(this.calls, piece, key);
    if (known) return known;
    const isFunction = piece['custom'] === undefined;
    const call = { key, id: '', name: '', arguments: '', isHeld: false, index: null, isFunction };
    this.calls.push(call);
    return call;
  }

  /** Gives the first piece of a call what clients read of it. @returns whether that was missing */
  private begin(call: KnownCall, piece: Piece): boolean {
    hold(call, piece);
    call.index = this.count++;
    call.name = nameOf(piece);
    call.isHeld =
      call.arguments === 'null' || isTwice(call) || (call.arguments === '{}' && !this.isWhole);
    const isOwn = call.id !== '' && !this.ids.has(call.id);
    const id = isOwn ? call.id : madeCallId();
    this.ids.add(id);
    let changed = put(piece, 'id', id);
    if (!this.isWhole && put(piece, 'index', call.index)) changed = true;
    if (!call.isFunction) return changed;
    if (put(piece, 'type', 'function')) changed = true;
    const called = (piece.function ??= {});
    if (put(called, 'name', call.name)) changed = true;
    return put(called, 'arguments', call.isHeld ? '' : call.arguments) || changed;
  }
}

/** Sets a field. @returns whether it was another value */
function put<Holder extends object, Field extends keyof Holder>(
  holder: Holder,
  field: Field,
  value: Holder[Field],
): boolean {
  if (holder[field] === value) return false;
  holder[field] = value;
  return true;
}

const idOf = ({ id }: Piece): string => (typeof id === 'number' ? String(id) : textIn(id));
const nameOf = ({ function: called, custom }: Piece): string =>
  textIn(called?.name ?? (custom as Piece['function'])?.name);

/** Arguments that are encoded twice can be read when they are whole. */
const isTwice = ({ arguments: json }: KnownCall): boolean => /^\s*"/.test(json);

// most pieces of arguments end otherwise, and need not be parsed again and again
const isComplete = ({ arguments: json }: KnownCall): boolean =>
  /[}\]]"?\s*$/.test(json.slice(-8)) && parseJson(json) !== null;

/** Which of the known calls a piece belongs to; undefined: it begins one. */
function knownCall(calls: readonly KnownCall[], piece: Piece, key: number): KnownCall | undefined {
  const known = calls.findLast((call) => call.key === key);
  if (!known) return undefined;
  const [id, name] = [idOf(piece), nameOf(piece)];
  if (id !== '' && known.id !== '' && known.id !== id) return name === '' ? known : undefined;
  // a name and arguments after whole arguments are another call, unless they are the same again
  const args = textIn(piece.function?.arguments);
  const isAgain = id !== '' && args === known.arguments;
  const isAnother = name !== '' && args.trim() !== '' && !isAgain && isComplete(known);
  return isAnother ? undefined : known;
}

function hold(call: KnownCall, piece: Piece): void {
  const more = textIn(piece.function?.arguments);
  call.id ||= idOf(piece);
  const isReplaced = call.isHeld && more !== '' && !isTwice(call);
  call.arguments = isReplaced ? more : call.arguments + more;
  call.isHeld = isTwice(call) || (call.isHeld && more === '');
}

/** Takes out of a later piece what the client has already. @returns whether there was any */
function goOn(call: KnownCall, piece: Piece): boolean {
  let changed = put(piece, 'index', call.index);
  if (piece.id && put(piece, 'id', undefined)) changed = true;
  const { function: called } = piece;
  if (!called) return changed;
  const [name, args] = [textIn(called.name), textIn(called.arguments)];
  if (name !== '' && name === call.name) changed = put(called, 'name', undefined);
  else call.name += name;
  const isAgain = args !== '' && args === call.arguments && isComplete(call);
  if (isAgain) changed = put(called, 'arguments', '');
  else hold(call, piece);
  return (call.isHeld && put(called, 'arguments', '')) || changed;
}

/** Makes one shape of what servers send as arguments. @returns whether it was another */
function normalize(piece: Piece): boolean {
  let changed = false;
  if (!piece.function && typeof piece['name'] === 'string') {
    piece.function = { name: piece['name'], arguments: piece['arguments'] };
    piece['name'] = piece['arguments'] = undefined;
    changed = true;
  }
  const { function: called } = piece;
  const given = called?.arguments;
  if (!called || given === undefined || typeof given === 'string') return changed;
  called.arguments = given === null ? '' : exactJson(given);
  return true;
}
