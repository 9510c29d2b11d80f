import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asking, type Conversing, holdWrites, startConversing } from '../helpers/conversing.js';
import { expectConforms } from '../helpers/conforms.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { libsqlPlace, type Place, storeRowsOfRun } from '../helpers/stores.js';
import { until } from '../helpers/until.js';

const unknown = '4b0ee4ea-6a0f-4d3e-9a2c-111111111111';
const textsOf = (messages: readonly { role: string; content: unknown }[]): string[] =>
  messages.map(
    ({ role, content }) =>
      `${role}: ${typeof content === 'string' ? content : textAt(content, 0, 'text')}`,
  );

describe.each(storeRowsOfRun)('conversations in $name', ({ place: newPlace }) => {
  let place: Place;
  let talk: Conversing;
  beforeAll(async () => {
    place = await newPlace();
    talk = await startConversing(place);
  });
  afterAll(async () => {
    await talk.close();
    await place.remove();
  });
  beforeEach(() => talk.upstream.script([]));

  const call = (method: string, path: string, body?: object, who = talk.ann): Promise<Reply> =>
    ask(
      method,
      `${talk.gateway.url}/api/v1/${path}`,
      { ...who.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      body,
    );

  describe('a completion', () => {
    it('without a conversation begins one, which is there when it is answered', async () => {
      talk.upstream.script([
        { text: ['Fine', ', thanks.'], reasoning: ['hm'], usage: { prompt: 100, completion: 20 } },
      ]);
      const { json, headers } = await talk.complete(asking('How are you? Tell me.'));
      const id = textAt(json, 'conversationId');
      expect(json).not.toHaveProperty('conversationStored');
      expect(headers['conversationid']).toBe(id);
      expect(await talk.reader.conversations.find(talk.ann.accountId, id)).toMatchObject({
        title: 'How are you?',
        titleSource: 'derived',
        messageCount: 2,
      });
      const [sent, answer] = await talk.stored(talk.ann, id);
      expect(sent).toMatchObject({
        role: 'user',
        content: 'How are you? Tell me.',
        model: null,
        usage: null,
      });
      expect(answer).toMatchObject({
        id: at(json, 'responseMessageId'),
        role: 'assistant',
        provider: 'up',
        model: 'good',
        finishReason: 'stop',
        costUsd: 0.0003,
        usage: { promptTokens: 100, completionTokens: 20, totalTokens: 120 },
        content: [
          { type: 'text', text: 'Fine, thanks.' },
          { type: 'reasoning', text: 'hm' },
        ],
      });
    });

    it('of more messages than anybody writes is answered and not stored, and says so', async () => {
      const messages = Array.from({ length: 10_001 }, () => ({ role: 'user', content: 'a' }));
      const { json } = await talk.complete({ models: ['up/good'], messages });
      expect(json).toMatchObject({ conversationStored: false });
    });

    it('goes on with a conversation, and of the whole history only what is new is added', async () => {
      talk.upstream.script([
        { text: ['One.'], reasoning: ['hm'] },
        { text: ['Two.'] },
        { text: ['Three.'] },
      ]);
      const { json } = await talk.complete(asking('First?'));
      const conversationId = textAt(json, 'conversationId');
      const second = await talk.complete({
        ...asking('First?', 'One.', 'Second?'),
        conversationId,
      });
      expect(second.json).toMatchObject({ conversationId, conversationTitle: 'First?' });
      // blocks for strings, an id in capitals, an answer that was trimmed
      const messages = ['First?', 'One.', 'Second?', ' Two.', 'Third?'].map((text, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: [{ type: 'text', text }],
      }));
      const third = await talk.complete({
        models: ['up/good'],
        messages,
        conversationId: conversationId.toUpperCase(),
      });
      expect(third.json).toMatchObject({ conversationId });
      expect(textsOf(await talk.stored(talk.ann, conversationId))).toEqual([
        'user: First?',
        'assistant: One.',
        'user: Second?',
        'assistant: Two.',
        'user: Third?',
        'assistant: Three.',
      ]);
    });

    it('that is streamed is stored with all its text, whatever stands in it', async () => {
      talk.upstream.script([
        {
          text: ['Grü', 'ße \u{1f600}', '"\n\\', '\u0000 \ud83d', '\ude00'],
          reasoning: ['let ', 'me'],
        },
      ]);
      const { events, headers, frames } = await talk.stream(asking('Hi'));
      const id = textAt(headers, 'conversationid');
      expect(frames.at(-1)?.data).toBe('[DONE]');
      for (const chunk of events) expectConforms('completions.chunk', chunk);
      expect(events.at(-1)).toMatchObject({ conversationId: id, conversationTitle: 'Hi' });
      expect(events.at(-1)).not.toHaveProperty('conversationStored');
      const [, answer] = await talk.stored(talk.ann, id);
      expect(answer).toMatchObject({
        id: headers['responsemessageid'],
        content: [
          { type: 'text', text: 'Grüße \u{1f600}"\n\\\u0000 \u{1f600}' },
          { type: 'reasoning', text: 'let me' },
        ],
      });
    });

    it.each([false, true])(
      'is not said to be over before its turn is stored (streamed: %s)',
      async (stream) => {
        const release = await holdWrites(place);
        const texts: string[] = [];
        let isOver = false;
        const asked = asking(`held ${stream}`);
        const answered = (
          stream
            ? talk.stream(asked, {
                onFrame: ({ data }) =>
                  void texts.push(
                    data === '[DONE]' ? data : textAt(JSON.parse(data ?? '{}'), 'text'),
                  ),
              })
            : talk.complete(asked)
        ).then((reply) => {
          isOver = true;
          return reply;
        });
        try {
          if (stream) await until(() => texts.join('') === 'Hello');
          else
            await until(() => talk.upstream.requests.some(({ raw }) => raw.includes('held false')));
          await new Promise((resolve) => setTimeout(resolve, 100));
          expect(isOver).toBe(false);
          if (stream) expect(texts.join('')).toBe('Hello');
        } finally {
          await release();
        }
        const { status, headers } = await answered;
        expect(status).toBe(200);
        expect(await talk.stored(talk.ann, textAt(headers, 'conversationid'))).toHaveLength(2);
      },
    );

    it('takes two turns of one conversation at the same time', async () => {
      const { json } = await talk.complete(asking('First?'));
      const conversationId = textAt(json, 'conversationId');
      const replies = await Promise.all(
        ['A?', 'B?', 'C?'].map((text) =>
          talk.complete({ ...asking('First?', 'Hello', text), conversationId }),
        ),
      );
      for (const reply of replies) expect(reply.json).not.toHaveProperty('conversationStored');
      const texts = textsOf(await talk.stored(talk.ann, conversationId));
      expect(texts).toHaveLength(8);
      for (const text of ['A?', 'B?', 'C?'])
        expect(texts.filter((stored) => stored === `user: ${text}`)).toHaveLength(1);
      const ids = (await talk.stored(talk.ann, conversationId)).map(({ id }) => id);
      for (const reply of replies) expect(ids).toContain(at(reply.json, 'responseMessageId'));
    });

    it('with store: false is kept nowhere, though a conversation that it names has to be there', async () => {
      const { json } = await talk.complete(asking('First?'));
      const conversationId = textAt(json, 'conversationId');
      const unkept = await talk.complete({
        ...asking('First?', 'Hello', 'Secret?'),
        conversationId,
        store: false,
      });
      expect(unkept.json).toMatchObject({ conversationId, conversationTitle: 'First?' });
      expect(unkept.json).not.toHaveProperty('conversationStored');
      expect(await talk.stored(talk.ann, conversationId)).toHaveLength(2);
      const fresh = await talk.stream({ ...asking('Secret?'), store: false });
      expect(
        await talk.reader.conversations.find(
          talk.ann.accountId,
          textAt(fresh.headers, 'conversationid'),
        ),
      ).toBeNull();
      expect(
        (await talk.complete({ ...asking('x'), conversationId: unknown, store: false })).status,
      ).toBe(404);
    });

    it('that fails, or breaks off, leaves nothing', async () => {
      const before = await talk.reader.conversations.list(talk.ann.accountId, {
        limit: 1,
        cursor: null,
      });
      talk.upstream.script([{ status: 400 }]);
      expect((await talk.complete(asking('fails'))).status).toBe(422);
      talk.upstream.script([{ reset: 'afterContent' }]);
      const broken = await talk.stream(asking('breaks'));
      expect(broken.text + broken.frames.map(({ data }) => data).join('')).toContain('[Error]');
      talk.upstream.script([{ hang: 'afterContent' }]);
      await talk.stream(asking('leaves'), { abortAfterFrames: 1 });
      expect(
        await talk.reader.conversations.list(talk.ann.accountId, { limit: 1, cursor: null }),
      ).toEqual(before);
    });

    it.each(['get', 'complete'])(
      'is 404 for a conversation that nobody has, or somebody else (%s)',
      async (way) => {
        const { json } = await talk.complete(asking('Mine'), talk.bob);
        const asked = talk.upstream.requests.length;
        for (const id of [unknown, textAt(json, 'conversationId')]) {
          if (way === 'get')
            expect(await call('GET', `conversations/${id}`)).toMatchObject({
              status: 404,
              json: { error: 'Not Found', message: 'conversation: not found' },
            });
          else
            expect(await talk.complete({ ...asking('Yours?'), conversationId: id })).toMatchObject({
              status: 404,
              json: { error: 'Not Found', message: 'conversationId: not found' },
            });
        }
        expect(talk.upstream.requests).toHaveLength(asked);
        expect(await talk.stored(talk.bob, textAt(json, 'conversationId'))).toHaveLength(2);
      },
    );

    it('does not go on with a conversation that was deleted just now', async () => {
      const { json } = await talk.complete(asking('First?'));
      const conversationId = textAt(json, 'conversationId');
      expect((await call('DELETE', `conversations/${conversationId}`)).status).toBe(204);
      expect(
        (await talk.complete({ ...asking('First?', 'Hello', 'Second?'), conversationId })).status,
      ).toBe(404);
    });

    it('says so where its conversation was deleted while it was answered', async () => {
      const { json } = await talk.complete(asking('First?'));
      const conversationId = textAt(json, 'conversationId');
      talk.upstream.script([{ delayMs: 90 }]);
      const answered = talk.complete({ ...asking('First?', 'Hello', 'Second?'), conversationId });
      await until(() => talk.upstream.requests.at(-1)?.raw.includes('Second?') ?? false);
      await talk.reader.conversations.remove(talk.ann.accountId, conversationId);
      expect(await answered).toMatchObject({ status: 200, json: { conversationStored: false } });
      expect(await talk.reader.conversations.find(talk.ann.accountId, conversationId)).toBeNull();
    });
  });

  describe('the resource', () => {
    it('is created with a title or without, which the first message then gives', async () => {
      const named = await call('POST', 'conversations', { title: '  Plans ' });
      expect(named.status).toBe(201);
      expectConforms('conversation.response', named.json);
      expect(named.json).toMatchObject({
        title: 'Plans',
        conversationTitle: 'Plans',
        titleSource: 'given',
        messageCount: 0,
      });
      const unnamed = await call('POST', 'conversations', {});
      expect(unnamed.json).toMatchObject({ title: 'New conversation', titleSource: 'derived' });
      for (const [created, title] of [
        [named, 'Plans'],
        [unnamed, 'Where to?'],
      ] as const) {
        const conversationId = textAt(created.json, 'id');
        expect(
          (await talk.complete({ ...asking('Where to? Now.'), conversationId })).json,
        ).toMatchObject({ conversationId, conversationTitle: title });
        expect((await call('GET', `conversations/${conversationId}`)).json).toMatchObject({
          title,
          messageCount: 2,
        });
        expect(
          (await talk.complete({ ...asking('Where to? Now.', 'Hello', 'And?'), conversationId }))
            .json,
        ).toMatchObject({ conversationTitle: title });
      }
    });

    it('is created as earlier clients do', async () => {
      const { status, json } = await call('POST', 'chat/conversation', {
        title: `Hi\u0000\n${'x'.repeat(500)}`,
        model: 'whatever',
      });
      expect(status).toBe(201);
      expectConforms('conversation.response', json);
      expect(at(json, 'data', 'id')).toBe(at(json, 'id'));
      expect(textAt(json, 'title')).toBe(`Hi ${'x'.repeat(197)}`);
      expect((await call('POST', 'chat/conversation', {})).json).toMatchObject({
        title: 'New conversation',
      });
      expect(
        (await talk.complete({ ...asking('Hm'), conversationId: at(json, 'id') })).status,
      ).toBe(200);
    });

    it('is listed page by page, the one that was used last first', async () => {
      const who = talk.bob;
      const ids: string[] = [];
      for (const text of ['1', '2', '3', '4', '5']) {
        ids.unshift(textAt((await talk.complete(asking(text), who)).json, 'conversationId'));
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      await talk.complete({ ...asking('1', 'Hello', 'more'), conversationId: ids[4] }, who);
      const pages: unknown[] = [];
      for (let cursor = '', limit = 2; pages.length < 3;) {
        const { json } = await call(
          'GET',
          `conversations?limit=${limit}&cursor=${encodeURIComponent(cursor)}`,
          undefined,
          who,
        );
        for (const item of listAt(json, 'items')) expectConforms('conversation.response', item);
        pages.push(listAt(json, 'items').map((item) => at(item, 'id')));
        cursor = textAt(json, 'next');
      }
      expect(pages.flat().slice(0, 5)).toEqual([ids[4], ...ids.slice(0, 4)]);
      const found = await call('GET', 'conversations?search=4', undefined, who);
      expect(listAt(found.json, 'items').map((item) => at(item, 'id'))).toEqual([ids[1]]);
      const others = await call('GET', 'conversations?search=4');
      expect(listAt(others.json, 'items').map((item) => at(item, 'id'))).not.toContain(ids[1]);
      expect((await call('GET', `conversations?search=${'a'.repeat(201)}`)).status).toBe(422);
      expect((await call('GET', 'conversations?limit=0')).status).toBe(422);
      expect((await call('GET', 'conversations?cursor=nonsense')).json).toMatchObject({
        message: expect.stringMatching(/^cursor: /) as string,
      });
    });

    it('is read with its messages, page by page', async () => {
      const texts = ['a', 'A', 'b', 'B', 'c'];
      talk.upstream.script([{ text: ['C'], reasoning: ['hm'] }]);
      const { json } = await talk.complete(asking(...texts));
      const id = textAt(json, 'conversationId');
      const first = await call('GET', `conversations/${id}?limit=4`);
      expectConforms('conversation.response', first.json);
      expect(first.json).toMatchObject({ id, conversationId: id, title: 'a', messageCount: 6 });
      const rest = await call(
        'GET',
        `conversations/${id}/messages?limit=4&cursor=${encodeURIComponent(textAt(first.json, 'messages', 'next'))}`,
      );
      const messages = [...listAt(first.json, 'messages', 'items'), ...listAt(rest.json, 'items')];
      for (const message of messages) expectConforms('message.response', message);
      expect(messages.map((message) => textAt(message, 'content', 0, 'text'))).toEqual([
        ...texts,
        'C',
      ]);
      expect(at(rest.json, 'next')).toBeNull();
      expect(messages.at(-1)).toMatchObject({
        id: at(json, 'responseMessageId'),
        role: 'assistant',
        content: [{ type: 'text', text: 'C' }],
        reasoning: 'hm',
        provider: 'up',
        model: 'good',
        finishReason: 'stop',
      });
      expect(messages[0]).not.toHaveProperty('model');
    });

    it('is renamed, and its new name stays', async () => {
      const { json } = await talk.complete(asking('First?'));
      const conversationId = textAt(json, 'conversationId');
      expect(
        (await call('PATCH', `conversations/${conversationId}`, { title: 'Mine \u{1f600}' })).json,
      ).toMatchObject({ title: 'Mine \u{1f600}', titleSource: 'given' });
      expect(
        (await talk.complete({ ...asking('First?', 'Hello', 'Second?'), conversationId })).json,
      ).toMatchObject({ conversationTitle: 'Mine \u{1f600}' });
      for (const body of [
        {},
        { title: '' },
        { title: ' ' },
        { title: 7 },
        { title: 'a\nb' },
        { title: 'a\u0000' },
        { title: 'x'.repeat(201) },
      ]) {
        expect(await call('PATCH', `conversations/${conversationId}`, body)).toMatchObject({
          status: 422,
          json: { message: expect.stringMatching(/^title: /) as string },
        });
      }
    });

    it('is deleted with all that it held', async () => {
      const { json } = await talk.complete(asking('First?'));
      const id = textAt(json, 'conversationId');
      const gone = await call('DELETE', `conversations/${id}`);
      expect(gone).toMatchObject({ status: 204, text: '' });
      for (const path of ['', '/messages', '/export'])
        expect((await call('GET', `conversations/${id}${path}`)).status).toBe(404);
      expect((await call('DELETE', `conversations/${id}`)).status).toBe(404);
      expect(await talk.stored(talk.ann, id)).toEqual([]);
    });

    it('belongs to its account alone, on every route', async () => {
      const { json } = await talk.complete(asking('Mine'));
      const id = textAt(json, 'conversationId');
      const routes: [string, string, object?][] = [
        ['GET', ''],
        ['GET', '/messages'],
        ['GET', '/export'],
        ['GET', '/export?format=markdown'],
        ['PATCH', '', { title: 'Yours' }],
        ['DELETE', ''],
      ];
      for (const [method, path, body] of routes) {
        for (const other of [id, unknown, 'x', '%00', '%27']) {
          const reply = await call(method, `conversations/${other}${path}`, body, talk.bob);
          expect(reply, `${method} ${other}${path}`).toMatchObject({
            status: 404,
            json: { message: 'conversation: not found' },
          });
          expectConforms('error', reply.json);
        }
        expect(
          (await ask(method, `${talk.gateway.url}/api/v1/conversations/${id}${path}`)).status,
        ).toBe(401);
      }
      expect(
        listAt(
          (await call('GET', 'conversations?limit=100', undefined, talk.bob)).json,
          'items',
        ).map((item) => at(item, 'id')),
      ).not.toContain(id);
      expect((await call('GET', `conversations/${id}`)).json).toMatchObject({
        title: 'Mine',
        messageCount: 2,
      });
    });

    it.each([
      ['PUT', 'conversations', 'GET, POST'],
      ['POST', `conversations/${unknown}`, 'GET, PATCH, DELETE'],
      ['GET', 'chat/conversation', 'POST'],
    ])('answers 405 for %s %s', async (method, path, allowed) => {
      const { status, headers } = await call(method, path);
      expect([status, headers['allow']]).toEqual([405, allowed]);
    });
  });

  describe('an export', () => {
    it('is the whole conversation as JSON, however long', async () => {
      const texts = Array.from({ length: 251 }, (_, index) => `${index}`);
      const { json } = await talk.complete(asking(...texts));
      const id = textAt(json, 'conversationId');
      const { status, headers, json: file } = await call('GET', `conversations/${id}/export`);
      expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
        200,
        'application/json; charset=utf-8',
        `attachment; filename="conversation-${id}.json"`,
      ]);
      expect(file).toMatchObject({ id, title: '0', messageCount: 252 });
      expect(
        listAt(file, 'messages').map((message) => textAt(message, 'content', 0, 'text')),
      ).toEqual([...texts, 'Hello']);
    });

    it('is Markdown in which nothing that was said can pass for something else', async () => {
      const odd =
        '# Not a heading\r\n\r\n```js\nan open fence\n## Assistant\n\n<script>alert(1)</script>\u2028end';
      talk.upstream.script([{ text: ['> quoted\n\n', '---\n\u{1f600}'] }]);
      const { json } = await talk.complete({
        models: ['up/good'],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: odd },
              { type: 'text', text: '' },
            ],
          },
        ],
      });
      const id = textAt(json, 'conversationId');
      await call('PATCH', `conversations/${id}`, { title: '[x](javascript:y) *and* <b>' });
      const { headers, text } = await call('GET', `conversations/${id}/export?format=markdown`);
      expect([headers['content-type'], headers['x-content-type-options']]).toEqual([
        'text/markdown; charset=utf-8',
        'nosniff',
      ]);
      const lines = text.split('\n');
      expect(lines[0]).toBe('# \\[x\\]\\(javascript:y\\) \\*and\\* \\<b\\>');
      expect(lines.filter((line) => line.startsWith('## '))).toEqual([
        '## User',
        '## Assistant (up/good)',
      ]);
      for (const line of lines.slice(4))
        expect(line).toMatch(/^(## (User|Assistant \(up\/good\))|>.*|)$/su);
      expect(text).toContain('> # Not a heading\n>\n> ```js\n> an open fence\n> ## Assistant');
      expect(text).toContain('> > quoted\n>\n> ---\n> \u{1f600}\n');
    });

    it('is answered 422 if it has any other form', async () => {
      const { json } = await talk.complete(asking('x'));
      expect(
        await call('GET', `conversations/${textAt(json, 'conversationId')}/export?format=pdf`),
      ).toMatchObject({ status: 422, json: { message: 'format: must be one of: json, markdown' } });
    });
  });
});

