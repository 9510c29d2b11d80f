import { readFileSync } from 'node:fs';
import type { CachingProvider, SeenPrompt } from './caching-provider.js';

type Body = Record<string, unknown>;
type Item = Record<string, unknown>;

/** One request of an agent. */
export interface AgentRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

const traffic = new URL('../fixtures/agent-traffic/', import.meta.url);
const recorded = (name: string): { body: Body } =>
  JSON.parse(readFileSync(new URL(`${name}.json`, traffic), 'utf8')) as { body: Body };

/** Recorded requests state the lengths of texts in place of the texts. */
function withTexts<T>(value: T): T {
  const text = JSON.stringify(value).replace(
    /\[\w+, (\d+) characters\]/g,
    (stated: string, length: string) =>
      `${stated} lorem ipsum `.repeat(Number(length) / 20).slice(0, Number(length)),
  );
  return JSON.parse(text) as T;
}

const output = (session: string, turn: number): string =>
  `line of ${session} in turn ${turn}\n`.repeat(60);

/** The items of the history with those of so many turns more, which are made like its last ones. */
function grown(items: readonly Item[], round: number, session: string, turns: number): Item[] {
  const history = [...items];
  const like = items.slice(-round);
  for (let turn = 1; turn <= turns; turn++)
    history.push(
      ...(JSON.parse(
        JSON.stringify(like)
          .replace(/((?:rs|fc|fco|call|toolu)_id)(\d+)/g, `$1$2_${turn}`)
          .replace(/\[output, 117 characters\]|"signalbox-step"/g, (text) =>
            text.startsWith('"')
              ? JSON.stringify(output(session, turn))
              : JSON.stringify(output(session, turn)).slice(1, -1),
          ),
      ) as Item[]),
    );
  return history;
}

/** What an agent sends on turn `turn` (from 0) of a session. */
export type Agent = (session: string, turn: number) => AgentRequest;

const codexBody = withTexts(recorded('codex-tool-turn-gpt-5.5').body);
const claudeBody = withTexts(recorded('claude-code-tool-turn').body);
const told = (session: string): string => `Do what ${session} is for.`;

/** Agents by how their sessions are known: body, header, or their beginning alone. */
export const agents: Readonly<Record<string, Agent>> = {
  'Codex (prompt_cache_key)': (session, turn) => ({
    path: '/v1/responses',
    headers: {},
    body: {
      ...codexBody,
      model: 'maker/gpt-5.5',
      stream: false,
      prompt_cache_key: session,
      input: grown(codexBody['input'] as Item[], 3, session, turn),
    },
  }),
  'Claude Code (session header)': (session, turn) => ({
    path: '/v1/messages',
    headers: { 'x-claude-code-session-id': session, 'anthropic-version': '2023-06-01' },
    body: {
      ...claudeBody,
      model: 'claude/claude-sonnet-4-5',
      max_tokens: 32_000,
      stream: false,
      messages: grown(claudeBody['messages'] as Item[], 2, session, turn),
    },
  }),
  'chat (how it begins)': (session, turn) => ({
    path: '/v1/chat/completions',
    headers: {},
    body: {
      model: 'maker/gpt-4o',
      messages: [
        { role: 'system', content: 'You are an agent. '.repeat(500) },
        { role: 'user', content: told(session) },
        ...Array.from({ length: turn }, (_, before) => [
          { role: 'assistant', content: `Step ${before}.` },
          { role: 'user', content: output(session, before) },
        ]).flat(),
      ],
    },
  }),
};

/** The providers of a gateway that agents ask: three keys each. */
export const cachingProviders = ({ url }: CachingProvider) => ({
  maker: { api: 'openai', baseUrl: `${url}/v1`, apiKeys: ['key-a', 'key-b', 'key-c'] },
  claude: { api: 'anthropic', baseUrl: url, apiKeys: ['key-a', 'key-b', 'key-c'] },
});

/**
 * Has an agent work through a session, with three other sessions in between.
 * @returns what the provider saw of the session
 */
export async function replaySession(
  agent: Agent,
  turns: number,
  { seen }: CachingProvider,
  send: (request: AgentRequest) => Promise<unknown>,
  atTurn: (turn: number, seen: readonly SeenPrompt[]) => void = () => undefined,
): Promise<SeenPrompt[]> {
  const own: SeenPrompt[] = [];
  for (let turn = 0; turn < turns; turn++) {
    atTurn(turn, own);
    for (const session of ['session-1', 'session-2', 'session-3', 'session-4']) {
      await send(agent(session, turn));
      if (session === 'session-1') own.push(seen.at(-1)!);
    }
  }
  return own;
}

/** The share of the tokens that could be read from a cache which were. */
export function cachedShare(seen: readonly SeenPrompt[]): number {
  const sum = (of: (one: SeenPrompt) => number): number =>
    seen.reduce((total, one) => total + of(one), 0);
  return sum(({ cached }) => cached) / sum(({ eligible }) => eligible);
}
