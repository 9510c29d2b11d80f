import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classify } from './helpers/expected.js';
import { at, textAt, tryJson } from './helpers/json.js';
import { bodyOf, listRecorded, recordedDir } from './helpers/recorded.js';
import { ownModel, type ResponsesWorld, startResponses } from './helpers/responses.js';

const dir = recordedDir();
const exchanges = dir
  ? listRecorded(dir)
      .map((exchange) => ({ ...exchange, ...classify(exchange) }))
      // an error inside a stream is told in the gateway's own words
      .filter((exchange) => !bodyOf(exchange).includes('response.failed'))
      .filter(({ provider, servable, status, kind }) => {
        const isOwn = provider === 'openai-responses' || provider.includes('responses');
        return isOwn && servable && status === 200 && (kind === 'json' || kind === 'sse');
      })
  : [];
const rows = exchanges.map(
  (exchange) => [`${exchange.provider}/${exchange.name}`, exchange] as const,
);

/** The events of a recorded stream, parsed. */
const eventsIn = (text: string): unknown[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => tryJson(line.slice(5)))
    .filter((event) => event !== undefined);

describe.skipIf(!dir)('what a provider of Responses sent', () => {
  let world: ResponsesWorld;
  beforeAll(async () => {
    world = await startResponses();
  });
  afterAll(() => world.close());

  it.each(rows)('%s reaches the client whole', async (_name, exchange) => {
    const body = bodyOf(exchange);
    world.upstream.script([{ raw: body, contentType: exchange.contentType }]);
    const asked = { model: ownModel, input: 'Hi', store: false };
    if (exchange.kind === 'json') {
      expect((await world.ask(asked)).json).toEqual(JSON.parse(body.toString('utf8')));
      return;
    }
    const { events, status } = await world.stream(asked);
    expect(status).toBe(200);
    expect(events).toEqual(eventsIn(body.toString('utf8')));
  });

  it.each(rows)('%s is changed in three fields alone where it is kept', async (_name, exchange) => {
    const body = bodyOf(exchange);
    world.upstream.script([{ raw: body, contentType: exchange.contentType }]);
    const asked = { model: ownModel, input: 'Hi' };
    const without = (response: unknown): object => {
      const {
        id: _id,
        previous_response_id: _previous,
        store: _store,
        ...rest
      } = Object(response) as Record<string, unknown>;
      return rest;
    };
    if (exchange.kind === 'json') {
      const { json } = await world.ask(asked);
      expect(json).toMatchObject({ store: true, previous_response_id: null });
      expect(without(json)).toEqual(without(JSON.parse(body.toString('utf8'))));
      return;
    }
    const { events } = await world.stream(asked);
    const same = (list: unknown[]): unknown[] =>
      list.map((event) =>
        at(event, 'response')
          ? { ...(event as object), response: without(at(event, 'response')) }
          : event,
      );
    expect(same(events)).toEqual(same(eventsIn(body.toString('utf8'))));
    const ids = new Set(events.flatMap((event) => textAt(event, 'response', 'id') || []));
    expect(ids.size).toBe(1);
  });
});
