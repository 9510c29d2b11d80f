import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asking, carl, type Conversing, startConversing } from '../helpers/conversing.js';
import { listAt, textAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { libsqlPlace, type Place } from '../helpers/stores.js';
import { until } from '../helpers/until.js';
import type { Step, UpstreamCall } from '../helpers/upstream.js';

let place: Place;
let talk: Conversing;
beforeAll(async () => {
  place = libsqlPlace();
  talk = await startConversing(place, {
    conversations: { titleModel: 'up/titles' },
    models: { 'up/titles': { inputPrice: 1, outputPrice: 10 }, 'up/good': {} },
    limits: { maxRetries: 0 },
  });
});
afterAll(async () => {
  await talk.close();
  await place.remove();
});

const isTitles = ({ body }: UpstreamCall): boolean => body?.['model'] === 'titles';
/** Answers normally, and requests for titles with the given step. */
const title = (step: Step): void =>
  talk.upstream.script([(call): Step => (isTitles(call) ? step : {})]);
const stored = async (id: string): Promise<[string, string] | null> => {
  const found = await talk.reader.conversations.find(talk.ann.accountId, id);
  return found && [found.title, found.titleSource];
};
const askedForTitles = (): number => talk.upstream.requests.filter(isTitles).length;
async function begin(question = 'How do trains choose their track? Tell me.'): Promise<string> {
  const { json } = await talk.complete(asking(question));
  return textAt(json, 'conversationId');
}

describe('a title', () => {
  it('is derived at first, and then written by the model', async () => {
    title({ text: ['"Signal boxes', ' and points."\n'], usage: { prompt: 50, completion: 5 } });
    const first = await talk.complete(asking('How do trains choose their track? Tell me.'));
    expect(textAt(first.json, 'conversationTitle')).toBe('How do trains choose their track?');
    const conversationId = textAt(first.json, 'conversationId');
    await expect.poll(() => stored(conversationId)).toEqual(['Signal boxes and points', 'model']);
    const asked = talk.upstream.requests.find(isTitles);
    expect(asked?.body).toMatchObject({ model: 'titles' });
    expect(textAt(listAt(asked?.body, 'messages')[1], 'content')).toBe(
      '<user>\nHow do trains choose their track? Tell me.\n</user>\n<assistant>\nHello\n</assistant>',
    );
    const second = await talk.complete({
      ...asking('How do trains choose their track? Tell me.', 'Hello', 'And?'),
      conversationId,
    });
    expect(textAt(second.json, 'conversationTitle')).toBe('Signal boxes and points');
    expect(askedForTitles()).toBe(1);
    await expect
      .poll(() => talk.log.lines.filter(({ msg }) => msg === 'conversation title'))
      .toEqual([
        expect.objectContaining({
          model: 'up/titles',
          promptTokens: 50,
          completionTokens: 5,
          costUsd: 0.0001,
        }),
      ]);
    expect(
      await metricOf(talk.gateway, 'signalbox_attempts_total', 'model="titles"', 'outcome="ok"'),
    ).toBe(1);
    expect(talk.log.text()).not.toContain('Signal boxes');
  });

  it.each([
    ['x'.repeat(300), `${'x'.repeat(59)}…`],
    ['Title: **Trains**\n\nand more', 'Trains and more'],
    ['«Züge»', 'Züge'],
  ])('of a model is cleaned and cut: %j', async (written, cleaned) => {
    title({ text: [written] });
    const id = await begin();
    await expect.poll(() => stored(id)).toEqual([cleaned, 'model']);
  });

  it.each<[string, Step]>([
    ['fails', { status: 500 }],
    ['writes nothing', { text: [' "" '] }],
  ])('stays as it was derived where the model %s', async (_what, step) => {
    title(step);
    const before = askedForTitles();
    const id = await begin();
    await until(() => askedForTitles() > before);
    expect(await stored(id)).toEqual(['How do trains choose their track?', 'derived']);
  });

  it('that a client has given is not overwritten', async () => {
    title({ text: ['Too late'], delayMs: 80 });
    const id = await begin();
    await talk.reader.conversations.rename(talk.ann.accountId, id, 'Mine', 'given');
    const before = talk.log.lines.filter(({ msg }) => msg === 'conversation title').length;
    await expect
      .poll(() => talk.log.lines.filter(({ msg }) => msg === 'conversation title').length)
      .toBeGreaterThan(before);
    expect(await stored(id)).toEqual(['Mine', 'given']);
  });

  it('of many conversations is requested a few at a time', async () => {
    let [open, most] = [0, 0];
    talk.upstream.script([
      (call): Step => {
        if (!isTitles(call)) return {};
        most = Math.max(most, ++open);
        setTimeout(() => open--, 40);
        return { text: ['Short'], delayMs: 45 };
      },
    ]);
    const ids = await Promise.all(Array.from({ length: 12 }, () => begin()));
    for (const id of ids) await expect.poll(() => stored(id)).toEqual(['Short', 'model']);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('stays derived for a key with a budget, because no key is charged for it', async () => {
    title({ text: ['Written'] });
    const before = askedForTitles();
    const bounded = { ...asking('Hello there'), models: ['up/titles'], maxTokens: 5 };
    expect((await talk.complete(bounded, carl)).status).toBe(200);
    const id = await begin();
    await expect.poll(() => stored(id)).toEqual(['Written', 'model']);
    // the first completion itself, and the title of the second conversation
    expect(askedForTitles() - before).toBe(2);
  });

  it('that is being written does not delay the shutdown', async () => {
    title({ hang: 'beforeHeaders' });
    const id = await begin();
    await until(
      () => talk.upstream.requests.at(-1) !== undefined && isTitles(talk.upstream.requests.at(-1)!),
    );
    await talk.gateway.close();
    expect(await stored(id)).toEqual(['How do trains choose their track?', 'derived']);
  });
});
