// A script without any server: choose a model, complete a chat, and stream one.
//   MODEL_URL=http://127.0.0.1:11434/v1 node without-express.mjs
import { createGateway } from 'signalbox';

const baseUrl = process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1';
const gateway = createGateway({
  providers: { local: { api: 'openai-compatible', baseUrl } },
  log: { level: 'warn' },
});
// an account of yours: its limits, usage and learning are its own
const caller = { account: 'alice', limits: { requestsPerMinute: 60 } };
const messages = [{ role: 'user', content: 'Say hello' }];

const plan = await gateway.select(
  { messages, llm_providers: [{ name: 'local/llama3.2' }, { name: 'local/qwen3' }] },
  { caller },
);
console.log('chosen:', plan.candidates[0].label);

const answer = await gateway.run({ model: 'local/llama3.2', messages }, { caller });
console.log('answer:', answer.completion.choices[0].message.content);
console.log('tokens:', answer.usage.completionTokens, 'in', answer.latencyMs, 'ms');

const signal = AbortSignal.timeout(60_000);
const stream = gateway.run({ model: 'local/llama3.2', messages, stream: true }, { caller, signal });
for await (const event of stream)
  if (event.type === 'chunk') process.stdout.write(event.chunk.choices[0]?.delta.content ?? '');
  else console.log('\nfinished:', event.finishReason);

await gateway.close();
