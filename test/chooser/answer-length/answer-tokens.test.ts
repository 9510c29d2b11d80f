import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { habitsOf } from '../../../src/models/model-habits.js';
import { answerTokens } from '../../../src/chooser/answer-length/answer-tokens.js';
import { type AskedAnswer, askedAnswer } from '../../../src/chooser/answer-length/asked-answer.js';
import { type ChatMessage, efforts } from '../../../src/completion.js';
import { readModelTable } from '../../../src/models/model-tables.js';
import { featuresOf } from '../../../src/chooser/predictor/features/features.js';

const asked = (messages: ChatMessage[], tools: unknown[] = []): AskedAnswer =>
  askedAnswer({ messages, tools }, featuresOf({ messages, tools }));
const askedBy = (content: string): AskedAnswer => asked([{ role: 'user', content }]);
const visibleFor = (content: string): number => askedBy(content).visible;
const minutes = 'The committee met on Tuesday to discuss the budget of the coming year. '.repeat(
  40,
);
const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };

describe('the visible length of an answer', () => {
  it('is that of a chapter of 1,500 words, where one is asked for', () => {
    const chapter = askedBy('Write a 1,500-word chapter about a dragon who is afraid of fire.');
    const { visible } = answerTokens(chapter, 'gpt-4o', null);
    expect(visible).toBeGreaterThan(1_800);
    expect(visible).toBeLessThan(2_300);
  });

  it.each([
    'Classify the sentiment of this review as positive or negative: I loved it.',
    'Is Python an interpreted language? Answer yes or no.',
    'Answer with one word: what colour is the sky?',
    'Output only the label.\n\nText: the parcel never came',
    'Antworte nur mit einem Wort: Welche Farbe hat der Himmel?',
    'Réponds uniquement par oui ou non : est-ce que 7 est premier ?',
    'Responde solo con la categoría: mi pedido no llegó',
    'Ответь только да или нет: Земля круглая?',
    '只回答是或否：地球是圆的吗？',
    'What is a bee? One word.',
    'What is a bee? One-word answer, please.',
    'In a single word, what is a bee?',
    'Was ist eine Biene? Ein Wort.',
    'Antworte in einem Wort: Was ist eine Biene?',
    "Réponds d'un seul mot : qu'est-ce qu'une abeille ?",
    'Responde con una sola palabra: ¿qué es una abeja?',
    'Responda numa palavra: o que é uma abelha?',
    "Rispondi in una parola: cos'è un'ape?",
    'Antwoord in één woord: wat is een bij?',
    'Odpowiedz jednym słowem: czym jest pszczoła?',
    'Ответь одним словом: столица Франции?',
    'Tek kelimeyle cevap ver: arı nedir?',
    'एक शब्द में उत्तर दें: मधुमक्खी क्या है?',
    'أجب بكلمة واحدة: ما عاصمة فرنسا؟',
    '用一个词回答：蜜蜂是什么？',
    '一言で答えて：フランスの首都は？',
    '한 단어로 답해줘: 벌은 무엇인가요?',
  ])('is one to ten tokens for a label: %s', (text) => {
    const { visible } = answerTokens(askedBy(text), 'gpt-5-nano', null);
    expect(visible).toBeGreaterThanOrEqual(1);
    expect(visible).toBeLessThanOrEqual(10);
  });

  it('is that of a label where the instructions for every turn ask for one', () => {
    const system = { role: 'system', content: 'You sort mail. Reply only with the category.' };
    expect(asked([system, { role: 'user', content: 'My parcel never came.' }]).kind).toBe('label');
  });

  it.each([
    ['greeting', 'hello there! how are you?'],
    ['greeting', 'привет'],
    ['fact', 'What is the capital of France?'],
    ['fact', '日本の首都はどこですか？'],
    ['calculation', 'Solve 3 * x + 4 = 19 - 2'],
    ['proof', 'Prove that the square root of 2 is irrational.'],
    ['code', 'Write a Python function that merges two sorted lists.'],
    ['program', 'Build a complete web app for chess with login and html'],
    ['story', 'Schreibe eine Kurzgeschichte über einen Hund.'],
    ['essay', 'Write an essay on Kant.'],
    ['letter', 'Write an email to my landlord.'],
    ['poem', 'Écris un poème sur la mer'],
    ['tiny', 'Give me a haiku.'],
    ['summary', `${minutes}\nSummarise the text above.`],
    ['translation', `Translate into French: ${minutes}`],
    ['rewriting', 'Rewrite this politely: I want my money back now!'],
    ['extraction', `Extract all names from: ${minutes}`],
    ['explanation', 'Explain how tides work.'],
    ['choice', 'Which gas do plants take in?\nA. Oxygen\nB. Helium\nC. Neon'],
    ['choice', 'Is the contract valid?\nA. Yes, by consent\nB. No, it lapsed\nC. Yes, by law'],
    ['letter', 'Write a letter to my landlord.'],
    ['letter', 'Just write a letter to my landlord.'],
    ['letter', 'Écris une lettre à ma mère.'],
    ['code', 'Write a class in Java that models a stack.'],
    ['story', 'Write a true story about bees.'],
    ['program', 'Write a number guessing game in Python.'],
    ['label', 'Reply with a single letter: which gas do plants take in?'],
    ['essay', 'a 10k word thesis chapter'],
    ['fact', 'What is the tax rate in Portugal?'],
    ['fact', 'What does the author of the article think of bees?'],
    ['fact', 'How many moons does Saturn have?'],
  ])('is that of a %s: %s', (kind, text) => {
    expect(askedBy(text).kind).toBe(kind);
  });

  it('is about that of the text for a translation, and a part of it for a summary', () => {
    expect(visibleFor(`Translate into French: ${minutes}`)).toBeGreaterThan(500);
    expect(visibleFor(`Summarise this: ${minutes}`)).toBeLessThan(300);
    expect(visibleFor(`Summarise this: ${minutes}`)).toBeGreaterThan(80);
  });

  it('is shorter where brevity is asked for, and longer where details are', () => {
    const usual = visibleFor('Explain how tides work.');
    expect(visibleFor('Explain briefly how tides work.')).toBeLessThan(usual / 2);
    expect(visibleFor('Explain in detail how tides work.')).toBeGreaterThan(usual * 1.5);
  });

  it.each([
    ['a brief overview', 'Give me a brief overview of tides.', 'Give me an overview of tides.'],
    ['a German wish', 'Erkläre kurz die Gezeiten.', 'Erkläre die Gezeiten.'],
  ])('is shorter for %s', (_name, brief, plain) => {
    expect(visibleFor(brief)).toBeLessThan(visibleFor(plain));
  });

  it('is not longer for a question how long something takes', () => {
    expect(visibleFor('How long does a letter to Japan take?')).toBe(
      visibleFor('How much does a letter to Japan cost?'),
    );
  });

  it.each([
    'What is a novel?',
    'Book a table for two in Rome.',
    'Find a book about bees in the library.',
    'Describe a novel way of making tea.',
    'Write a summary of a novel about bees.',
    'Write a short novel about bees.',
    'What is a strategy?',
  ])('is not that of a large work for: %s', (text) => {
    expect(visibleFor(text)).toBeLessThan(1_000);
  });

  it.each([
    ['Translate this into German, at most 1,500 words: Good morning', 'Translate this into German'],
    ['Write an essay on Kant, no more than 2,000 words.', 'Write an essay on Kant.'],
    ['Explain how tides work in under 5,000 words.', 'Explain how tides work.'],
    ['Übersetze ins Englische, höchstens 1.500 Wörter: Hallo', 'Übersetze ins Englische: Hallo'],
    ['翻译成英文，不超过1500字：你好', '翻译成英文：你好'],
  ])('is not longer than usual for a limit: %s', (limited, plain) => {
    expect(visibleFor(limited)).toBeLessThan(visibleFor(plain) * 1.3 + 20);
    expect(visibleFor(limited)).toBeGreaterThanOrEqual(visibleFor(plain) * 0.9);
  });

  it('is shorter for a limit below what is usual, and not for a least length below it', () => {
    const usual = visibleFor('Write an essay on Kant.');
    expect(visibleFor('Write an essay on Kant, at most 100 words.')).toBeLessThan(usual / 4);
    expect(visibleFor('Write an essay on Kant, at least 100 words.')).toBe(usual);
  });

  it('keeps to usual lengths where the instructions for every turn name a limit', () => {
    const system = { role: 'system', content: 'Answer in at most 800 words.' };
    const user = { role: 'user', content: 'What is the capital of France?' };
    expect(asked([system, user]).visible).toBe(asked([user]).visible);
  });

  it('is that of a call where a tool is offered for a question', () => {
    const call = asked([{ role: 'user', content: 'What is the weather in Paris?' }], [tool]);
    expect(call).toMatchObject({ kind: 'toolCall' });
    expect(call.visible).toBeLessThan(120);
  });

  it('is that of a step where an agent has read the result of a tool', () => {
    const step = asked(
      [
        { role: 'user', content: 'Fix the failing test.' },
        { role: 'assistant', content: null, tool_calls: [] },
        { role: 'tool', content: 'Expected 3, got 4', tool_call_id: '1' },
      ],
      [tool],
    );
    expect(step).toMatchObject({ kind: 'agentStep' });
    expect(step.visible).toBeGreaterThan(150);
  });
});

