import { isObject, type Json, textIn } from '../../../text/is-object.js';
import { capital, digit, kindOf, letter, lowered } from './characters.js';
import type { GramBag } from './grams.js';
import { bucketOf, emptyHash, hashNext } from './grams.js';

const salts = {
  name: 5,
  description: 6,
  parameter: 7,
  pair: 8,
  opening: 9,
  shape: 10,
  spelling: 11,
  count: 12,
};
/** Further tools are counted, but not read. */
const maxTools = 32;
const maxDescriptionLength = 400;
const maxNodes = 200;

/** One tool, in either of the shapes that clients send. */
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

function toolOf(sent: unknown): Tool {
  const outer = isObject(sent) ? sent : {};
  const inner = isObject(outer['function']) ? outer['function'] : outer;
  const parameters = inner['parameters'] ?? inner['input_schema'];
  return {
    name: textIn(inner['name']),
    description: textIn(inner['description']),
    parameters: isObject(parameters) ? parameters : {},
  };
}

/** Hashes of a text's words, in lower case; `fooBar`, `foo_bar` and `foo.bar` are two each. */
function hashesOf(text: string, maxLength: number): number[] {
  const found: number[] = [];
  let hash = emptyHash,
    length = 0,
    before = -1;
  const to = Math.min(text.length, maxLength);
  for (let at = 0; at <= to; at++) {
    const code = at < to ? text.charCodeAt(at) : 32;
    const kind = kindOf(code);
    const isPart = (kind === letter && code !== 95) || kind === capital || kind === digit;
    if (length > 0 && (!isPart || (kind === capital && before === letter))) {
      found.push(hash);
      hash = emptyHash;
      length = 0;
    }
    if (isPart) {
      hash = hashNext(hash, kind === capital ? lowered(code) : code);
      length++;
    }
    before = kind;
  }
  return found;
}

/** Counts the tools that a request offers, and their n-grams. */
export class ToolScan {
  tools = 0;
  parameters = 0;
  required = 0;
  enums = 0;
  depth = 0;
  chars = 0;
  /** The share of the best-matching tool's name, and of its description, that was said before. */
  nameOverlap = 0;
  descriptionOverlap = 0;
  private nodes = 0;
  private before = 0;

  constructor(
    private readonly bag: GramBag,
    private readonly said: ReadonlySet<number>,
  ) {}

  scan(sent: readonly unknown[]): void {
    this.tools = sent.length;
    if (sent.length > 0) this.bag.add(bucketOf(Math.min(6, sent.length), salts.count));
    for (const one of sent.slice(0, maxTools)) this.scanTool(toolOf(one));
  }

  private scanTool({ name, description, parameters }: Tool): void {
    this.chars += name.length + description.length;
    const named = hashesOf(name, 100);
    const described = hashesOf(description, maxDescriptionLength);
    for (const hash of named) this.bag.add(bucketOf(hash, salts.name));
    for (const hash of described) this.bag.add(bucketOf(hash, salts.description));
    if (described.length > 0) this.bag.add(bucketOf(described[0]!, salts.opening));
    this.nameOverlap = Math.max(this.nameOverlap, this.shareSaid(named));
    this.descriptionOverlap = Math.max(this.descriptionOverlap, this.shareSaid(described));
    const spelling =
      (name.includes('.') ? 1 : 0) + (name.includes('_') ? 2 : 0) + (/[A-Z]/.test(name) ? 4 : 0);
    this.bag.add(bucketOf(spelling, salts.spelling));
    this.nodes = 0;
    const before = { parameters: this.parameters, required: this.required };
    this.walk(parameters, 0);
    this.bag.add(
      bucketOf(
        (this.parameters - before.parameters) * 64 + (this.required - before.required),
        salts.shape,
      ),
    );
  }

  private shareSaid(hashes: readonly number[]): number {
    return hashes.filter((hash) => this.said.has(hash)).length / Math.max(1, hashes.length);
  }

  /** Reads the names, types and descriptions of a JSON Schema: at most `maxNodes` nodes. */
  private walk(schema: Json, depth: number): void {
    if (++this.nodes > maxNodes || depth > 6) return;
    this.depth = Math.max(this.depth, depth);
    this.word(textIn(schema['type']), 20);
    this.words(textIn(schema['description']), 120);
    if (Array.isArray(schema['enum'])) this.enums++;
    if (Array.isArray(schema['required'])) this.required += schema['required'].length;
    if (isObject(schema['items'])) this.walk(schema['items'], depth + 1);
    if (isObject(schema['properties'])) this.walkProperties(schema['properties'], depth);
  }

  private walkProperties(properties: Json, depth: number): void {
    for (const [name, property] of Object.entries(properties).slice(0, maxNodes)) {
      this.parameters++;
      this.words(name, 60);
      if (isObject(property)) this.walk(property, depth + 1);
    }
  }

  private words(text: string, maxLength: number): void {
    this.chars += text.length;
    this.word(text, maxLength);
  }

  private word(text: string, maxLength: number): void {
    for (const hash of hashesOf(text, maxLength)) this.add(hash);
  }

  private add(hash: number): void {
    this.bag.add(bucketOf(hash, salts.parameter));
    if (this.before !== 0) this.bag.add(bucketOf(Math.imul(this.before, 31) ^ hash, salts.pair));
    this.before = hash;
  }
}
