import type { ChatMessage } from '../../src/completion.js';
import type { RoutingRequest } from '../../src/chooser/plan.js';

/** The models that the conversations choose among, cheap ones first in each line. */
const small = ['gpt-5-nano', 'llama-3.3-70b', 'gemini-2.5-flash', 'claude-haiku-4-5'];
/** Of these, those that cost a fifth of the others or less. */
const cheap = small.slice(0, 3);
/** Those that begin within half a second. */
const quick = small.slice(1, 3);
const large = ['gpt-5.2', 'claude-sonnet-4-5'];
const all = [...small, ...large];
/** Those that an expert trusts with a piece of work of some length. */
const able = ['gemini-2.5-flash', 'claude-haiku-4-5', ...large];

/** Which models an expert would accept for a conversation, by setting. */
export interface Accepted {
  readonly usual: readonly string[];
  readonly cost: readonly string[];
  readonly latency: readonly string[];
}

/** One hand-written conversation. */
export interface OwnConversation {
  readonly name: string;
  readonly request: Pick<RoutingRequest, 'messages' | 'tools'>;
  readonly accepted: Accepted;
}

/** Everybody does it well: money spent on a larger model is wasted where money matters. */
const trivial: Accepted = { usual: all, cost: cheap, latency: quick };
/** Everyday work: most do it well, and a large model is not wrong. */
const everyday: Accepted = { usual: [...able], cost: small, latency: all };
/** Work that an expert gives to a large model, or to a good one of the next class to save. */
const demanding: Accepted = {
  usual: large,
  cost: ['claude-haiku-4-5', ...large],
  latency: ['claude-haiku-4-5', ...large],
};
/** Only the best are good enough, whatever is saved. */
const hard: Accepted = {
  usual: large,
  cost: large,
  latency: large,
};

const user = (content: ChatMessage['content']): ChatMessage => ({ role: 'user', content });
const system = (content: string): ChatMessage => ({ role: 'system', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });

const tool = (name: string, description: string, fields: readonly string[]): unknown => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    },
  },
});

const asked = (
  name: string,
  accepted: Accepted,
  ...messages: readonly (string | ChatMessage)[]
): OwnConversation => ({
  name,
  accepted,
  request: { messages: messages.map((one) => (typeof one === 'string' ? user(one) : one)) },
});
const withTools = (
  name: string,
  accepted: Accepted,
  tools: readonly unknown[],
  ...messages: readonly (string | ChatMessage)[]
): OwnConversation => {
  const { request } = asked(name, accepted, ...messages);
  return { name, accepted, request: { ...request, tools } };
};

const sentences = [
  'The harbour was rebuilt after the storm of 1953 and has been deepened twice since.',
  'Container traffic grew by four per cent a year until the new terminal opened in the south.',
  'The council expects that the old quay will be given up and turned into flats and a school.',
  'Fishermen object, because the fish hall and the ice plant would lose their only deep berth.',
  'An expert opinion of 38 pages compares three routes for the railway and their noise.',
];
const report = Array.from({ length: 400 }, (_, at) => sentences[at % sentences.length]).join(' ');

const code = `async function transfer(from, to, amount) {
  const balance = await db.get(from);
  if (balance < amount) throw new Error('insufficient');
  await db.set(from, balance - amount);
  await db.set(to, (await db.get(to)) + amount);
}`;

/**
 * Forty conversations of our own, and what an expert would accept. None of them is among the texts
 * that the router was fitted to.
 */
