/** What the settings of every program need. */
interface Connection {
  /** The gateway's address without a slash at the end. */
  readonly url: string;
  readonly key: string;
  /** A label, an alias or `auto`. */
  readonly model: string;
}

/** Ready-made settings of one program. */
interface Snippet {
  readonly id: string;
  /** The program's name. */
  readonly program: string;
  /** Where the text goes. */
  readonly place: string;
  readonly code: string;
}

/** A text in a string literal of JavaScript, Python or JSON. */
const quoted = (text: string): string => JSON.stringify(text);

/** A text as one word of a shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const curl = ({ url, key, model }: Connection): string =>
  [
    `curl ${url}/v1/chat/completions \\`,
    `  -H ${shellWord(`Authorization: Bearer ${key}`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellWord(JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }))}`,
  ].join('\n');

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

const mcp = ({ url, key }: Connection): string =>
  JSON.stringify(
    {
      mcpServers: {
        signalbox: {
          type: 'http',
          url: `${url}/mcp`,
          headers: { Authorization: `Bearer ${key}` },
        },
      },
    },
    null,
    2,
  );

/** The settings of each program, filled in. */
export function snippets(to: Connection): Snippet[] {
  return [
    { id: 'curl', program: 'curl', place: 'a terminal', code: curl(to) },
    {
      id: 'node',
      program: 'Node',
      place: 'a file example.mjs, after npm install openai',
      code: node(to),
    },
    {
      id: 'python',
      program: 'Python',
      place: 'a file, after pip install openai',
      code: python(to),
    },
    {
      id: 'langchain',
      program: 'LangChain',
      place: 'a file, after pip install langchain-openai',
      code: langchain(to),
    },
    {
      id: 'ai-sdk',
      program: 'AI SDK',
      place: 'a file example.mjs, after npm install ai @ai-sdk/openai-compatible',
      code: aiSdk(to),
    },
    {
      id: 'open-webui',
      program: 'Open WebUI',
      place: 'the environment of its container',
      code: openWebUi(to),
    },
    {
      id: 'cursor',
      program: 'Cursor',
      place: 'Cursor Settings, Models, API Keys',
      code: cursor(to),
    },
    { id: 'mcp', program: 'MCP clients', place: 'the client’s list of MCP servers', code: mcp(to) },
  ];
}
