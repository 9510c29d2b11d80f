import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readCheck,
  readNotes,
  readPlan,
  readSupport,
} from '../../../src/grounding/research/read-answers.js';
import { answeredJson } from '../../../src/grounding/research/read-json.js';
import { runs } from '../../helpers/runs.js';

const plan = { questions: [{ question: 'How high is it?', queries: ['tower height', 'tower m'] }] };
const json = JSON.stringify(plan);
const pretty = JSON.stringify(plan, null, 2);

describe('JSON in an answer', () => {
  it.each([
    ['alone', json],
    ['in a code block', '```json\n' + pretty + '\n```'],
    ['in a code block that does not end', '```json\n' + pretty],
    ['among sentences', `Here is the plan [as asked]:\n${json}\nTell me {if} you need more.`],
    ['after sentences with brackets', `I looked at [1] and {x}. ${json}`],
    ['after thoughts', `<think>Perhaps {"questions": []}? No.</think>\n${json}`],
    [
      'with trailing commas',
      '{"questions": [{"question": "How high is it?", "queries": ["tower height", "tower m",],},],}',
    ],
    ['with comments', `{ // the plan\n"questions": /* one */ ${JSON.stringify(plan.questions)} }`],
    [
      'with line breaks in strings',
      json.replace('How high', 'How\\u0020high').replace('tower m', 'tower m'),
    ],
    ['with typographic quotation marks', json.replaceAll('"', '”')],
    ['with single quotation marks', json.replaceAll('"', "'")],
    ['with a byte order mark', `\uFEFF${json}`],
    ['cut off after its content', json.slice(0, -4)],
    ['cut off in its last text', json.slice(0, -5)],
    ['cut off in a field name', `${json.slice(0, -3)}, "why`],
    ['cut off before a value', `${json.slice(0, -3)}, "why":`],
  ])('is found %s', (_where, answer) => {
    expect(readPlan(answer)).toEqual(plan.questions);
  });

  it('has its line breaks within strings', () => {
    expect(answeredJson('{"a": "one\ntwo\tthree"}')).toEqual({ a: 'one\ntwo\tthree' });
  });

  it('is found in every script', () => {
    const value = {
      questions: [{ question: '塔の高さは？', queries: ['塔 高さ', 'برج ارتفاع', '😀'] }],
    };
    expect(readPlan(`答え: ${JSON.stringify(value)}`)).toEqual(value.questions);
  });

  it('is found whole, whatever it is and whatever stands around it', () => {
    const words = fc.stringMatching(/^[a-z .,!?]{0,40}$/);
    fc.assert(
      fc.property(words, fc.object(), words, (before, value, after) => {
        const text = JSON.stringify(value);
        expect(answeredJson(`${before}\n${text}\n${after}`)).toEqual(JSON.parse(text));
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('that is cut off anywhere is read as far as it goes, or not at all', () => {
    const long = JSON.stringify({
      questions: Array.from({ length: 5 }, (_, n) => ({
        question: `Question ${n}?`,
        queries: [`q ${n}`],
      })),
    });
    for (let end = 1; end < long.length; end++) {
      const questions = readPlan(long.slice(0, end)) ?? [];
      expect(questions.length).toBeLessThanOrEqual(5);
      // all but the last one are whole
      for (const [n, { question, queries }] of questions.slice(0, -1).entries()) {
        expect(question).toBe(`Question ${n}?`);
        expect(queries).toEqual([`q ${n}`]);
      }
    }
    const almost = long.lastIndexOf('{"question"');
    expect(readPlan(long.slice(0, almost))).toHaveLength(4);
  });

  it('never takes long, and never throws', () => {
    const hostile = [
      '[',
      '{',
      '{"',
      '"',
      '\\',
      '[{"a":',
      ',',
      ' ',
      '//',
      '/*',
      '<think>',
      "'",
      '“',
      '{"a": [',
      '\n- ',
      '- "',
    ];
    for (const part of hostile) {
      const text = part.repeat(200_000 / part.length);
      for (const answer of [text, `{${text}`, `<think>${text}`, `[${text}]`])
        for (const read of [readPlan, readNotes]) read(answer);
    }
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(...'[ ] { } " : , \\ / * \n - 1 a “ ” \''.split(' '), ' '),
        }),
        (text) => {
          for (const read of [readPlan, readCheck, readNotes, readSupport]) read(text);
        },
      ),
      { numRuns: runs(5_000) },
    );
  });
});

describe('a plan', () => {
  it.each([
    ['a list of texts', '["How high is it?", "Who built it?"]'],
    ['another field', '{"plan": {"x": 1}, "sub_questions": ["How high is it?", "Who built it?"]}'],
    ['numbered lines', 'My plan:\n1. How high is it?\n2) **Who built it?**\n\nGood luck!'],
    ['bulleted lines', '- How high is it?\n* Who built it?'],
    ['lines that ask', 'How high is it?\nWho built it?'],
    [
      'entries of other names',
      '[{"q": "How high is it?"}, {"title": "Who built it?", "x": 1}, 5, null]',
    ],
  ])('is read from %s', (_name, answer) => {
    expect(readPlan(answer)?.map(({ question }) => question)).toEqual([
      'How high is it?',
      'Who built it?',
    ]);
  });

  it('may be a single query for each question', () => {
    expect(readPlan('{"questions": [{"query": "tower height"}]}')).toEqual([
      { question: 'tower height', queries: ['tower height'] },
    ]);
  });

  it('is none in a text without lists and questions, and an empty one in an empty list', () => {
    for (const answer of ['', 'I cannot do that.', '{}', '{"error": true}', 'null', '42', '[1, 2]'])
      expect(readPlan(answer)).toBeNull();
    expect(readPlan('{"questions": []}')).toEqual([]);
  });
});

describe('notes, checks and support', () => {
  it('of a reader may lack a question or a quotation, or be lines', () => {
    expect(
      readNotes(
        '{"notes": [{"question": "2", "fact": "It is high.", "quote": "high"}, {"quote": "tall"}, {}]}',
      ),
    ).toEqual([
      { question: 2, fact: 'It is high.', quote: 'high' },
      { question: null, fact: 'tall', quote: 'tall' },
    ]);
    expect(readNotes('- It is 90 m high: “the tower rises 90 m”\n- It is old.')).toEqual([
      {
        question: null,
        fact: 'It is 90 m high: “the tower rises 90 m”',
        quote: 'the tower rises 90 m',
      },
      { question: null, fact: 'It is old.', quote: '' },
    ]);
    expect(readNotes('The page says nothing.')).toEqual([]);
  });

  it('of a check need a number for each question', () => {
    expect(
      readCheck(
        '[{"question": 1, "answered": "yes"}, {"id": 2, "answered": false, "queries": "more"}, {"answered": true}]',
      ),
    ).toEqual([
      { id: 1, answered: true, queries: [] },
      { id: 2, answered: false, queries: ['more'] },
    ]);
    expect(readCheck('All is well.')).toBeNull();
  });

  it('of claims name sources by number', () => {
    expect(
      readSupport(
        '{"claims": [{"claim": 1, "sources": [2, "3", 4]}, {"claim": 2, "source": 5}, {"claim": 3, "sources": []}]}',
      ),
    ).toEqual(
      new Map([
        [1, [2, 4]],
        [2, [5]],
      ]),
    );
  });
});
