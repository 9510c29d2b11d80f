import express from 'express';
import { expect, it } from 'vitest';
import { readTrainingBody } from '../../src/http/resources/training-body.js';
import { startHost } from '../helpers/host.js';
import { at } from '../helpers/json.js';
import { post } from '../helpers/sse.js';

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
      const { text } = await readTrainingBody(req, 1e9);
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