export const ownConversations: readonly OwnConversation[] = [
  asked('a greeting', trivial, 'hey! how is your day going?'),
  asked('thanks', trivial, 'perfect, thank you so much'),
  asked('a greeting in Portuguese', trivial, 'Oi, boa tarde!'),
  asked('a sum', trivial, 'What is 23 times 4?'),
  asked('a percentage in German', trivial, 'Wie viel sind 20 % von 350 Euro?'),
  asked('a capital', trivial, 'Which city is the capital of Mongolia?'),
  asked('a date', trivial, 'In which year did the Berlin Wall fall?'),
  asked('a fact in Spanish', trivial, '¿Quién pintó el Guernica?'),
  asked('a translation', trivial, 'Translate into German: "The shop opens at nine."'),
  asked('a translation into Chinese', trivial, '把这句话翻译成英文:我明天去北京。'),
  asked('a sentiment', trivial, 'Positive or negative? "Would not buy it again."'),
  asked(
    'a class of ticket',
    trivial,
    system('Answer with one of: billing, technical, other.'),
    'I cannot log in since the update, the page stays white.',
  ),
  asked('a spelling', trivial, 'Fix the spelling: recieve, definately, seperate'),
  asked('a unit', trivial, 'How many grams are 3 ounces?'),
  asked(
    'a field from a text',
    trivial,
    'Extract the phone number: "Call Eva, 030 1234567, after 5."',
  ),
  asked('JSON of a line', trivial, 'Convert to JSON with the keys name and age: Paula, 44'),
  asked('a command', trivial, 'which git command shows the last five commits'),
  asked('a definition', trivial, 'What does "photosynthesis" mean?'),
  asked(
    'a short turn in a conversation',
    trivial,
    'Can you recommend a film for tonight?',
    assistant('Sure! Do you prefer a comedy or a thriller?'),
    'a comedy please',
  ),
  asked(
    'a friendlier e-mail',
    everyday,
    'Make this e-mail friendlier: "You forgot the invoice. Send it."',
  ),
  asked('a poem', everyday, 'Write a short poem about the first day of spring.'),
  asked('a trip', everyday, 'Plan three days in Vienna for a couple that loves music.'),
  asked('comfort', everyday, 'My dog died yesterday and I cannot stop crying.'),
  asked('a recipe in French', everyday, 'Donne-moi une recette simple de quiche sans viande.'),
  asked(
    'a function',
    everyday,
    'Write a Python function that removes duplicates but keeps the order.',
  ),
  asked('a query', everyday, 'Write a SQL query for the number of orders by month in 2025.'),
  asked('an explanation', everyday, 'Explain how a refrigerator works to a curious teenager.'),
  asked('a summary', everyday, `Summarise in three sentences:\n\n${sentences.join(' ')}`),
  asked(
    'a comparison',
    everyday,
    'What are the pros and cons of leasing a car instead of buying it?',
  ),
  withTools(
    'one tool call',
    { usual: all.filter((one) => one !== 'gpt-5-nano'), cost: small, latency: all },
    [tool('get_weather', 'Current weather of a city', ['city', 'unit'])],
    'What is the weather in Bergen right now, in Celsius?',
  ),
  asked('a long report', demanding, `${report}\n\nWhich objections are raised, and by whom?`),
  asked(
    'a race condition',
    demanding,
    `Two requests run this at the same time. What can go wrong, and how do you fix it for good?\n\n${code}`,
  ),
  asked(
    'a system',
    demanding,
    'Design a booking system for a chain of forty clinics: data model, conflicts between receptionists, offline clinics, audit, and how it fails.',
  ),
  withTools(
    'a step of an agent',
    demanding,
    [
      tool('run', 'Runs a shell command', ['command']),
      tool('read_file', 'Reads a file', ['path']),
      tool('write_file', 'Writes a file', ['path', 'content']),
    ],
    'The tests of the billing module fail since the last release. Find the cause, fix it and run them.',
  ),
  asked(
    'a legal question',
    demanding,
    'Under German tenancy law, can a landlord end a lease for own use when the tenant is 82 and ill? Weigh the case law and say what each side must prove.',
  ),
  asked(
    'a parser',
    demanding,
    'Implement an incremental JSON parser in Rust that accepts input in arbitrary chunks, reports positions of errors, and never allocates more than the depth of the document.',
  ),
  asked(
    'a proof',
    hard,
    'Prove that for every prime p > 3 the number p^2 - 1 is divisible by 24, and that a group of order p^2 is abelian.',
  ),
  asked(
    'an olympiad problem',
    hard,
    'Find all functions f from the positive integers to themselves with f(m^2 + f(n)) = f(m)^2 + n for all m and n, with proof.',
  ),
  asked(
    'a proof in German',
    hard,
    'Zeige, dass jede stetige Abbildung des abgeschlossenen Einheitsintervalls in sich einen Fixpunkt hat, und untersuche, ob das für das offene Intervall gilt.',
  ),
  asked(
    'an algorithm with a proof',
    hard,
    'Give an algorithm that finds the k-th smallest element of two sorted arrays in logarithmic time, prove its correctness, and derive a matching lower bound.',
  ),
];
