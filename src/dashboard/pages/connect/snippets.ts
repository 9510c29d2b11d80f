/** What the settings of every program need. */
interface Connection {
  /** The gateway's address without a slash at the end. */
  readonly url: string;
  readonly key: string;
  /** A label, an alias or `auto`. */
  readonly model: string;
}

/** Ready-made settings of one program. */
type Row = readonly [
  program: string,
  /** Where the text goes. */
  place: string,
  /** What the code is written in: the name of a fence in Markdown. */
  language: 'sh' | 'js' | 'python' | 'json' | 'toml' | 'text',
  /**
   * The version that has run against the gateway; `requests`: what it is known to send is tested;
   * null: the settings are from its documentation.
   */
  tried: `${number}.${number}` | 'requests' | null,
  code: (to: Connection) => string,
];

/** A text in a string literal of JavaScript, Python or JSON. */
const quoted = (text: string): string => JSON.stringify(text);

const indented = (value: object): string => JSON.stringify(value, null, 2);

/** A text as one word of a shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const curl = ({ url, key, model }: Connection): string =>
  `curl ${url}/v1/chat/completions \\
  -H ${shellWord(`Authorization: Bearer ${key}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shellWord(JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }))}`;

const node = ({ url, key, model }: Connection): string => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${quoted(`${url}/v1`)}, apiKey: ${quoted(key)} });
const completion = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(completion.choices[0].message.content);`;

const python = ({ url, key, model }: Connection): string => `from openai import OpenAI

client = OpenAI(base_url=${quoted(`${url}/v1`)}, api_key=${quoted(key)})
completion = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(completion.choices[0].message.content)`;

const langchain = ({ url, key, model }: Connection): string =>
  `from langchain_openai import ChatOpenAI

llm = ChatOpenAI(base_url=${quoted(`${url}/v1`)}, api_key=${quoted(key)}, model=${quoted(model)})
print(llm.invoke("Hello").content)`;

const aiSdk = ({ url, key, model }: Connection): string =>
  `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const signalbox = createOpenAICompatible({
  name: 'signalbox',
  baseURL: ${quoted(`${url}/v1`)},
  apiKey: ${quoted(key)},
});
const { text } = await generateText({ model: signalbox(${quoted(model)}), prompt: 'Hello' });
console.log(text);`;

const openWebUi = ({ url, key }: Connection): string =>
  `OPENAI_API_BASE_URL=${url}/v1\nOPENAI_API_KEY=${key}`;

const cursor = ({ url, key, model }: Connection): string =>
  `OpenAI API Key:           ${key}\nOverride OpenAI Base URL: ${url}/v1\nCustom model:             ${model}`;

const litellm = ({ url, key, model }: Connection): string => `import litellm

answer = litellm.completion(
    model=${quoted(`openai/${model}`)},
    api_base=${quoted(`${url}/v1`)},
    api_key=${quoted(key)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`;

const claudeCode = ({ url, key, model }: Connection): string =>
  `export ANTHROPIC_BASE_URL=${shellWord(url)}
export ANTHROPIC_AUTH_TOKEN=${shellWord(key)}
export ANTHROPIC_MODEL=${shellWord(model)}
export ANTHROPIC_SMALL_FAST_MODEL=${shellWord(model)}
claude`;

/** A provider of any name but `openai`: Codex then sends no WebSocket and compacts by itself. */
const codex = ({ url, key, model }: Connection): string => `# SIGNALBOX_KEY=${key}
model = ${quoted(model)}
model_provider = "signalbox"

[model_providers.signalbox]
name = "Signalbox"
base_url = ${quoted(`${url}/v1`)}
env_key = "SIGNALBOX_KEY"
wire_api = "responses"`;

/** By pass-through: the CLI speaks Google's own API, to a provider that is named `gemini` here. */
const geminiCli = ({ url, key }: Connection): string =>
  `export GOOGLE_GEMINI_BASE_URL=${shellWord(`${url}/proxy/gemini`)}
export GEMINI_API_KEY=${shellWord(key)}
gemini`;

const opencode = ({ url, key, model }: Connection): string =>
  indented({
    provider: {
      signalbox: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: { [model]: {} },
      },
    },
    model: `signalbox/${model}`,
  });

const aider = ({ url, key, model }: Connection): string =>
  `export OPENAI_API_BASE=${shellWord(`${url}/v1`)}
export OPENAI_API_KEY=${shellWord(key)}
aider --model ${shellWord(`openai/${model}`)}`;

const mcp = ({ url, key }: Connection): string =>
  indented({
    mcpServers: {
      signalbox: { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${key}` } },
    },
  });

/** A new program is one row. The versions were tried in November 2026. */
const programs: readonly Row[] = [
  ['curl', 'a terminal', 'sh', '7.88', curl],
  ['Claude Code', 'a terminal', 'sh', '2.1', claudeCode],
  ['Codex', '~/.codex/config.toml, and the key in the environment', 'toml', '0.171', codex],
  ['Node', 'a file example.mjs, after npm install openai', 'js', '7.59', node],
  ['Python', 'a file, after pip install openai', 'python', '3.57', python],
  ['LangChain', 'a file, after pip install langchain-openai', 'python', '1.7', langchain],
  ['AI SDK', 'a file, after npm install ai @ai-sdk/openai-compatible', 'js', '7.0', aiSdk],
  ['LiteLLM', 'a file, after pip install litellm', 'python', '1.110', litellm],
  ['opencode', 'opencode.json', 'json', '1.18', opencode],
  ['aider', 'a terminal', 'sh', '0.86', aider],
  ['Gemini CLI', 'a terminal, for the provider gemini alone', 'sh', '0.61', geminiCli],
  ['Open WebUI', 'the environment of its container', 'sh', 'requests', openWebUi],
  [
    'Cursor',
    'Cursor Settings, Models, API Keys, with a public address',
    'text',
    'requests',
    cursor,
  ],
  ['MCP clients', 'the client’s list of MCP servers', 'json', null, mcp],
];

/** The settings of each program, filled in. */
export const snippets = (to: Connection) =>
  programs.map(([program, place, language, tried, code]) => ({
    program,
    place,
    language,
    tried,
    code: code(to),
  }));
