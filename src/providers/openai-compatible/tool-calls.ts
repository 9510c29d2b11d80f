import {
  type ChatRequest,
  type ChunkChoice,
  type ChunkDelta,
  functionName,
} from '../../completion.js';
import { exactJson } from '../../text/exact-json.js';
import { asList, type Fields, isObject, objectsIn, textIn } from '../../text/is-object.js';
import { CallIds } from '../answer-chunks.js';
import { CallArguments } from '../call-arguments.js';
import { countIn } from './usage.js';

interface KnownCall {
  /** The provider's index, or the position in the chunk where it sent none. */
  readonly key: number;
  /** The provider's own id; '' if it sent none. */
  id: string;
  name: string;
  /** What came of its name while it was not told. */
  begun: string;
  readonly args: CallArguments;
  /** What the client gets of them when it knows of the call. */
  held: string;
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
  /** OpenAI's older form. */
  function_call?: unknown;
}

/**
 * Corrects the tool calls of a choice, so that every client can join them. Clients join the pieces
 * of a call by `index`, some add up texts that are repeated, and results are matched by
 * `id`. Some servers send no index, or 0 for every call; no id, another one with each piece, or one
 * for several calls; the name late, or with each piece.
 */
export class MendedCalls {
  private readonly calls: KnownCall[] = [];
  /** The last one of each key. */
  private readonly keyed = new Map<number, KnownCall>();
  private readonly ids = new CallIds();
  private count = 0;
  /** A finish reason that the client gets with the rest of the calls; null: with none. */
  end: string | null | undefined;
  /** The last finish reason that came. */
  reason: string | undefined;

  /**
   * @param isWhole whether each call comes in one piece
   * @param tools the client's, of whose names some servers send pieces
   */
  constructor(
    private readonly isWhole: boolean,
    private readonly tools?: ChatRequest['tools'],
  ) {}

  /** Whether there are calls with a name. */
  get hasAny(): boolean {
    return this.count > 0 || this.calls.some(({ begun }) => begun !== '');
  }

  /** Whether there are calls and the arguments of each are JSON. */
  get areWhole(): boolean {
    return (
      this.count > 0 &&
      this.calls.every(({ index, begun, args }) => (index === null ? begun === '' : args.areWhole))
    );
  }

  /** Corrects the calls of a delta or a message in place. @returns whether anything was changed */
  mend(holder: Holder): boolean {
    let changed = takeOlder(holder);
    const { tool_calls: given } = holder;
    if (given === undefined || given === null) return changed;
    const pieces = [given].flat().filter(isObject) as Piece[];
    const told: Piece[] = [];
    for (const [position, piece] of pieces.entries()) {
      if (typeof piece.index === 'string') changed = put(piece, 'index', countIn(piece.index));
      if (normalize(piece)) changed = true;
      // one that says no more than arguments goes on with the last call
      const isTail = pieces.length === 1 && idOf(piece) + nameOf(piece) === '';
      const call = this.callOf(piece, isTail ? (this.calls.at(-1)?.key ?? 0) : position);
      const isNew = call.index === null;
      // clients read the name of the first piece
      if (isNew && this.isUnnamed(call, piece)) hold(call, piece);
      else {
        if (isNew ? this.begin(call, piece) : goOn(call, piece)) changed = true;
        told.push(piece);
      }
    }
    if (!changed && Array.isArray(given) && told.length === given.length) return false;
    holder.tool_calls = told;
    return true;
  }

  /** Whether an end has come before a call is whole: some servers send the rest behind it. */
  isEarly(reason: string): boolean {
    // what a custom tool gets is text, of which nothing tells the end
    const isEarly = this.calls.some(({ index, begun, args, isFunction }) =>
      index === null ? begun !== '' : isFunction && !args.areWhole,
    );
    if (reason !== this.reason) this.end = isEarly ? (this.end ?? reason) : undefined;
    return isEarly;
  }

  /** The end that waited. @param index of the choice */
  takeEnd(index: number): ChunkChoice | null {
    const { end } = this;
    if (end === undefined) return null;
    this.end = undefined;
    const delta: ChunkDelta = {};
    return this.complete(delta, end) || end !== null ? { index, delta, finish_reason: end } : null;
  }

  /**
   * Adds what clients lack of the calls when the answer ends, but no name that its limit has cut.
   * @returns whether it is anything
   */
  complete(holder: Holder, reason: string | null): boolean {
    const list = (holder.tool_calls ?? []) as Piece[];
    const { length } = list;
    for (const call of this.calls) {
      if (call.index === null && call.begun !== '' && reason !== 'length') {
        const piece: Piece = {};
        this.begin(call, piece);
        list.push(piece);
      }
      const { index, args, isFunction } = call;
      const rest = index !== null && isFunction ? args.end() : '';
      if (rest !== '') list.push({ index, function: { arguments: rest } });
    }
    if (list.length > length) holder.tool_calls = list;
    return list.length > length;
  }

  /** Whether a call has no name yet, or a part of a tool's, and no arguments. */
  private isUnnamed(call: KnownCall, piece: Piece): boolean {
    const name = begunName(call, piece);
    if (name === '') return call.name === '';
    if (!call.isFunction || call.args.hasAny || piece.function?.arguments) return false;
    const names = objectsIn(this.tools).map((tool) => textIn(functionName(tool)));
    return names.some((one) => one !== name && one.startsWith(name));
  }

