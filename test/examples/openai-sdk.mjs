// A client: the unmodified openai SDK with the gateway as its base URL.
//   OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=sk_… node openai-sdk.mjs "Why?"
import OpenAI from 'openai';

const client = new OpenAI(); // reads the two variables
const question = process.argv[2] ?? 'Why is the sky blue?';

// with "auto" the gateway chooses; a label such as "openai/gpt-4o" names the model
const stream = await client.chat.completions.create({
  model: process.env.MODEL ?? 'auto',
  messages: [{ role: 'user', content: question }],
  stream: true,
  stream_options: { include_usage: true },
});

let answeredBy = '';
for await (const chunk of stream) {
  answeredBy ||= chunk.model;
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
  if (chunk.usage)
    console.log(
      `\n\n${answeredBy}: ${chunk.usage.prompt_tokens} tokens in, ${chunk.usage.completion_tokens} out`,
    );
}

// an error is the SDK's own error; the gateway has already retried
try {
  await client.chat.completions.create({
    model: 'nobody/nothing',
    messages: [{ role: 'user', content: question }],
  });
} catch (error) {
  if (!(error instanceof OpenAI.APIError)) throw error;
  console.log(`${error.constructor.name}: ${error.status} ${error.code} (${error.param})`);
}
