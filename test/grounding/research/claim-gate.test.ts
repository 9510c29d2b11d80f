import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClaimGate } from '../../../src/grounding/research/claim-gate.js';
import { runs } from '../../helpers/runs.js';
import { ScriptedWorld, startRun, textOf } from '../../helpers/researching.js';

const sources = new Set([1, 2, 3]);

/** What a gate passes on at once, the claims that it kept the rest for, and the rest. */
function through(text: string, support = new Map<number, number[]>(), mayHold = true) {
  const gate = new ClaimGate(sources, () => mayHold);
  const passed = gate.push(text) + gate.end();
  return { passed, claims: gate.claims, rest: gate.rest(support) };
}

describe('the check of claims', () => {
  it('lets lines pass that name a source, and keeps the rest from the first claim without one', () => {
    const first = '# The tower\n\nIt is 90 m high and was built in 1890 [1].\n';
    const claim = 'It was built by a company of the town in three years.\n';
    const last = '\nIt is painted every seven years by hand [2, 3].';
    expect(through(first + claim + last)).toEqual({
      passed: first,
      claims: [claim.trim()],
      rest: claim + last,
    });
  });

  it('adds the numbers of sources to claims, and leaves the rest of the text as it was', () => {
    const text =
      'It was built by a company of the town in three years. \n- It has 1,710 steps to the top\n';
    const support = new Map([
      [0, [2, 2, 9]],
      [1, [1, 3]],
    ]);
    expect(through(text, support).rest).toBe(
      'It was built by a company of the town in three years. [2] \n- It has 1,710 steps to the top [1][3]\n',
    );
    expect(through(text, new Map([[0, [9]]])).rest).toBe(text);
  });

  it.each([
    ['a heading', '## The tower of the town and its long history since 1890'],
    ['a lead-in', 'These are the most important facts about the tower of the town:'],
    ['a question', 'But who was it that paid for the tower of the town?'],
    ['a row of a table', '| height | 90 m | as the company of the town says |'],
    ['a short sentence', 'It is high.'],
    [
      'code',
      '```\nconst tower = { height: 90, year: 1890, builder: "a company of the town" };\n```',
    ],
    ['a claim with its source', 'It is 90 m high and was built in three years【2】.'],
    ['a claim with a note', 'It is 90 m high and was built in three years[^3].'],
  ])('takes %s for no claim without a source', (_name, line) => {
    expect(through(`${line}\n`)).toEqual({ passed: `${line}\n`, claims: [], rest: '' });
  });

  it.each([
    ['with the number of no source', 'It is 90 m high and was built in three years [7].'],
    ['in Chinese', '这座塔高九十米，由镇上的一家公司在三年内建成，每七年手工粉刷一次。'],
    ['with a number', 'Height: about 90 metres'],
    ['of a list', '- **Builder**: a company of the town that had built two bridges before'],
  ])('takes a line %s for one', (_name, line) => {
    expect(through(line).claims).toEqual([line]);
  });

  it('keeps nothing where it may not', () => {
    const text = 'It was built by a company of the town in three years.\n';
    expect(through(text, new Map(), false)).toEqual({ passed: text, claims: [], rest: '' });
  });

  it('does not keep a line for ever that never ends', () => {
    const gate = new ClaimGate(sources, () => true);
    let passed = '';
    for (let turn = 0; turn < 1_000; turn++) passed += gate.push('It goes on and on ');
    expect(passed.length).toBeGreaterThan(10_000);
  });

  it('gives the same text however it is cut, with nothing lost', () => {
    const parts = fc.array(
      fc.constantFrom(
        '\n',
        '```\n',
        'It is 90 m high',
        ' [1]',
        '. ',
        '塔'.repeat(20),
        '# A',
        ' [9]',
        '|',
        ' \n',
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(parts, fc.array(fc.nat({ max: 20 })), (words, cuts) => {
        const text = words.join('');
        const whole = through(text);
        expect(whole.passed + whole.rest).toBe(text);
        const gate = new ClaimGate(sources, () => true);
        let passed = '';
        let at = 0;
        for (const length of cuts) passed += gate.push(text.slice(at, (at += length)));
        passed += gate.push(text.slice(at)) + gate.end();
        expect({ passed, claims: gate.claims, rest: gate.rest(new Map()) }).toEqual(whole);
      }),
      { numRuns: runs(3_000) },
    );
  });
});

describe('an answer with claims that name no source', () => {
  const answer = () =>
    'It is 90 m high [1].\nIt was built by a company of the town in three years.\n';

  it('is given the sources that the notes have, with one call', async () => {
    const support = () => '{"claims": [{"claim": 1, "sources": [2]}]}';
    const { outcome, heard, world } = startRun(new ScriptedWorld({ script: { answer, support } }));
    const { text } = await outcome;
    expect(text).toBe(
      'It is 90 m high [1].\nIt was built by a company of the town in three years. [2]\n',
    );
    expect(heard.join('')).toBe(text);
    expect(heard[0]).toContain('It is 90 m high [1].');
    expect(world.callsOf('support')).toHaveLength(1);
    expect(textOf(world.callsOf('support')[0]!)).toContain('1. It was built by a company');
  });

  it('stays as it is where the call fails, or the budget or the effort does not allow it', async () => {
    const failing = startRun(
      new ScriptedWorld({ script: { answer }, fails: (what) => what === 'support' }),
    );
    expect((await failing.outcome).text).toBe(answer());
    const poor = startRun(new ScriptedWorld({ script: { answer } }), {
      budget: { maxSteps: 8, maxSeconds: 1_000, maxCostUsd: null, maxTokens: 1_000_000 },
    });
    expect((await poor.outcome).text).toBe(answer());
    expect(poor.world.callsOf('support')).toEqual([]);
    const low = startRun(new ScriptedWorld({ script: { answer } }), { effort: 'low' });
    expect((await low.outcome).text).toBe(answer());
    expect(low.world.callsOf('support')).toEqual([]);
  });
});
