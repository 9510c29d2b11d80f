import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: { 'up/m': { inputPrice: 1, outputPrice: 1 } },
    auth: {
      keys: ['one', 'two', 'three', 'four'].map((name) => ({ name, key: `sk_${name}` })),
    },
    requestLog: { content: true },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const as = (name: string): Record<string, string> => ({ authorization: `Bearer sk_${name}` });
const call = (name: string, method: string, path = '', body?: object): Promise<Reply> =>
  ask(method, `${gateway.url}/api/v1/evaluations${path}`, as(name), body);
const added = async (name: string, body: object): Promise<string> =>
  textAt((await call(name, 'POST', '', body)).json, 'id');

describe('an evaluation set', () => {
  it('takes prompts with scores, which are listed, changed and deleted', async () => {
    const made = await call('one', 'POST', '', { prompt: 'Hi', scores: { 'up/m': 1, 'up/n': 0 } });
    expect(made.status).toBe(201);
    expectConforms('evaluation.response', made.json);
    const id = textAt(made.json, 'id');
    expect((await call('one', 'GET', `/${id}`)).json).toEqual(made.json);
    expect((await call('one', 'GET')).json).toEqual({
      object: 'list',
      items: [made.json],
      next: null,
    });
    const changed = await call('one', 'PATCH', `/${id}`, { scores: { 'up/n': null, 'up/o': 0.5 } });
    expect(at(changed.json, 'scores')).toEqual({ 'up/m': 1, 'up/o': 0.5 });
    expect((await call('one', 'DELETE', `/${id}`)).status).toBe(204);
    expect((await call('one', 'GET', `/${id}`)).status).toBe(404);
  });

  it('takes the prompt and the cost of a request, once for each request', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why is the sky blue?' },
    ];
    await post(`${gateway.url}/api/v1/completions`, { models: ['up/m'], messages }, as('two'));
    const log = await ask('GET', `${gateway.url}/api/v1/requests`, as('two'));
    const request_id = textAt(log.json, 'items', 0, 'id');
    const first = await call('two', 'POST', '', { request_id, scores: { 'up/m': 1 } });
    expect(first.status).toBe(201);
    expect(first.json).toMatchObject({
      requestId: request_id,
      prompt: 'Why is the sky blue?',
      scores: { 'up/m': 1 },
      costs: { 'up/m': at(log.json, 'items', 0, 'costUsd') },
    });
    const second = await call('two', 'POST', '', { request_id, scores: { 'up/n': 0 } });
    expect(at(second.json, 'id')).toBe(at(first.json, 'id'));
    expect(at(second.json, 'scores')).toEqual({ 'up/m': 1, 'up/n': 0 });
    expect(listAt((await call('two', 'GET')).json, 'items')).toHaveLength(1);
    expect((await call('one', 'POST', '', { request_id })).status).toBe(404);
  });

  it('shows only the beginning of a long prompt in lists', async () => {
    const prompt = 'long '.repeat(500);
    const id = await added('three', { prompt });
    const [shown] = listAt((await call('three', 'GET')).json, 'items');
    expect(textAt(shown, 'prompt')).toBe(prompt.slice(0, 200));
    expect(at(shown, 'promptLength')).toBe(prompt.length);
    expect(textAt((await call('three', 'GET', `/${id}`)).json, 'prompt')).toBe(prompt);
    await call('three', 'DELETE', `/${id}`);
  });

  it('is exported in the format that trainings take, and trains a preference alone', async () => {
    const prompts = Array.from({ length: 60 }, (_, at) => `Question ${at}, "quoted", of many`);
    for (const [at, prompt] of prompts.entries())
      await added('three', {
        prompt,
        scores: { 'up/a': at % 2, 'up/b': 1 },
        costs: { 'up/a': 0.1 },
      });
    const csv = await call('three', 'GET', '?format=csv');
    expect(csv.text.split('\r\n')[0]).toBe('prompt,up/a/score,up/b/score,up/a/cost');
    expect(csv.text.split('\r\n')).toHaveLength(62);
    const preference = await post(`${gateway.url}/api/v1/preferences`, {}, as('three'));
    const path = `${gateway.url}/api/v1/preferences/${textAt(preference.json, 'id')}/training`;
    const training = await post(path, { evaluations: true, rows: null }, as('three'));
    expect(training.status).toBe(202);
    expectConforms('training.response', training.json);
  });

  it('is mapped by name where the columns of a file are called otherwise, or refused by name', async () => {
    const preference = await post(`${gateway.url}/api/v1/preferences`, {}, as('one'));
    const path = `${gateway.url}/api/v1/preferences/${textAt(preference.json, 'id')}/training`;
    const lines = Array.from({ length: 60 }, (_, at) => `Question ${at},${at % 2},1,a note`);
    const sent = async (mapping: unknown, file: string): Promise<[number, string]> => {
      const form = new FormData();
      form.set('file', new Blob([file]), 'scores.csv');
      form.set('mapping', typeof mapping === 'string' ? mapping : JSON.stringify(mapping));
      const reply = await fetch(path, { method: 'POST', headers: as('one'), body: form });
      return [
        reply.status,
        textAt({ message: '', ...((await reply.json()) as object) }, 'message'),
      ];
    };
    const file = ['question,a,b,note', ...lines].join('\n');
    const mapping = {
      question: 'prompt',
      a: { model: 'up/a', role: 'score' },
      b: { model: 'up/b', role: 'score' },
      note: 'ignore',
    };
    const wrongCell = file.replace('Question 5,1', 'Question 5,good');
    for (const [given, text, message] of [
      ['{', file, 'mapping: must be JSON'],
      [{ ...mapping, question: 'ignore' }, file, 'exactly one column as "prompt"'],
      [{ ...mapping, b: mapping.a }, file, 'two columns as the score of up/a'],
      [{ ...mapping, b: { model: 'up/b', role: 'points' } }, file, 'mapping[b]'],
      [
        { ...mapping, c: { model: 'up/c', role: 'score' } },
        file,
        'line 1: the mapping names the column "c"',
      ],
      [mapping, wrongCell, 'line 7: column "a": "good" is not a number'],
    ] as const) {
      const [status, text_] = await sent(given, text);
      expect([status, text_]).toEqual([422, expect.stringContaining(message)]);
    }
    expect((await sent(mapping, file))[0]).toBe(202);
  });

  it('says what is missing: a prompt, a stored content, scores to train from', async () => {
    expect((await call('four', 'POST', '', {})).status).toBe(422);
    expect((await call('four', 'POST', '', { prompt: ' ' })).status).toBe(422);
    await post(
      `${gateway.url}/api/v1/model-select`,
      {
        llm_providers: [{ name: 'up/m' }],
        messages: [{ role: 'user', content: 'Hi' }],
        hash_content: true,
      },
      as('four'),
    );
    const log = await ask('GET', `${gateway.url}/api/v1/requests`, as('four'));
    const request_id = textAt(log.json, 'items', 0, 'id');
    const refused = await call('four', 'POST', '', { request_id });
    expect(refused.status).toBe(422);
    expect(textAt(refused.json, 'message')).toContain('is not stored');
    const preference = await post(`${gateway.url}/api/v1/preferences`, {}, as('four'));
    const training = await post(
      `${gateway.url}/api/v1/preferences/${textAt(preference.json, 'id')}/training`,
      { evaluations: true },
      as('four'),
    );
    expect(training.status).toBe(422);
    expect(textAt(training.json, 'message')).toContain('evaluations: no prompt');
  });
});
