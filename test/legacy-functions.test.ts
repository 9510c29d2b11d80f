import { expect, it } from 'vitest';
import type { ChatMessage } from '../src/completion.js';
import { withoutLegacyFunctions } from '../src/legacy-functions.js';

const called = (name: string): ChatMessage => ({
  role: 'assistant',
  content: null,
  function_call: { name, arguments: '{}' },
});
const result = (name: string): ChatMessage => ({ role: 'function', name, content: 'ok' });

it('gives each call an id of its own, which its result names', () => {
  const messages = [called('a'), result('a'), called('b'), result('b'), called('a'), result('a')];
  const ids = withoutLegacyFunctions(messages).map(
    (message) => message.tool_calls?.[0]?.id ?? message.tool_call_id,
  );
  expect(ids).toEqual(['call_0', 'call_0', 'call_2', 'call_2', 'call_4', 'call_4']);
});

it('keeps the place of every message, and what has no such calls as it is', () => {
  const messages: ChatMessage[] = [{ role: 'user', content: 'Hi' }, result('lost')];
  expect(withoutLegacyFunctions(messages)).toEqual([
    messages[0],
    { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
  ]);
  const plain = messages.slice(0, 1);
  expect(withoutLegacyFunctions(plain)).toBe(plain);
});

it('keeps the name of who called', () => {
  const [turn] = withoutLegacyFunctions([{ ...called('a'), name: 'ada' }]);
  expect(turn).toMatchObject({ role: 'assistant', name: 'ada', tool_calls: [{ id: 'call_0' }] });
  expect(turn).not.toHaveProperty('function_call');
});
