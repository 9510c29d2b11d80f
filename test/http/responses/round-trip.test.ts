import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatMessage, ToolCall } from '../../../src/completion.js';
import type { Json } from '../../../src/text/is-object.js';
import { OutputItems } from '../../../src/http/surfaces/responses/output-items.js';
import { chatMessages } from '../../../src/http/surfaces/responses/read-input.js';
import { chunksOf } from '../../../src/completion-builder.js';
import { responsesInput } from '../../../src/providers/openai-responses/input.js';

const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const call = fc.record({
  name: fc.stringMatching(/^[a-z_]{1,12}$/),
  args: fc.dictionary(text, text),
});
/** A turn of the model with the results of its calls, or what somebody else says. */
const turn = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'system'), content: text }).map((one) => [one]),
  fc.record({ text: fc.option(text), calls: fc.array(call, { maxLength: 3 }) }),
);

function conversationOf(turns: readonly unknown[]): ChatMessage[] {
  let count = 0;
  return turns.flatMap((one) => {
    if (Array.isArray(one)) return one as ChatMessage[];
    const { text: said, calls } = one as {
      text: string | null;
      calls: { name: string; args: object }[];
    };
    if (said === null && calls.length === 0) return [];
    const made: ToolCall[] = calls.map(({ name, args }) => ({
      id: `call_${count++}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    const answer: ChatMessage = { role: 'assistant', content: said };
    if (made.length > 0) answer.tool_calls = made;
    const results = made.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` }));
    return [answer, ...results];
  });
}

/** Everything that was said, called and answered, in order. */
const told = (messages: readonly ChatMessage[]): unknown[] =>
  messages.flatMap(({ role, content, tool_calls: calls = [], tool_call_id: id }) => [
    ...(content ? [[role, id, content]] : []),
    ...calls.map(({ id: own, function: { name, arguments: args } }) => [own, name, args]),
  ]);

it('a conversation that is translated to items and back keeps roles, texts, calls and order', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
      const messages = [{ role: 'user', content: 'begin' }, ...conversationOf(turns)];
      const { input } = responsesInput('p', messages);
      expect(told(chatMessages({ model: 'm', input: input as Json[] }))).toEqual(told(messages));
    }),
  );
});

it('an answer that is written as items and sent back is the same turn', () => {
  const silent = { emit: () => undefined, delta: () => undefined };
  const details = fc.array(
    fc.record({ type: fc.constant('reasoning.text'), text, signature: text }),
  );
  const answer = fc.record({
    said: fc.option(text),
    calls: fc.array(call, { maxLength: 3 }),
    details,
  });
  fc.assert(
    fc.property(answer, ({ said, calls, details: reasoning }) => {
      const [message] = conversationOf([{ text: said, calls }]);
      if (!message) return;
      const sent: ChatMessage = { ...message, reasoning_details: reasoning };
      const choice = { index: 0, message: sent as never, finish_reason: 'stop' };
      const items = new OutputItems(silent, () => undefined);
      const completion = { id: '', object: '', created: 0, model: 'm', choices: [choice] };
      for (const chunk of chunksOf(completion)) items.chunk(chunk);
      items.end();
      const back = chatMessages({ model: 'm', input: items.output });
      expect(told(back)).toEqual(told([message]));
      expect(back.flatMap((one) => one.reasoning_details ?? [])).toEqual(reasoning);
      expect(back).toHaveLength(1);
    }),
  );
});
