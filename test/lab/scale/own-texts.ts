import { readdirSync, readFileSync } from 'node:fs';
import { toolsMark } from '../fit/published-evaluations.js';
import { filledTemplate, type Slots } from './fill-template.js';
import { userMark } from './request-of.js';

/** A prompt of our own. */
export interface OwnText {
  readonly kind: string;
  readonly tier: string;
  /** Two letters; null: not said. */
  readonly language: string | null;
  readonly text: string;
}

type Texts = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const folder = new URL('own/', import.meta.url);
/** So many texts of one template: many in English, where most requests are. */
const textsOfTemplate = { english: 10, other: 5 };
/** Of texts this short, some are also written as people write in a hurry. */
const maxHurried = 120;
const everyHurried = 3;

const flat = (texts: Texts): Omit<OwnText, 'language'>[] =>
  Object.entries(texts).flatMap(([kind, tiers]) =>
    Object.entries(tiers).flatMap(([tier, own]) => own.map((text) => ({ kind, tier, text }))),
  );

/**
 * Prompts of our own, for kinds, languages and difficulties that published ones hardly have. Each
 * file of the folder `own` has kinds, in them tiers, in them texts or templates with the `{slots}`
 * of the file. A file that is named for a language has texts in that language. What stands before
 * ` || ` is a system prompt. The kind `analysis` is read for difficulty and language alone: it is no
 * kind of request that models are told apart by.
 */
export function ownTexts(): OwnText[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const { slots = {}, ...texts } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
        readonly slots?: Slots;
      } & Texts;
      const language = /^([a-z]{2})[-.]/.exec(file)?.[1] ?? null;
      return flat(texts).flatMap((one, at) => filled({ ...one, language }, wordsOf(slots), at));
    });
}

/** Single words may be written as one text. */
const wordsOf = (slots: Readonly<Record<string, string | readonly string[]>>): Slots =>
  Object.fromEntries(
    Object.entries(slots).map(([name, words]) => [
      name,
      typeof words === 'string' ? words.split(' ') : words,
    ]),
  );

function filled(template: OwnText, slots: Slots, seed: number): OwnText[] {
  const { kind, language } = template;
  const usual = textsOfTemplate[(language ?? 'en') === 'en' ? 'english' : 'other'];
  // what is asked is a small part of a text with a passage: more of them tell it from the passage
  const most = /\{(passage|long|book)\}/.test(template.text) ? 2 * usual : usual;
  return filledTemplate(template.text, slots, { most, seed }).flatMap((text, at) => {
    const isHurried =
      language !== null && at % everyHurried === everyHurried - 1 && text.length <= maxHurried;
    const written = (isHurried ? hurried(text) : text).replace(' || ', userMark);
    return withTools(kind, written, seed + at).map((one) => ({ ...template, text: one }));
  });
}

const hurried = (text: string): string => text.toLowerCase().replace(/[.?!。？！]$/, '');

const toolOf = (name: string, description: string, fields: readonly string[]): object => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
  },
});
const workspaces = [
  [
    toolOf('run_command', 'Runs a command in the workspace and returns its output', ['command']),
    toolOf('read_file', 'Reads a file of the workspace', ['path']),
    toolOf('edit_file', 'Replaces text in a file of the workspace', ['path', 'old', 'new']),
  ],
  [
    toolOf('bash', 'Execute a shell command', ['command', 'timeout']),
    toolOf('view', 'View a file or a directory', ['path', 'range']),
    toolOf('str_replace', 'Replace a string in a file', ['path', 'old_str', 'new_str']),
    toolOf('create', 'Create a file', ['path', 'content']),
  ],
  [
    toolOf('grep', 'Searches files by a regular expression', ['pattern', 'path']),
    toolOf('read', 'Reads lines of a file', ['file', 'from', 'to']),
    toolOf('write', 'Writes a file', ['file', 'text']),
    toolOf('run_tests', 'Runs the tests', ['filter']),
    toolOf('git', 'Runs a git command', ['args']),
  ],
];
const services = [
  [
    toolOf('get_weather', 'Weather and forecast of a city', ['city', 'day']),
    toolOf('set_timer', 'Starts a timer or a reminder', ['minutes', 'label']),
    toolOf('send_message', 'Sends a message to a contact', ['contact', 'text']),
    toolOf('convert', 'Converts an amount between currencies', ['amount', 'from', 'to']),
  ],
  [
    toolOf('lookup', 'Looks up weather, prices of shares and rates', ['what', 'where']),
    toolOf('home', 'Controls lights, music and timers', ['device', 'action']),
    toolOf('book', 'Books tables and sends messages', ['what', 'when', 'who']),
  ],
];

/** Steps of agents come with tools, and without them where the host adds them later. */
function withTools(kind: string, text: string, at: number): string[] {
  const offered = (sets: readonly object[][]): string =>
    `${text}${toolsMark}${JSON.stringify(sets[at % sets.length])}`;
  if (kind === 'agentic') return [text, offered(workspaces)];
  return kind === 'tool call' ? [offered(services)] : [text];
}