describe('where the configuration keeps no conversations', () => {
  let place: Place;
  let unkept: Conversing;
  beforeAll(async () => {
    place = libsqlPlace();
    unkept = await startConversing(place, { conversations: { store: false } });
  });
  afterAll(async () => {
    await unkept.close();
    await place.remove();
  });

  it('an id that is given comes back unchecked, and nothing is stored', async () => {
    const conversationId = unknown.toUpperCase();
    expect(
      (await unkept.complete({ ...asking('Hi'), conversationId, store: true })).json,
    ).toMatchObject({ conversationId, conversationTitle: 'Hi' });
    const { headers, events } = await unkept.stream(asking('Hi'));
    expect(headers['conversationid']).toMatch(/^[0-9a-f-]{36}$/);
    expect(events.at(-1)).not.toHaveProperty('conversationStored');
    expect(
      (await unkept.reader.conversations.list(unkept.ann.accountId, { limit: 10, cursor: null }))
        .items,
    ).toEqual([]);
  });

  it("OpenAI's dialect keeps none in any case", async () => {
    expect(
      (
        await post(
          `${unkept.gateway.url}/v1/chat/completions`,
          { model: 'up/good', messages: [{ role: 'user', content: 'Hi' }] },
          unkept.ann.headers,
        )
      ).status,
    ).toBe(200);
  });
});
