import { readFileSync } from 'node:fs';
import { toolsMark } from '../fit/published-evaluations.js';

/** A prompt of our own. */
export interface OwnText {
  readonly kind: string;
  readonly tier: string;
  readonly text: string;
}

type Texts = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

type Slots = Readonly<Record<string, readonly string[]>>;

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));

const flat = (texts: Texts): OwnText[] =>
  Object.entries(texts).flatMap(([kind, tiers]) =>
    Object.entries(tiers).flatMap(([tier, own]) => own.map((text) => ({ kind, tier, text }))),
  );

/** Prompts of our own, for kinds that published ones hardly have: written out, and by templates. */
export function ownTexts(): OwnText[] {
  const { slots, ...templates } = read('own-templates.json') as { readonly slots: Slots } & Texts;
  return [
    ...flat(read('own-prompts.json') as Texts).flatMap(withTools),
    ...flat(templates).flatMap(({ kind, tier, text }) =>
      filled(text, slots).map((one) => ({ kind, tier, text: one })),
    ),
  ];
}

const toolOf = (name: string, description: string, fields: readonly string[]): object => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
  },
});
const workspace = [
  toolOf('run_command', 'Runs a command in the workspace and returns its output', ['command']),
  toolOf('read_file', 'Reads a file of the workspace', ['path']),
  toolOf('edit_file', 'Replaces text in a file of the workspace', ['path', 'old', 'new']),
];

/** Steps of agents come with tools, and without them where the host adds them later. */
function withTools(one: OwnText): OwnText[] {
  if (one.kind !== 'agentic') return [one];
  return [one, { ...one, text: `${one.text}${toolsMark}${JSON.stringify(workspace)}` }];
}

/** So many texts of one template: each slot has another word in each. */
const textsOfTemplate = 10;

function filled(template: string, slots: Slots): string[] {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (names.length === 0) return [template];
  const most = names.reduce((product, name) => product * slots[name]!.length, 1);
  const texts = Array.from({ length: Math.min(textsOfTemplate, most) }, (_, at) =>
    names.reduce((text, name, place) => {
      const words = slots[name]!;
      return text.replace(`{${name}}`, words[(at * (place + 1) + place) % words.length]!);
    }, template),
  );
  return [...new Set(texts)];
}
