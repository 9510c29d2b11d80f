import { measureRequest } from '../../src/models/tokens.js';
import type { FoundPage } from './engine-answers.js';
import { articlePage, type SearchWorld } from './search-world.js';
import type { Answer } from './steps.js';
import type { UpstreamCall } from './upstream.js';

/** What a research run asks a model for. */
export type Asked = 'plan' | 'notes' | 'check' | 'support' | 'answer';

interface Message {
  role: string;
  content: string;
}

const messagesOf = ({ body }: UpstreamCall): Message[] => body!['messages'] as Message[];

const textOf = (call: UpstreamCall): string =>
  messagesOf(call)
    .map(({ content }) => content)
    .join('\n');

/** What is between the marks of a prompt. */
const materialOf = (call: UpstreamCall): string =>
  [...textOf(call).matchAll(/<<<([0-9a-f]{24})\n([^]*?)\n\1>>>/g)]
    .map(([, , text]) => text)
    .join('\n');

/** What a call of a research run is for. */
export function askedFor(call: UpstreamCall): Asked {
  const system = messagesOf(call).find(({ role }) => role === 'system')?.content ?? '';
  if (system.includes('plan research')) return 'plan';
  if (system.includes('take notes')) return 'notes';
  if (system.includes('how far research')) return 'check';
  return system.includes('check an answer') ? 'support' : 'answer';
}

/** The tokens that a provider counts in a prompt that the gateway counts a little smaller. */
export const promptTokensOf = (call: UpstreamCall): number =>
  Math.ceil(measureRequest(messagesOf(call) as never).tokens * 1.2);

/** How a scripted researcher differs from a diligent one. */
export interface ResearcherOptions {
  /** Default: two. */
  readonly questions?: number;
  /** Whether a check finds a question answered. Default: always. */
  readonly isAnswered?: (nth: number) => boolean;
  /** The share of the allowed answer that each call uses. Default: a few tokens. */
  readonly wasted?: number;
}

/**
 * A model that researches: it plans two queries for each question, notes the sentences of pages that
 * begin with “Fact”, and cites each source once.
 */
export function researcher(options: ResearcherOptions = {}): (call: UpstreamCall) => Answer {
  let checks = 0;
  const { questions = 2, isAnswered = () => true, wasted = 0 } = options;
  const answers: Record<Asked, (call: UpstreamCall) => string[]> = {
    plan: () => [JSON.stringify({ questions: plannedQuestions(questions) })],
    notes: (call) => [JSON.stringify({ notes: notesOf(call) })],
    check(call) {
      const answered = isAnswered(checks++);
      const asked = idsIn(call).map((id) => ({
        id,
        answered,
        queries: answered ? [] : [1, 2, 3].map((n) => `part ${id} ${checks} ${n}`),
      }));
      return [JSON.stringify({ questions: asked })];
    },
    support: () => ['{"claims": []}'],
    answer: (call) => sentencesFor(call),
  };
  return (call) => {
    const max = Number(call.body!['max_tokens'] ?? 100);
    const usage = {
      prompt: promptTokensOf(call),
      completion: Math.max(5, Math.floor(max * wasted)),
    };
    return { text: answers[askedFor(call)](call), usage };
  };
}

/** What the page says that `towerResearcher` takes notes of. */
export const towerFact =
  'The Lindow tower is 312 metres tall and was opened in May 2021 by the city.';

/** A model that researches one question on one page, and whose answer cites it. */
export function towerResearcher(call: UpstreamCall): Answer {
  const note = { question: 1, fact: towerFact, quote: '312 metres tall' };
  const question = { question: 'How tall is it?', queries: ['Lindow tower height'] };
  const answers: Partial<Record<Asked, object>> = {
    plan: { questions: [question] },
    notes: { notes: [note] },
    check: { questions: [{ id: 1, answered: true, queries: [] }] },
  };
  const json = answers[askedFor(call)];
  return {
    text: json ? [JSON.stringify(json)] : ['The Lindow tower is 312 metres', ' tall [1].'],
  };
}

const plannedQuestions = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({
    question: `What is part ${index + 1} of the tower?`,
    queries: [`part ${index + 1} size`, `part ${index + 1} age`],
  }));

const idsIn = (call: UpstreamCall): number[] =>
  [...textOf(call).matchAll(/^(\d+)\. /gm)].map(([, id]) => Number(id));

function notesOf(call: UpstreamCall): object[] {
  const ids = idsIn(call);
  const facts = [...materialOf(call).matchAll(/Fact [^.]+\./g)].map(([fact]) => fact);
  return facts.map((fact, index) => ({ question: ids[index % ids.length], fact, quote: fact }));
}

function sentencesFor(call: UpstreamCall): string[] {
  const ids = new Set([...materialOf(call).matchAll(/^\[(\d+)\] /gm)].map(([, id]) => id!));
  const sentences = [...ids].map((id) => `The tower has a part that a source describes [${id}].\n`);
  return sentences.length > 0 ? sentences : ['Nothing is known of it.'];
}

/**
 * Fills a world with pages: each search finds some of its own, with facts and `filler` sentences
 * around them.
 */
export function fillWorld(world: SearchWorld, pagesPerSearch: number, filler = 10): void {
  world.find = (words) =>
    Array.from({ length: pagesPerSearch }, (_, index): FoundPage => {
      const path = `/${words.replace(/\W+/g, '-')}/${index}`;
      const title = `About ${words}, ${index}`;
      const facts = [1, 2].map((n) => `Fact ${n} of ${words} on page ${index} is well known.`);
      const more = Array.from(
        { length: filler },
        (_, n) => `The tower of ${words} was rebuilt by ${n} masons in a long year.`,
      );
      world.web[path] = articlePage(title, ...facts, ...more);
      return { title, url: world.url + path, text: `What ${words} is.` };
    });
}
