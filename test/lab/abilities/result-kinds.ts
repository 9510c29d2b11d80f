/**
 * What a published column of results measures: a kind of task, a language, or both. Null: tasks of
 * all kinds, English or mixed.
 */
export interface Measured {
  readonly kind: string | null;
  readonly language: string | null;
}

/** Kinds of task that abilities are told apart by, and what each is. */
export const kinds = {
  coding: 'writing and repairing code',
  agentic: 'working in many steps with tools, in a repository or a terminal',
  tools: 'choosing a tool and its arguments',
  mathematics: 'mathematics with an exact answer, and proofs',
  reasoning: 'puzzles, logic and hard questions of experts',
  knowledge: 'questions of fact and of professions',
  writing: 'stories, entertainment and style',
  instructions: 'following instructions about form',
  conversation: 'conversations of several turns',
  summaries: 'summaries and simpler wording',
  extraction: 'finding something in a text',
  classification: 'telling which class a text belongs to',
  data: 'tables, JSON and other structured data',
  long: 'long documents',
  vision: 'images',
} as const;

/** Groups of languages in which models of one line tend to be equally good. */
export const languages = {
  germanic: ['german', 'dutch', 'swedish', 'danish', 'norwegian', 'icelandic', 'faroese'],
  romance: ['french', 'spanish', 'italian', 'portuguese', 'romanian', 'catalan'],
  slavic: [
    ...['russian', 'ukrainian', 'polish', 'czech', 'slovak', 'slovene', 'serbian', 'croatian'],
    ...['bosnian', 'bulgarian'],
  ],
  otherEuropean: [
    ...['finnish', 'estonian', 'hungarian', 'latvian', 'lithuanian', 'greek', 'albanian'],
    'turkish',
  ],
  eastAsian: ['chinese', 'japanese', 'korean', 'vietnamese', 'thai'],
  southern: ['arabic', 'hindi', 'hebrew', 'bengali', 'indonesian', 'persian', 'swahili'],
} as const;

/** The group of a language; null for English and languages without a group. */
function groupOfLanguage(language: string): string | null {
  const found = Object.entries(languages).find(([, members]) =>
    (members as readonly string[]).includes(language),
  );
  return found?.[0] ?? null;
}

type Kind = keyof typeof kinds;

const arena: Readonly<Record<string, Kind | null>> = {
  text_overall: null,
  text_english: null,
  text_coding: 'coding',
  text_industry_software_and_it_services: 'coding',
  code_overall: 'coding',
  code_webdev_overall: 'coding',
  text_math: 'mathematics',
  text_industry_mathematical: 'mathematics',
  // hard prompts of all kinds: models that are good at puzzles are not the best at these
  text_expert: null,
  text_hard_6: null,
  text_hard_english_6: null,
  text_if: 'instructions',
  text_industry_business_and_management_and_financial_operations: 'knowledge',
  text_industry_legal_and_government: 'knowledge',
  text_industry_life_and_physical_and_social_science: 'knowledge',
  text_industry_medicine_and_healthcare: 'knowledge',
  text_industry_entertainment_and_sports_and_media: 'writing',
  text_long_user: 'long',
  document_overall: 'long',
  text_multiturn: 'conversation',
};
const arenaLanguages = ['chinese', 'french', 'japanese', 'russian', 'spanish', 'german', 'korean'];

const livebench: Readonly<Record<string, Kind>> = {
  'Agentic Coding': 'agentic',
  Coding: 'coding',
  'Data Analysis': 'data',
  IF: 'instructions',
  'IF/story_generation': 'writing',
  'IF/summarize': 'summaries',
  'IF/simplify': 'summaries',
  Mathematics: 'mathematics',
  Reasoning: 'reasoning',
};

const euroeval: Readonly<Record<string, Kind | null>> = {
  'Common sense reasoning': null,
  Knowledge: 'knowledge',
  'Linguistic acceptability': null,
  'Named entity recognition': 'extraction',
  'Reading comprehension': 'extraction',
  'Sentiment classification': 'classification',
  Simplification: 'summaries',
  Summarization: 'summaries',
};

