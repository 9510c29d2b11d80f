import { expect, it } from 'vitest';
import { type Surface, surfacesGateway } from '../helpers/sent-on-surfaces.js';

const { raw, sent } = surfacesGateway();

/** One model for each dialect of providers. */
const models = {
  chat: 'chat/m',
  answers: 'answers/m',
  claude: 'claude/claude-sonnet-4-5',
  google: 'google/gemini-2.5-flash',
  aws: 'aws/anthropic.claude-sonnet-4-5-v1:0',
  coral: 'coral/command-a',
} as const;
type Provider = keyof typeof models;

const person = 'person-7f3a';
const asSent = (field: string, value: unknown = person) => ({ [field]: value });

/** Who gets what identifies a person or a device, by what the client speaks and where it stands. */
const rows: [Surface, string, Partial<Record<Provider, object>>][] = [
  // the internal dialect: the client names its user to whichever provider answers
  [
    'chat',
    'user',
    {
      chat: asSent('user'),
      answers: asSent('user'),
      claude: { metadata: { user_id: person } },
      coral: {},
    },
  ],
  [
    'chat',
    'safety_identifier',
    {
      chat: asSent('safety_identifier'),
      answers: asSent('safety_identifier'),
      claude: { metadata: { user_id: person } },
    },
  ],
  [
    'chat',
    'metadata.user_id',
    {
      chat: asSent('metadata', { user_id: person }),
      answers: asSent('metadata', { user_id: person }),
      claude: { metadata: { user_id: person } },
    },
  ],
  // dialects of a vendor: what they are for stays with the providers of the dialect
  ['Messages', 'metadata.user_id', { claude: { metadata: { user_id: person } } }],
  ['Messages', 'user', { claude: asSent('user') }],
  ['Responses', 'user', { answers: asSent('user') }],
  ['Responses', 'safety_identifier', { answers: asSent('safety_identifier') }],
  ['Responses', 'metadata.user_id', { answers: asSent('metadata', { user_id: person }) }],
  [
    'Responses',
    'client_metadata.user_id',
    { answers: asSent('client_metadata', { user_id: person }) },
  ],
  // ours
  ['native', 'user', {}],
  ['native', 'metadata.user_id', {}],
];

it.each(rows)('%s: `%s` goes to nobody else', async (surface, path, expected) => {
  const [field = '', inner] = path.split('.');
  for (const [provider, model] of Object.entries(models)) {
    const body = await sent(surface, model, { [field]: inner ? { [inner]: person } : person });
    const right = expected[provider as Provider];
    if (right) expect(body, provider).toMatchObject(right);
    const isSent = Object.keys(right ?? {}).length > 0;
    expect(raw.provider.texts.at(-1)?.includes(person), `${surface} ${path} at ${provider}`).toBe(
      isSent,
    );
  }
});
