import { expect } from 'vitest';
import { callAnswer, rawGateway } from './raw-provider.js';

export type Body = Record<string, unknown>;
export type Surface = keyof typeof surfaces;

const messages = [{ role: 'user', content: 'Hi' }];
const surfaces = {
  chat: ['/v1/chat/completions', (model: string): Body => ({ model, messages })],
  native: ['/api/v1/completions', (model: string): Body => ({ models: [model], messages })],
  Messages: ['/v1/messages', (model: string): Body => ({ model, messages, max_tokens: 9_000 })],
  Responses: ['/v1/responses', (model: string): Body => ({ model, input: 'Hi' })],
} as const;
export const surfaceNames = Object.keys(surfaces) as Surface[];

/** A gateway before providers of all dialects at one address, for the tests of a file. */
export function surfacesGateway() {
  const raw = rawGateway((baseUrl) => {
    const at = { baseUrl, apiKey: 'k', listModels: false } as const;
    return {
      providers: { openai: { ...at, api: 'openai' }, router: { ...at, api: 'openrouter' } },
    };
  });
  /** What the provider of a model gets of a body with these fields. */
  async function sent(surface: Surface, model: string, fields: Body): Promise<Body> {
    const name = model.split('/')[0]!;
    const dialect = name === 'openai' || name === 'router' ? 'chat' : name;
    raw.provider.answer(() => ({ json: callAnswer(dialect) }));
    const [path, bodyOf] = surfaces[surface];
    const response = await fetch(raw.gateway.url + path, {
      method: 'POST',
      headers: { ...raw.gateway.auth, 'content-type': 'application/json' },
      body: JSON.stringify({ ...bodyOf(model), ...fields }),
    });
    expect(`${response.status} ${await response.text()}`).toMatch(/^200 /);
    return raw.provider.body();
  }
  return { raw, sent };
}
