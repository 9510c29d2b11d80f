import { describe, expect, it } from 'vitest';
import { QualityScale } from '../../../src/chooser/outlook/expected-quality.js';
import { shippedAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import type { Outlook } from '../../../src/chooser/outlook/read-outlook.js';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { featuresOf } from '../../../src/chooser/predictor/features/features.js';
import {
  afterSentences,
  agentStep,
  demandingRequests,
  easyRequests,
  hardRequests,
  type OwnRequest,
  toolCall,
} from './own-requests.js';

const reader = shippedOutlook();
const abilities = shippedAbilities();
const scale = new QualityScale(reader.weights, abilities);
const read = (request: OwnRequest['request']): Outlook => reader.read(featuresOf(request));
const firstKinds = (request: OwnRequest['request']): string[] =>
  read(request)
    .kinds.slice(0, 2)
    .map(({ name }) => name);
const textOf = ({ request }: OwnRequest): string =>
  JSON.stringify(request.messages.at(-1)!.content);

/** How much better a large model is expected to answer than a small one. */
function gap(request: OwnRequest['request'], small: string): number {
  const outlook = read(request);
  const [best, other] = ['claude-opus-4-5', small].map(
    (model) => scale.expect(outlook, abilities.measured(model)!, null).quality,
  );
  return best! - other!;
}
const kindMissed = (one: OwnRequest): boolean =>
  !firstKinds(one.request).some((kind) => one.kinds.includes(kind));

/** Nothing was fitted to these; the reader is linear, and errs on some. */
const nineOfTen = 0.1;
function expectFew(missed: readonly OwnRequest[], all: readonly OwnRequest[]): void {
  expect(missed.length / all.length, missed.map(textOf).join(' · ')).toBeLessThanOrEqual(nineOfTen);
}

describe('of short requests in eighteen languages, nine of ten', () => {
  it('are read as what they are', () => {
    const all = [...easyRequests, ...hardRequests, ...demandingRequests];
    expect(new Set(all.map(({ language }) => language)).size).toBe(18);
    expectFew(all.filter(kindMissed), all);
  });

  it('are answered by a small model as well as by a large one, if they are everyday work', () => {
    expectFew(
      easyRequests.filter(({ request }) => gap(request, 'claude-haiku-4-5') > 0.02),
      easyRequests,
    );
    expectFew(
      easyRequests.filter(({ request }) => gap(request, 'llama-3.1-8b') > 0.15),
      easyRequests,
    );
  });

  it('are answered much better by a large model, if they ask for a proof or for research', () => {
    expectFew(
      hardRequests.filter(({ request }) => gap(request, 'llama-3.1-8b') < 0.25),
      hardRequests,
    );
  });
});

describe('a short request', () => {
  const of = (content: string): OwnRequest['request'] => ({
    messages: [{ role: 'user', content }],
  });

  it.each([
    'Solve the Riemann hypothesis.',
    'P=NP? Give a full proof.',
    'Explain quantum field theory renormalisation group flow rigorously',
    'What is 8734659 * 9823746?',
    'Prove that every group of order 15 is cyclic.',
  ])('for hard work is harder than every easy one: %s', (text) => {
    expect(gap(of(text), 'llama-3.1-8b')).toBeGreaterThan(0.25);
  });

  it.each([
    '2+2',
    'What is the capital of France?',
    'what is the capital of france',
    'What is the capital of France? Answer:',
    'Extract fields {name, date, amount} as JSON from: Invoice 12, Ann Lee, 3 May 2026, 120 EUR',
    'Translate to French: Good morning',
    '次の文を英語に訳してください：おはようございます。',
    '这条评论是正面还是负面？只回答一个词：“质量太差了。”',
    'ما هو شعور هذا التعليق؟ أجب بكلمة واحدة: "الخدمة سيئة جدا"',
    'Habari yako',
    'Bawo ni',
    'Tell me a joke',
  ])('for everyday work is easy in every language: %s', (text) => {
    expect(gap(of(text), 'claude-haiku-4-5')).toBeLessThan(0.02);
    expect(gap(of(text), 'llama-3.1-8b')).toBeLessThan(0.1);
  });

  it('of an agent with a workspace is no single call of a tool', () => {
    expect(firstKinds(agentStep)[0]).toBe('agent step');
    expect(firstKinds(toolCall)[0]).toBe('tool call');
  });
});

describe('a system prompt', () => {
  it('says what is to be done with a message, if it is short', () => {
    const mail = 'Congratulations, you won a cruise! Reply with your bank details.';
    const labelled = (system: string): string[] =>
      firstKinds({
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: mail },
        ],
      });
    expect(labelled('Label each message as spam or ham. Answer with one word.')[0]).toBe(
      'classification',
    );
    expect(labelled('Translate each message into German.')[0]).toBe('translation');
  });

  it('that is long leaves the reading of the question as it is', () => {
    const system = 'You are the assistant of a shop. '.repeat(40);
    const question = { role: 'user' as const, content: 'Who discovered radium?' };
    const { kinds } = read({ messages: [{ role: 'system', content: system }, question] });
    expect(kinds[0]?.name).toBe('facts');
  });

  it('does not make a greeting anything else', () => {
    const greeted = featuresOf({
      messages: [
        { role: 'system', content: 'You are a helpful assistant.' },
        { role: 'user', content: 'Hello!' },
      ],
    });
    expect(greeted.isCourtesy).toBe(true);
  });
});

describe('a question after a text', () => {
  it('is harder after two thousand sentences than after two hundred, and after ten', () => {
    const [short, long, book] = [10, 200, 2_000].map((count) =>
      gap(afterSentences(count), 'llama-3.1-8b'),
    );
    expect(long).toBeGreaterThan(short! + 0.02);
    expect(book).toBeGreaterThan(long! + 0.005);
  });
});
