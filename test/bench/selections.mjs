// Bodies of model-select, for the rows that measure it over HTTP and in the process.
const makers = {
  openai: [
    'gpt-4o',
    'gpt-4o-mini',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4.1-nano',
    'gpt-5',
    'gpt-5-mini',
    'gpt-5-nano',
    'o3',
    'o4-mini',
  ],
  anthropic: [
    'claude-3-5-haiku-latest',
    'claude-3-7-sonnet-latest',
    'claude-sonnet-4-0',
    'claude-opus-4-1',
    'claude-haiku-4-5',
    'claude-sonnet-4-5',
  ],
  google: [
    'gemini-2.0-flash',
    'gemini-2.0-flash-lite',
    'gemini-2.5-flash',
    'gemini-2.5-flash-lite',
    'gemini-2.5-pro',
  ],
  mistral: [
    'mistral-large-latest',
    'mistral-medium-latest',
    'mistral-small-latest',
    'codestral-latest',
    'ministral-8b-latest',
  ],
  deepseek: ['deepseek-chat', 'deepseek-reasoner'],
  groq: [
    'llama-3.1-8b-instant',
    'llama-3.3-70b-versatile',
    'openai/gpt-oss-20b',
    'openai/gpt-oss-120b',
  ],
  cohere: ['command-a', 'command-r', 'command-r-plus'],
  'x-ai': ['grok-3', 'grok-3-mini', 'grok-4'],
  local: ['qwen3-8b', 'a-model-that-nobody-knows'],
};

const candidates = Object.entries(makers).flatMap(([provider, models]) =>
  models.map((model) => ({ provider, model })),
);
const sentences = [
  'Please look at the following function and tell me why it is slow.',
  'def total(xs): return sum(x * 2 for x in xs if x > 0)',
  'The third train of the day waits at the signal until the line is clear.',
  'Translate that into French, and keep the numbers as they are: 12, 34.5, 1,000.',
];

/** How many candidates each body has. */
export const candidateCount = candidates.length;

/** Bodies with conversations of a given length, all different: no cache serves the next one. */
export function selectionBodies(characters, count) {
  return Array.from({ length: count }, (_, index) => {
    let text = `Conversation ${index}. `;
    while (text.length < characters)
      text += `${sentences[(text.length + index) % sentences.length]} `;
    const half = Math.floor(characters / 2);
    return {
      messages: [
        { role: 'user', content: text.slice(0, half) },
        { role: 'assistant', content: 'I see.' },
        { role: 'user', content: text.slice(half, characters) },
      ],
      llm_providers: candidates,
      tradeoff: index % 2 === 0 ? 'cost' : null,
    };
  });
}