const ofKind = (kind: Kind | null): Measured => ({ kind, language: null });

const efforts: readonly (readonly [pattern: RegExp, effort: string])[] = [
  [/xhigh|max/, 'xhigh'],
  [/no-?thinking|non-reasoning|^none$|instant|minimal/, 'none'],
  [/low/, 'low'],
  [/medium/, 'medium'],
  [/high|think|reasoning/, 'high'],
];

/** One of five levels of reasoning effort for what a source writes; empty: the usual one. */
export function effortLevel(written: string): string {
  return efforts.find(([pattern]) => pattern.test(written))?.[1] ?? '';
}

function measuredInArena(category: string): Measured | null {
  if (category.startsWith('vision_')) return ofKind('vision');
  const language = arenaLanguages.find((one) => category === `text_${one}`);
  if (language !== undefined) return { kind: null, language: groupOfLanguage(language) };
  return category in arena ? ofKind(arena[category]!) : null;
}

/** Single tasks only: a group's mean repeats them. */
function measuredInLivebench(category: string): Measured | null {
  const [group = '', task] = category.split('/');
  if (task === undefined) return null;
  const kind = livebench[category] ?? livebench[group];
  return kind === undefined ? null : ofKind(kind);
}

function measuredInEuroeval(category: string): Measured | null {
  const [language = '', written = '', task] = category.split('/');
  if (task === undefined) return null;
  const kind = euroeval[written.replaceAll('~', '')];
  return kind === undefined ? null : { kind, language: groupOfLanguage(language) };
}

const whole: Readonly<Record<string, Kind>> = {
  'aider-polyglot': 'coding',
  'bfcl-v4': 'tools',
  'swebench-pro': 'agentic',
  'terminal-bench': 'agentic',
};

/** What a category of a source measures; null: nothing that says which model to choose. */
export function measuredBy(source: string, category: string): Measured | null {
  if (source === 'livebench') return measuredInLivebench(category);
  if (source === 'euroeval') return measuredInEuroeval(category);
  if (source.startsWith('arena') || source.startsWith('lmarena')) return measuredInArena(category);
  const kind = whole[source];
  return kind === undefined ? null : ofKind(kind);
}

const tasks: readonly (readonly [pattern: RegExp, kind: Kind | null])[] = [
  [/^alpaca_eval:/, null],
  [/^bbh:(?:penguins|object_counting)/, 'data'],
  [/^bbh:|logicgrid|^misguided:/, 'reasoning'],
  [/^bfcl/, 'tools'],
  [/^textclass:/, 'classification'],
  [/^superhard:|math|gsm|MATH/, 'mathematics'],
  [/mbpp|human_?eval|javascript|^aoc:|^ze_crux:/, 'coding'],
  [/^swebench_pro:|^terminalbench:/, 'agentic'],
  [/^pm:/, 'data'],
  [/gpqa|chemistry|physics|engineering/, 'reasoning'],
  [/^mmlu_pro:|mmlu|arc_|openbook|_qa|ceval|wino|commonsense|commongen/, 'knowledge'],
];

/** The languages of tasks that are not in English. */
const languageOfTask: readonly (readonly [pattern: RegExp, group: keyof typeof languages])[] = [
  [/ceval|cmmlu|_ZH$/, 'eastAsian'],
  [/_(?:AR|HI)$/, 'southern'],
  [/_(?:ES|FR|IT|PT)$/, 'romance'],
  [/_(?:DA|NL|DE)$/, 'germanic'],
  [/_(?:RU|PL)$/, 'slavic'],
  [/_HU$/, 'otherEuropean'],
];

/** What `<source>:<task>` of scored prompts measures; null: nothing that is told apart here. */
export function measuredByTask(task: string): Measured | null {
  const kind = tasks.find(([pattern]) => pattern.test(task));
  if (!kind) return null;
  const language = languageOfTask.find(([pattern]) => pattern.test(task))?.[1] ?? null;
  return { kind: kind[1], language };
}