  private callOf(piece: Piece, position: number): KnownCall {
    const key = typeof piece.index === 'number' ? piece.index : position;
    const known = this.isWhole ? undefined : knownCall(this.calls, piece, this.keyed.get(key));
    if (known) return known;
    const isFunction = piece['custom'] === undefined;
    const args = new CallArguments();
    const name = this.keyed.get(key)?.name ?? '';
    const call = { key, id: '', name, begun: '', args, held: '', index: null, isFunction };
    this.calls.push(call);
    this.keyed.set(key, call);
    return call;
  }

  /** Gives the first piece of a call what clients read of it. @returns whether that was missing */
  private begin(call: KnownCall, piece: Piece): boolean {
    hold(call, piece);
    call.index = this.count++;
    call.name = call.begun || call.name;
    let changed = put(piece, 'id', this.ids.of(call.id));
    if (!this.isWhole && put(piece, 'index', call.index)) changed = true;
    if (!call.isFunction) return changed;
    if (put(piece, 'type', 'function')) changed = true;
    const called = (piece.function ??= {});
    if (put(called, 'name', call.name)) changed = true;
    const told = this.isWhole ? call.held || call.args.end() : call.held;
    return put(called, 'arguments', told) || changed;
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

/** Which of the known calls a piece belongs to; undefined: it begins one. @param keyed by its index */
function knownCall(
  calls: readonly KnownCall[],
  piece: Piece,
  keyed: KnownCall | undefined,
): KnownCall | undefined {
  const [id, name] = [idOf(piece), nameOf(piece)];
  const named =
    typeof piece.index === 'number' || id === ''
      ? -1
      : calls.findLastIndex((call) => call.id === id);
  const known = calls[named] ?? keyed ?? lastOpen(calls, id + name !== '');
  if (!known) return undefined;
  const args = piece.function?.arguments;
  const text = textIn(args).trim();
  if (id !== '' && known.id !== '' && known.id !== id) {
    const isMore = text !== '' && name === known.name && !known.args.areWhole;
    return name === '' || isMore ? known : undefined;
  }
  // after whole arguments, a name with arguments is another call, unless they are the same again;
  // where calls have no ids, another name or an object alone is one too
  const isAnother =
    name !== ''
      ? text !== '' || (id + known.id === '' && name !== known.name)
      : id + known.id === '' && text.startsWith('{') && known.args.hasAny;
  if (!isAnother || !known.args.areWhole) return known;
  return (id !== '' || name === '') && known.args.isAgain(args) ? known : undefined;
}

/** For a piece that says no more than arguments the last call, if unfinished. */
function lastOpen(calls: readonly KnownCall[], isNamed: boolean): KnownCall | undefined {
  const last = calls.at(-1);
  return isNamed || last?.args.areWhole ? undefined : last;
}

/** What has come of a call's name, with this piece: the next part of it, or all of it again. */
function begunName({ begun }: KnownCall, piece: Piece): string {
  const name = nameOf(piece);
  return name.startsWith(begun) ? name : begun + name;
}

function hold(call: KnownCall, piece: Piece): void {
  call.id ||= idOf(piece);
  call.begun = begunName(call, piece);
  call.held += call.args.add(piece.function?.arguments);
}

/** Takes out of a later piece what the client has already. @returns whether there was any */
function goOn(call: KnownCall, piece: Piece): boolean {
  let changed = put(piece, 'index', call.index);
  if (piece.id && put(piece, 'id', undefined)) changed = true;
  const { function: called } = piece;
  if (!called) return changed;
  const name = textIn(called.name);
  if (name !== '' && name === call.name) changed = put(called, 'name', undefined);
  else call.name += name;
  call.id ||= idOf(piece);
  if (called.arguments === undefined) return changed;
  return put(called, 'arguments', call.args.add(called.arguments)) || changed;
}

/** What servers call the arguments of a function. */
const argumentNames = ['arguments', 'parameters', 'input', 'args'] as const;

/** Makes one shape of what servers send as a call. @returns whether it was another */
function normalize(piece: Piece): boolean {
  if (piece['custom'] !== undefined) return false;
  const { function: given } = piece;
  const name = textIn(given?.name);
  // gpt-oss's format, of which some servers leave marks: `weather<|channel|>json`; of GLM's a line break
  const plain = (name.includes('<|') ? name.replace(/<\|[^]*$/, '') : name).trim();
  const changed = plain !== name && put(given!, 'name', plain);
  const holder: Fields = isObject(given) ? given : piece;
  const field = argumentNames.find((one) => holder[one] !== undefined);
  const args = field && holder[field];
  const isText = !args || typeof args === 'string';
  if (holder === given && (field ?? 'arguments') === 'arguments' && isText) return changed;
  const called: Fields = holder === given ? given : { name: piece['name'] };
  if (field) {
    holder[field] = undefined;
    called['arguments'] = isText ? args : exactJson(args);
  }
  if (holder === piece) piece['name'] = undefined;
  piece.function = called;
  return true;
}

/** Takes OpenAI's older form of a call for one of the newer. @returns whether there was any */
function takeOlder(holder: Holder): boolean {
  const { function_call: older, tool_calls: calls } = holder;
  if (!older) return false;
  holder.function_call = undefined;
  const isCall = isObject(older) && Boolean(older['name'] || older['arguments']);
  if (isCall && asList(calls).length === 0) holder.tool_calls = [{ function: older }];
  return true;
}
