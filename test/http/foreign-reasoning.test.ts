import { describe, expect, it } from 'vitest';
import { openReasoning, sealReasoning } from '../../src/http/surfaces/foreign-reasoning.js';

const details = [
  { type: 'reasoning.encrypted', id: 'rs_1', data: 'gAAAA+/=', format: 'openai-responses-v1' },
  { type: 'reasoning.text', text: 'Grüße, 世界 🙂', signature: null, format: 'google-gemini-v1' },
];

describe('reasoning of a maker that the client’s dialect does not know', () => {
  it('comes back as it was sent', () => {
    expect(openReasoning(sealReasoning(details))).toEqual(details);
    expect(openReasoning(sealReasoning([]))).toEqual([]);
  });

  it('is one word that no JSON, header or URL has to escape', () => {
    expect(sealReasoning(details)).toMatch(/^sbx1\.[\w-]+$/);
  });

  it.each([undefined, null, 7, {}, '', 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h', 'gAAAAsbx1.'])(
    'is told from what only its maker can read: %j',
    (text) => {
      expect(openReasoning(text)).toBeNull();
    },
  );

  it.each([
    ['cut', sealReasoning(details).slice(0, -8)],
    ['without content', 'sbx1.'],
    ['an object in place of a list', `sbx1.${Buffer.from('{}').toString('base64url')}`],
    ['too deep', `sbx1.${Buffer.from('['.repeat(9e5) + ']'.repeat(9e5)).toString('base64url')}`],
    ['no base64', 'sbx1.%%%'],
  ])('is empty where it was changed on its way: %s', (_case, text) => {
    expect(openReasoning(text)).toEqual([]);
  });
});
