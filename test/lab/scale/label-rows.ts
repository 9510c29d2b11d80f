import type { ScaleRow } from './scale-rows.js';

/** The kinds of request, and the kind of task by which each is judged in the table of abilities. */
export const requestKinds: Readonly<Record<string, string>> = {
  conversation: 'conversation',
  facts: 'knowledge',
  explanation: 'knowledge',
  examination: 'knowledge',
  code: 'coding',
  design: 'coding',
  mathematics: 'mathematics',
  proof: 'mathematics',
  reasoning: 'reasoning',
  'tool call': 'tools',
  'agent step': 'agentic',
  classification: 'classification',
  extraction: 'extraction',
  summary: 'summaries',
  writing: 'writing',
  translation: 'writing',
  'structured data': 'data',
};

/** Categories of everyday prompts by the kind that they are of. */
const everyday: Readonly<Record<string, string>> = {
  'factual-qa': 'facts',
  definition: 'facts',
  greeting: 'conversation',
  explanation: 'explanation',
  comparison: 'explanation',
  'simple-code': 'code',
  'complex-code': 'code',
  'code-review': 'code',
  'code-snippet-qa': 'code',
  debugging: 'code',
  testing: 'code',
  documentation: 'writing',
  'system-design': 'design',
  architecture: 'design',
  infrastructure: 'design',
  migration: 'design',
  'ml-pipeline': 'design',
  performance: 'design',
  'security-analysis': 'design',
  'formal-proof': 'proof',
  'math-derivation': 'proof',
  'algorithm-proof': 'proof',
  'game-theory': 'proof',
  'formal-logic': 'reasoning',
  'logic-puzzle': 'reasoning',
  'math-word-problem': 'mathematics',
  summary: 'summary',
  translation: 'translation',
  rewrite: 'writing',
  creative: 'writing',
  brainstorming: 'writing',
  extraction: 'extraction',
  classification: 'classification',
  'structured-output': 'structured data',
  'data-analysis': 'structured data',
  'agentic-task': 'agent step',
};
const own: Readonly<Record<string, string>> = {
  data: 'structured data',
  agentic: 'agent step',
  arithmetic: 'mathematics',
};

const ofTask: Readonly<Record<string, string>> = {
  coding: 'code',
  mathematics: 'mathematics',
  reasoning: 'reasoning',
  tools: 'tool call',
  data: 'reasoning',
  classification: 'classification',
  agentic: 'agent step',
};

/** The kind of request of a text; null where its source does not say. */
export function requestKindOf({ task, kind, tier, text }: ScaleRow): string | null {
  const [source = '', category = ''] = task.split(':');
  if (source === 'everyday') return everyday[category] ?? null;
  if (source === 'own')
    return category === 'mathematics' && tier === 'REASONING'
      ? 'proof'
      : (own[category] ?? category);
  if (source === 'ze_crux') return 'code';
  if (kind === null) return null;
  if (kind !== 'knowledge') return ofTask[kind] ?? null;
  return /\n\(?[B-D][).:]/.test(text) ? 'examination' : 'facts';
}

const groupsByCode: Readonly<Record<string, string>> = {
  en: 'english',
  de: 'germanic',
  nl: 'germanic',
  fr: 'romance',
  es: 'romance',
  pt: 'romance',
  it: 'romance',
  pl: 'slavic',
  ru: 'slavic',
  tr: 'otherEuropean',
  zh: 'eastAsian',
  ja: 'eastAsian',
  ko: 'eastAsian',
  vi: 'eastAsian',
  ar: 'southern',
  hi: 'southern',
  id: 'southern',
  sw: 'southern',
};

/** Groups of languages; the first is the one that abilities are not adjusted for. */
export const languageGroups = [
  'english',
  'germanic',
  'romance',
  'slavic',
  'otherEuropean',
  'eastAsian',
  'southern',
] as const;

/** The group of a text's language; null where its source does not say. */
export function languageOf({ task, language }: ScaleRow): string | null {
  if (task.startsWith('own:') || task.startsWith('everyday:'))
    return groupsByCode[language ?? ''] ?? null;
  return language ?? 'english';
}