describe('the reasoning before an answer', () => {
  const proof = askedBy('Prove that the square root of 2 is irrational.');
  const greeting = askedBy('hi');
  const reasoning = (
    model: string,
    effort: (typeof efforts)[number] | null,
    answer: AskedAnswer = proof,
  ): number => answerTokens(answer, model, effort).reasoning;

  it.each([
    'gpt-5',
    'gpt-5.2',
    'openai/o4-mini',
    'claude-opus-4-5',
    'claude-3-7-sonnet',
    'gemini-3-pro',
    'gpt-5-mini',
  ])('of %s grows with its effort', (model) => {
    expect(reasoning(model, 'high')).toBeGreaterThan(reasoning(model, 'low') * 1.5);
  });

  it('is possible for every model that was measured to reason', () => {
    const { models } = readModelTable('reasoning-tokens');
    const measured = Object.keys(models).filter((model) => models[model]!.tokens.length > 0);
    expect(measured.filter((model) => reasoning(model, 'high') === 0)).toEqual([]);
  });

  it('grows with the difficulty of what is asked', () => {
    expect(reasoning('gpt-5', null)).toBeGreaterThan(reasoning('gpt-5', null, greeting) * 10);
  });

  it('is as long if only the number is to be written', () => {
    const text = 'Find the sum of all integers n with |n| + 1 > 7 and |n + 1| <= 7.';
    const asLabel = askedBy(`${text} Reply with just the number.`);
    expect(asLabel).toMatchObject({ kind: 'label' });
    expect(reasoning('gpt-5-nano', null, asLabel)).toBeGreaterThan(
      0.8 * reasoning('gpt-5-nano', null, askedBy(text)),
    );
  });

  it('grows with how difficult the request is for models', () => {
    const messages = [{ role: 'user', content: 'What is the next term of this sequence?' }];
    const at = (level: number | null): number =>
      reasoning('gpt-5', null, askedAnswer({ messages }, featuresOf({ messages }), level));
    expect(at(0)).toBeGreaterThan(2 * at(-2));
    expect(at(40)).toBeLessThan(200 * at(-40));
    expect(at(null)).toBe(reasoning('gpt-5', null, asked(messages)));
  });

  it.each([
    'claude-opus-4-8',
    'claude-sonnet-4-6',
    'qwen3-235b-a22b-2507',
    'nvidia/nemotron-4-340b-instruct',
    'mistral-medium-3-5',
    'qwen3-max',
  ])('is none for %s, which reasons on request or never', (model) => {
    expect(reasoning(model, null)).toBe(0);
  });

  it.each([
    'claude-opus-5',
    'claude-opus-5-5',
    'anthropic/claude-sonnet-5-5',
    'claude-haiku-5-5',
    'gemini-3.5-flash',
    'grok-4.6',
    'kimi-k3',
    'deepseek-v4-pro',
    'qwen3.6-plus',
  ])('is usual for %s, as its maker documents', (model) => {
    expect(reasoning(model, null)).toBeGreaterThan(200);
  });

  it('is more by default for a model that is documented to think hard than for one in the middle', () => {
    expect(reasoning('claude-opus-5', null)).toBeGreaterThan(reasoning('claude-opus-5-5', null));
    expect(reasoning('claude-opus-5', null)).toBe(reasoning('claude-opus-5', 'high'));
  });

  it.each(['gpt-4o', 'claude-sonnet-4-5', 'gpt-5.2', 'llama-3.3-70b', 'gpt-5-chat', 'my-own-13b'])(
    'is none for %s unless it is asked for',
    (model) => {
      expect(reasoning(model, null)).toBe(0);
    },
  );

  it.each(['gpt-4o', 'llama-3.3-70b', 'my-own-13b'])('is none for %s at any effort', (model) => {
    expect(efforts.map((effort) => reasoning(model, effort))).toEqual(efforts.map(() => 0));
  });

  it.each([
    'gpt-5',
    'o3',
    'gemini-2.5-pro',
    'deepseek-reasoner',
    'grok-4',
    'kimi-k2-thinking',
    'qwen3-235b-a22b-thinking-2507',
    'somebody/else-12b-thinking',
  ])('is part of what %s usually answers', (model) => {
    expect(reasoning(model, null)).toBeGreaterThan(200);
  });

  it('never falls as the effort rises, nor leaves its bounds, for any name', () => {
    const names = fc.oneof(
      fc.string(),
      fc.constantFrom('gpt-5', 'o3-mini', 'claude-opus-9', 'gemini-3-flash', 'qwen3-8b', 'glm-5'),
    );
    const answers = fc.record({
      kind: fc.constant('chat' as const),
      visible: fc.double({ min: 0, max: 1e9, noNaN: true }),
      freedom: fc.double({ min: 0, max: 1, noNaN: true }),
      difficulty: fc.double({ min: -4, max: 4, noNaN: true }),
    });
    fc.assert(
      fc.property(names, answers, (name, answer) => {
        const each = efforts.map((effort) => answerTokens(answer, name, effort));
        each.forEach(({ reasoning: thought }, at) =>
          expect(thought).toBeGreaterThanOrEqual(each[at - 1]?.reasoning ?? 0),
        );
        each.forEach(({ visible, reasoning: thought }) => {
          expect(visible).toBeGreaterThanOrEqual(1);
          expect(visible).toBeLessThanOrEqual(64_000);
          expect(thought).toBeGreaterThanOrEqual(0);
          expect(thought).toBeLessThanOrEqual(32_000);
        });
      }),
    );
  });
});

describe('the cost of a prompt with pictures', () => {
  it('follows the rule of each model', () => {
    expect(habitsOf('gpt-4o-mini').imageTokens).toBeGreaterThan(20_000);
    expect(habitsOf('openai/gpt-4o-2024-08-06').imageTokens).toBe(765);
    expect(habitsOf('my-own-13b').imageTokens).toBe(1_000);
  });
});
