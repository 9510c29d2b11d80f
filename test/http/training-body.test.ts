import express from 'express';
import { describe, expect, it } from 'vitest';
import type { GatewayError } from '../../src/errors.js';
import type { BodyLimits } from '../../src/http/bodies/body-limits.js';
import { readTrainingBody } from '../../src/http/training/training-body.js';
import { startHost } from '../helpers/host.js';
import { at } from '../helpers/json.js';
import { post } from '../helpers/sse.js';

const unlimited: BodyLimits = {
  maxBytes: 1e9,
  accountId: 'a',
  maxValues: 1e9,
  announce: () => undefined,
  hold: () => undefined,
};

it('many rows of JSON are read in slices, so that other requests go on in between', async () => {
  const app = express()
    .use(express.json({ limit: '50mb' }))
    .post('/', async (req, res) => {
      const turns = { count: 0, isOver: false };
      const count = (): void => {
        turns.count++;
        if (!turns.isOver) setImmediate(count);
      };
      setImmediate(count);
      // rows may have more values than other bodies
      const { text } = await readTrainingBody(req, { ...unlimited, maxValues: 10_000 });
      turns.isOver = true;
      res.json({
        turns: turns.count,
        first: text.slice(0, text.indexOf('\n')),
        lines: text.split('\n').length,
      });
    });
  const host = await startHost(app);
  const rows = Array.from({ length: 20_000 }, (_, row) => ({
    prompt: `Prompt ${row}`,
    scores: { a: row % 2, b: 1 },
  }));
  const { json } = await post(`${host.url}/`, { rows });
  expect(json).toMatchObject({
    first: '{"prompt":"Prompt 0","scores":{"a":0,"b":1}}',
    lines: 20_000,
  });
  expect(at(json, 'turns')).toBeGreaterThan(10);
  await host.close();
});

describe('a multipart form with evaluations', () => {
  const form = (...parts: string[]): string =>
    parts.map((part) => `--b\r\ncontent-disposition: form-data; ${part}\r\n`).join('');
  const file = 'name="file"; filename="rows.csv"\r\n\r\nprompt,a,b\nHello,1,0';
  const send = async (body: string): Promise<{ status: number; json: unknown }> => {
    const app = express().post('/', (req, res) => {
      readTrainingBody(req, { ...unlimited, maxBytes: 10_000 }).then(
        ({ text, fields }) => res.json({ text, fields }),
        (error: unknown) => {
          const { status, message } = error as GatewayError;
          res.status(status).json({ message });
        },
      );
    });
    const host = await startHost(app);
    const response = await fetch(`${host.url}/`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body,
    });
    const json: unknown = await response.json();
    await host.close();
    return { status: response.status, json };
  };

  it('gives its file as text and its other fields by name', async () => {
    expect(await send(`${form(file, 'name="maximize"\r\n\r\nfalse')}--b--\r\n`)).toEqual({
      status: 200,
      json: { text: 'prompt,a,b\nHello,1,0', fields: { maximize: 'false' } },
    });
  });

  it('is refused with 422 if it has no file', async () => {
    expect(await send(`${form('name="maximize"\r\n\r\nfalse')}--b--\r\n`)).toEqual({
      status: 422,
      json: { message: 'file: is required' },
    });
  });

  it('is refused with 422 at its first part too many', async () => {
    const more = Array.from({ length: 20 }, (_, n) => `name="n${n}"; filename="f"\r\n\r\nx`);
    expect((await send(`${form(file, ...more.slice(1))}--b--\r\n`)).status).toBe(200);
    // not even its end is waited for
    expect(await send(form(file, ...more, 'name="unended'))).toEqual({
      status: 422,
      json: { message: 'body: must have at most 20 parts in its form' },
    });
  });

  it.each([
    ['ends within its file', form(file)],
    ['is empty', ''],
    ['has no boundary', 'prompt,a,b'],
  ])('is refused with 400 if it %s', async (_case, body) => {
    expect(await send(body)).toEqual({
      status: 400,
      json: { message: 'the body is not a valid multipart form' },
    });
  });
});
